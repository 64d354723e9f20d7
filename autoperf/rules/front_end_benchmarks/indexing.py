"""Reading and writing by every kind of key: `x[key]` and `x[key] = value`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autoperf.core.tensors import Shape
from autoperf.rules.front_end_benchmarks.benchmark import FrontEndBenchmark, benchmark

SHAPES: Mapping[str, Shape] = {"small": (32, 32), "common": (256, 256), "large": (1024, 1024), "skewed": (10_000, 10)}
Key = Callable[[Any, Any], Any]


def _rows(mx: Any, x: Any) -> Any:
    """Every other row, as whole numbers."""
    return mx.nd.arange(0, x.shape[0], 2, dtype="int32")


def _mask(mx: Any, x: Any) -> Any:
    """Every other row, as truth values."""
    return mx.np.arange(x.shape[0]) % 2 == 0


def _read_by_mask(mx: Any, x: Any) -> Callable[[], object]:
    """Reads rows of a NumPy array, with the shapes of NumPy, as its users do; the next case sets its own semantics."""
    mx.npx.set_np(array=False)
    return partial(operator.getitem, x.as_np_ndarray(), _mask(mx, x))


# The key as a user writes it, and what makes it from the package and the array.
KEYS: Mapping[str, tuple[str, Key]] = {
    "int": ("1", lambda mx, x: x.shape[0] // 2),
    "slice": ("1:-1", lambda mx, x: slice(1, -1)),
    "step": ("::2", lambda mx, x: slice(None, None, 2)),
    "reverse": ("::-1", lambda mx, x: slice(None, None, -1)),
    "all": (":", lambda mx, x: slice(None)),
    "ellipsis": ("..., 0", lambda mx, x: (Ellipsis, 0)),
    "newaxis": ("None", lambda mx, x: None),
    "tuple": ("1, 2", lambda mx, x: (x.shape[0] // 2, x.shape[1] // 2)),
    "slices": ("1:-1, ::2", lambda mx, x: (slice(1, -1), slice(None, None, 2))),
    "list": ("[0, 1, 2]", lambda mx, x: [0, 1, 2]),
    "array": ("rows", _rows),
    "arrays": ("rows, rows", lambda mx, x: (mx.nd.arange(4, dtype="int32"), mx.nd.arange(4, dtype="int32"))),
    "mixed": ("rows, 1:-1", lambda mx, x: (_rows(mx, x), slice(1, -1))),
}


def _get(kind: str) -> FrontEndBenchmark:
    written, key = KEYS[kind]
    prepare = lambda mx, x: partial(operator.getitem, x, key(mx, x))  # noqa: E731
    return benchmark(f"NDArray_getitem_{kind}", f"x[{written}]", prepare, shapes=SHAPES)


def _set(kind: str, what: str, value: Callable[[Any, Any], Any], suffix: str) -> FrontEndBenchmark:
    written, key = KEYS[kind]

    def prepare(mx: Any, x: Any) -> Callable[[], object]:
        place = key(mx, x)
        return partial(operator.setitem, x, place, value(x, place))

    return benchmark(f"NDArray_setitem_{kind}{suffix}", f"x[{written}] = {what}", prepare, shapes=SHAPES)


BENCHMARKS = (
    *map(_get, KEYS),
    *(_set(kind, "1.0", lambda x, key: 1.0, "") for kind in KEYS),
    *(_set(kind, "y", lambda x, key: x[key].copy(), "_array") for kind in KEYS if kind != "newaxis"),
    benchmark(
        "np_getitem_mask",
        "x[x.sum(axis=1) > 0]  (mx.np)",
        _read_by_mask,
        shapes=SHAPES,
    ),
)
