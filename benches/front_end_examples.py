"""Arguments for functions of MXNet's front end that want more than one or two arrays.

By the function's name in any namespace; each entry has forms of the call. `t(3, 3)` makes an array of a shape, or a
symbol. The program that calls the functions imports this module in the front end's process.
"""

from __future__ import annotations

import array
import base64
import ctypes
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse

Tensor: TypeAlias = Callable[..., Any]
Arguments: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
Example: TypeAlias = Callable[[Tensor], Arguments]


def given(*positional: Any, **named: Any) -> Arguments:
    """The arguments of a call."""
    return positional, named


def plain(*positional: Any) -> Example:
    """A call without arrays."""
    return lambda t: given(*positional)  # noqa: ARG005


def _update(weights: int, **named: Any) -> Example:
    """An optimizer's update of one array: so many arrays of a shape, and a scale."""
    return lambda t: given(*(t(3) for _ in range(weights)), t(1), lr=0.1, eta=1.0, **named)


def _updates(lists: int, *numbers: str) -> Example:
    """An optimizer's update of several arrays: so many lists of arrays, and lists of numbers."""

    def arguments(t: Tensor) -> Arguments:
        tensors = [[t(3), t(3)] for _ in range(lists)]
        scale = [t(1)] if "etas" in numbers else []
        return given(*tensors, *scale, **{name: [1, 1] for name in numbers}, out=[t(3), t(3)])

    return arguments


def _saved(t: Tensor) -> str:
    """A file with an array, or with a symbol."""
    value, file = t(3), "saved"
    if hasattr(value, "tojson"):
        value.save(file)
    else:
        package = sys.modules["mxnet"]
        space = package.npx if isinstance(value, package.np.ndarray) else package.nd
        space.save(file, value)
    return file


def _image_file() -> str:
    """A file with a picture of one pixel."""
    Path("picture.png").write_bytes(_PNG)
    return "picture.png"


_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_STEPS = ("step_count", "lrs", "wds")
_RATES = ("lrs", "wds", "etas")
_IMAGE = (8, 8, 3)
_TWO_SHAPES: dict[str, Example] = {"two shapes": lambda t: given(t(3, 3), t(1, 3))}
EXAMPLES: dict[str, dict[str, Example]] = {
    **dict.fromkeys(("add", "subtract", "multiply", "divide"), _TWO_SHAPES),
    "CreateDetAugmenter": {"a shape": plain((3, 32, 32))},
    "Variable": {"a name": plain("x")},
    "array": {"numbers": plain([1.0, 2.0]), "a matrix of SciPy": lambda _t: given(scipy.sparse.csr_matrix(np.eye(3)))},
    "bernoulli": {"a probability": plain(0.5, None, (3,), "float32", None, None)},
    "c_array_buf": {"a buffer": lambda _t: given(ctypes.c_float, array.array("f", [1.0]))},
    "check_call": {"a code": plain(0)},
    "empty": {"a storage": plain("csr", (3, 3))},
    "finfo": {"a dtype": plain("float32")},
    "from_dlpack": {"a capsule": lambda t: given(t(3).to_dlpack_for_read())},
    "from_numpy": {"an array": lambda _t: given(np.zeros(3, np.float32))},
    "fromjson": {"a graph": lambda t: given(t(3).tojson())},
    "genfromtxt": {"a text": lambda _t: given(io.StringIO("1 2"))},
    "get_oshape_of_gather_nd_op": {"shapes": plain((3, 3), (1, 2))},
    "imdecode": {"a picture": lambda _t: given(_PNG)},
    "imread": {"a file": lambda _t: given(_image_file())},
    "load": {"a file": lambda t: given(_saved(t))},
    "load_frombuffer": {"bytes": lambda t: given(Path(_saved(t)).read_bytes())},
    "load_json": {"a graph": lambda t: given(t(3).tojson())},
    "save": {"a file": lambda t: given("file", t(3))},
    "savez": {"a file": lambda t: given("file", x=t(3))},
    "set_module": {"a name": plain("mxnet")},
    "set_np_default_dtype": {"nothing": plain()},
    "set_printoptions": {"digits": plain(4)},
    "var": {"a name": plain("x")},
    "adabelief_update": {"arrays": _update(4)},
    "adamw_update": {"arrays": _update(4)},
    "mp_adabelief_update": {"arrays": _update(5)},
    "mp_adamw_update": {"arrays": _update(5)},
    "multi_adabelief_update": {"lists": _updates(4, *_RATES)},
    "multi_adamw_update": {"lists": _updates(4, *_RATES)},
    "multi_lamb_update": {"lists": _updates(4, *_STEPS)},
    "multi_lans_update": {"lists": _updates(4, *_STEPS)},
    "multi_mp_adabelief_update": {"lists": _updates(5, *_RATES)},
    "multi_mp_adamw_update": {"lists": _updates(5, *_RATES)},
    "multi_mp_lamb_update": {"lists": _updates(5, *_STEPS)},
    "multi_mp_lans_update": {"lists": _updates(5, *_STEPS)},
    "append": {"two arrays": lambda t: given(t(3), t(3))},
    "array_split": {"parts": lambda t: given(t(6), 2)},
    "batch_dot": {"two batches": lambda t: given(t(2, 3, 3), t(2, 3, 3))},
    "batch_norm": {"arrays": lambda t: given(t(2, 3), t(3), t(3), t(3), t(3))},
    "bincount": {"integers": lambda t: given(t(3, dtype="int32"))},
    "binomial": {"numbers": plain(3, 0.5)},
    "broadcast_arrays": {"two shapes": lambda t: given(t(3, 1), t(1, 3))},
    "broadcast_to": {"a shape": lambda t: given(t(3, 3), (2, 3, 3))},
    "center_crop": {
        "an image": lambda t: given(t(*_IMAGE), (4, 4)),
        "a larger size": lambda t: given(t(*_IMAGE), (16, 16)),
    },
    "clip": {"bounds": lambda t: given(t(3, 3), 0.0, 1.0)},
    "color_normalize": {
        "tensors": lambda t: given(t(*_IMAGE), t(3), t(3)),
        "numbers": lambda t: given(t(*_IMAGE), 0.5, 0.5),
    },
    "concatenate": {"a list": lambda t: given([t(3, 3), t(3, 3)])},
    "cond": {"functions": lambda t: given(t(1), lambda: t(1), lambda: t(1))},
    "convolution": {
        "an image": lambda t: given(t(1, 3, 8, 8), t(2, 3, 3, 3), kernel=(3, 3), num_filter=2, no_bias=True)
    },
    "deconvolution": {
        "an image": lambda t: given(t(1, 3, 8, 8), t(3, 2, 3, 3), kernel=(3, 3), num_filter=2, no_bias=True)
    },
    "dsplit": {"parts": lambda t: given(t(2, 2, 4), 2)},
    "einsum": {"two arrays": lambda t: given("ij,jk->ik", t(3, 3), t(3, 3))},
    "embedding": {"indices": lambda t: given(t(2, dtype="int32"), t(4, 3), input_dim=4, output_dim=3)},
    "exponential": {"numbers": plain(1.0)},
    "fixed_crop": {
        "an image": lambda t: given(t(*_IMAGE), 0, 0, 4, 4),
        "another size": lambda t: given(t(*_IMAGE), 0, 0, 4, 4, (2, 2)),
    },
    "foreach": {"functions": lambda t: given(lambda row, state: (row + state, state), t(3, 3), t(3))},
    "full": {"a shape": plain((3, 3), 1.5)},
    "fully_connected": {"arrays": lambda t: given(t(3, 3), t(2, 3), no_bias=True, num_hidden=2)},
    "gamma": {"numbers": plain(1.0, 1.0)},
    "generalized_negative_binomial": {"numbers": plain(1.0, 1.0)},
    "group_norm": {"arrays": lambda t: given(t(2, 4, 3), t(4), t(4), num_groups=2)},
    "histogram": {"bins": lambda t: given(t(3, 3), 4, (0, 2)), "edges": lambda t: given(t(3, 3), t(3))},
    "hsplit": {"parts": lambda t: given(t(4, 4), 2)},
    "imresize": {"an image": lambda t: given(t(*_IMAGE), 4, 4)},
    "imrotate": {"an image": lambda t: given(t(3, 8, 8), 30.0)},
    "insert": {
        "an integer": lambda t: given(t(4), 1, t(1)),
        "a slice": lambda t: given(t(4), slice(0, 2), t(2)),
        "a tensor": lambda t: given(t(4), t(2, dtype="int64"), t(2)),
    },
    "interp": {"three arrays": lambda t: given(t(3), t(3), t(3))},
    "layer_norm": {"arrays": lambda t: given(t(3, 3), t(3), t(3), axis=-1, eps=1e-5)},
    "linspace": {"numbers": plain(0.0, 1.0, 5)},
    "logspace": {"numbers": plain(0.0, 1.0, 5)},
    "masked_log_softmax": {"a mask": lambda t: given(t(3, 3), t(3, 3, dtype="bool"))},
    "masked_softmax": {"a mask": lambda t: given(t(3, 3), t(3, 3, dtype="bool"))},
    "moveaxis": {"axes": lambda t: given(t(3, 3), 0, 1)},
    "multinomial": {
        "numbers": plain(3, [0.5, 0.5]),
        "two tensors": lambda t: given(t(2), t(2)),
        "counts": lambda t: given(t(2), t(2, 2)),
    },
    "negative_binomial": {"numbers": plain(2, 0.5)},
    "normal": {"numbers": plain(0.0, 1.0)},
    "normal_n": {"numbers": plain(0.0, 1.0, (3,))},
    "onehot_encode": {"indices": lambda t: given(t(3), t(3, 4))},
    "pad": {"widths": lambda t: given(t(3, 3), ((1, 1), (1, 1)))},
    "permute_dims": {"axes": lambda t: given(t(3, 3), (1, 0))},
    "pick": {"indices": lambda t: given(t(3, 3), t(3))},
    "pinv": {"a tensor as rcond": lambda t: given(t(3, 3), t())},
    "poisson": {"numbers": plain(1.0)},
    "polyval": {"two arrays": lambda t: given(t(3), t(3))},
    "pooling": {"an image": lambda t: given(t(1, 3, 8, 8), kernel=(2, 2))},
    "quantile": {"a tensor": lambda t: given(t(3, 3), t(2))},
    "rand_zipfian": {"classes": lambda t: given(t(1, dtype="int32"), 4, 5)},
    "randint": {"numbers": plain(0, 5)},
    "randn": {"tensors": lambda t: given(3, loc=t(1), scale=t(1))},
    "random_crop": {
        "an image": lambda t: given(t(*_IMAGE), (4, 4)),
        "a larger size": lambda t: given(t(*_IMAGE), (16, 16)),
    },
    "random_rotate": {"an image": lambda t: given(t(3, 8, 8), (-30.0, 30.0))},
    "random_size_crop": {"an image": lambda t: given(t(*_IMAGE), (4, 4), (0.3, 0.7), (0.9, 1.1))},
    "reshape": {"a shape": lambda t: given(t(3, 3), (9,))},
    "resize_short": {"an image": lambda t: given(t(*_IMAGE), 4)},
    "rnn": {
        "arrays": lambda t: given(
            t(3, 1, 2), t(21), t(1, 1, 3), mode="rnn_tanh", state_size=3, num_layers=1, p=0.0, state_outputs=True
        )
    },
    "scale_down": {"sizes": plain((8, 8), (4, 4))},
    "swapaxes": {"axes": lambda t: given(t(3, 3), 0, 1)},
    "take": {"an axis": lambda t: given(t(3, 3), t(2, dtype="int32"), 0)},
    "tensordot": {"axes that are named": lambda t: given(t(3, 3), t(3, 3), ((0,), (1,)))},
    "tensorsolve": {"two arrays": lambda t: given(t(1, 1), t(1))},
    "uniform": {"numbers": plain(0.0, 1.0)},
    "uniform_n": {"numbers": plain(0.0, 1.0, (3,))},
    "unravel_index": {"a shape": lambda t: given(t(3, dtype="int64"), (9, 9))},
    "vecdot": {"two arrays": lambda t: given(t(3), t(3))},
    "while_loop": {
        "functions": lambda t: given(lambda i: i < 2, lambda i: ([i], [i + 1]), [t(1)], max_iterations=2),
    },
    "where": {"two tensors to choose from": lambda t: given(t(3, 3), t(3, 3), t(3, 3))},
    "zeros": {"a storage": plain("csr", (3, 3))},
}
