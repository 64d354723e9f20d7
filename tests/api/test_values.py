"""Arguments of Python calls become tensors and parameters, and functions the paths of their operators."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pytest

from autoperf.api.arguments import (
    MAX_VALUES,
    device_text,
    initializer_content,
    library_of,
    operator_label,
    operator_path,
    parameter_of,
    tensors_of,
)
from autoperf.cases.release import Release
from autoperf.core.errors import AutoperfError, UsageError
from autoperf.core.tensors import Constant, Integers, Literal_, Mask, Normal, Uniform
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.rule import Draft


class SparseArray:
    """The interface of MXNet's sparse arrays."""

    stype = "row_sparse"

    def asnumpy(self) -> np.ndarray:
        return np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [2.0, 3.0]], np.float32)


def uniform() -> None:
    """Stands for mx.nd.uniform, which is recognised by its name."""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1024, 10), Draft((1024, 10))),
        ([0.0, 2.5], Draft((2,), None, Literal_((0.0, 2.5)))),
        ("4x4:int32", Draft((4, 4), "int32")),
        (np.array([1, 2], np.int64), Draft((2,), "int64", Literal_((1.0, 2.0)))),
        (np.arange(5000) % 4 == 0, Draft((5000,), "bool", Mask(0.25))),
        (np.arange(5000) + 2**60, Draft((5000,), "int64", Integers(2**60, 2**60 + 5000))),
        (np.full((65, 64), 7, np.int32), Draft((65, 64), "int32", Integers(7, 8))),
        (np.full((65, 64), 7, np.float32), Draft((65, 64), "float32", Constant(7.0))),
        (np.array([True, False]), Draft((2,), "bool", Literal_((1.0, 0.0)))),
        (SparseArray(), Draft((4, 2), "float32", None, "row_sparse", 0.5)),
        ([[1, 0], [0, 1]], Draft((2, 2), None, Literal_((1.0, 0.0, 0.0, 1.0)))),
        ([(2, 3), (2, 4)], (Draft((2, 3)), Draft((2, 4)))),
        ([np.zeros(2, np.float32), "3"], (Draft((2,), "float32", Literal_((0.0, 0.0))), Draft((3,)))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_tensor(value: object, expected: object) -> None:
    assert tensors_of("data", value) == expected


def test_a_large_array_has_the_range_of_its_values() -> None:
    values = np.linspace(-1, 3, MAX_VALUES + 1, dtype=np.float32)
    assert tensors_of("data", values) == Draft((MAX_VALUES + 1,), "float32", Uniform(-1.0, 3.0))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3, "invalid data 3: expected a shape such as"),
        ((2, -1), "invalid shape"),
        ("2xx", "invalid shape '2xx'"),
        (np.array(["a"]), "unknown dtype of data"),
        (
            np.array([np.nan]),
            r"invalid data: expected finite values, got nan at \[0\]; give a number, or the shape",
        ),
        ([1.0, math.inf], r"expected finite values, got inf at \[1\]; .* the shape \(2,\) instead of values"),
        ([[0.0, 1.0], [-math.inf, math.nan]], r"expected finite values, got -inf at \[1, 0\]; .* the shape \(2, 2\)"),
        ([1, 10**400], "invalid data: a value is out of the range of float64; expected finite values"),
        (object(), "expected a shape such as"),
    ],
)
def test_no_tensor(value: object, words: str) -> None:
    with pytest.raises(AutoperfError, match=words):
        tensors_of("data", value)


def test_parameters() -> None:
    assert parameter_of("axis", np.int64(1)) == 1
    assert parameter_of("kernel", [3, 3]) == (3, 3)
    assert parameter_of("dtype", np.float16) == "float16"
    assert parameter_of("act_type", "relu") == "relu"
    with pytest.raises(AutoperfError, match=r"invalid axis .*: expected a number"):
        parameter_of("axis", object())
    with pytest.raises(AutoperfError, match="expected a text without NUL"):
        parameter_of("axis", ("1\0",))


def test_initializers() -> None:
    assert initializer_content(uniform) == Uniform(0.0, 1.0)
    assert initializer_content("normal") == Normal()
    assert initializer_content("integers(0, 10)") == Integers(0, 10)
    assert initializer_content(Constant(2.0)) == Constant(2.0)
    with pytest.raises(AutoperfError, match="unknown initializer 'len'; known are"):
        initializer_content(len)
    with pytest.raises(AutoperfError, match="expected a content"):
        initializer_content("float32")


FUNCTIONS = {
    "nd.add": "broadcast_add",
    "nd.exp": "exp",
    "nd.FullyConnected": "FullyConnected",
    "nd.linalg.gemm": "_linalg_gemm",
    "nd.contrib.boolean_mask": "_contrib_boolean_mask",
    "nd._internal._copyto": "_copyto",
    "nd.random.normal": "_random_normal",
    "nd.random_normal": "_random_normal",
    "nd.sparse.dot": "dot",
    "nd.image.resize": "_image_resize",
    "nd.zeros": "_zeros",
    "np.add": "_npi_add",
    "np.exp": "_npi_exp",
    "np.linalg.svd": "_npi_svd",
    "np.random.uniform": "_npi_uniform",
    "npx.softmax": "softmax",
}
# What the front end of 1.9.1 needs of NumPy is not in newer versions.
PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy
for name, kind in {"bool": bool, "int": int, "float": float, "object": object}.items():
    setattr(numpy, name, kind)
import mxnet as mx
from autoperf.api.arguments import device_text, library_of, operator_path
def function(path):
    found = mx
    for part in path.split("."):
        found = getattr(found, part)
    return found
print(json.dumps({
    "paths": {path: operator_path(function(path)) for path in json.loads(sys.argv[1])},
    "devices": [device_text(mx.cpu()), device_text(mx.gpu(1))],
    "library": library_of([mx.nd.add]),
}))
"""


def test_functions_of_the_front_end_lead_to_their_operators(release: Release) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(list(FUNCTIONS))], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    names = Names(release.registry, FRONT_END)
    assert {path: names.resolve(told).operator.name for path, told in answer["paths"].items()} == FUNCTIONS
    assert answer["devices"] == ["cpu", "gpu(1)"]
    assert answer["library"] == str(release.library)


def test_a_name_is_its_own_path() -> None:
    assert operator_path("nd.linalg.gemm") == "nd.linalg.gemm"
    assert operator_label("nd.linalg.gemm") == "gemm"
    assert library_of(["nd.add"]) is None


@pytest.mark.parametrize("function", [np.add, np.mean, len, UsageError, 3])
def test_what_is_no_function_of_mxnet_is_refused(function: object) -> None:
    with pytest.raises(UsageError, match=r"expected a function of mx\.nd"):
        operator_path(function)  # type: ignore[arg-type]


def test_a_class_of_layers_is_its_layer() -> None:
    dense = type("Dense", (), {"__module__": "mxnet.gluon.nn.basic_layers"})
    assert operator_path(dense) == "gluon_Dense"
    assert operator_label(dense) == operator_label("gluon.nn.Dense") == "Dense"


def test_an_unknown_context_is_refused() -> None:
    assert device_text("gpu(2)") == "gpu(2)"
    with pytest.raises(UsageError, match=r"invalid ctx 3: expected mx\.cpu\(\)"):
        device_text(3)
