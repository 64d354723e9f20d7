"""Functions and arrays of MXNet's Python package."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from autoperf.backends.mxnet.call import handle_of
from autoperf.backends.mxnet.capi.ndarray import NDArray


def attribute(package: Any, path: str) -> Callable[..., Any] | None:
    """The function at a path of the package; None if there is none."""
    value = package
    for part in path.split("."):
        value = getattr(value, part, None)
    return value if callable(value) else None


def borrowed(kind: type, package: Any, array: NDArray) -> Any:
    """An array of the package that doesn't own its handle."""
    return _borrowing(kind)(handle=package.base.NDArrayHandle(handle_of(array)))


@cache
def _borrowing(kind: type) -> type:
    """The class of arrays without its finaliser, which frees the handle."""
    return type(kind)(kind.__name__, (kind,), {"__del__": lambda _array: None})
