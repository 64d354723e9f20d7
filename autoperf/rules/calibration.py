"""The calls by which a machine's roofline is measured: a copy for its bandwidth, a product for its arithmetic."""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.core.case import OUT, Case, Input
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType, Constant, Shape, TensorSpec

# A matrix of this order is far too large for a first level of cache, and its product takes some tens of milliseconds.
ORDER = 1024


def copying(elements: int) -> Case:
    """A copy of a vector of float32 into an array that is there already: it reads and writes 4 bytes an element."""
    return _case("_copy", (elements,), "float32", "data")


def multiplying(dtype: str, order: int = ORDER) -> tuple[Case, ...]:
    """The product of two square matrices into a third, which is there already: 2 n^3 operations.

    In float32 by both libraries that MXNet has for it, BLAS and oneDNN; either may be the faster one.
    """
    square = order, order
    layer: dict[str, Value] = {"num_hidden": order, "no_bias": True}
    blas = _case("dot", square, dtype, "lhs", "rhs")
    if dtype != "float32":
        return (blas,)
    return blas, _case("FullyConnected", square, dtype, "data", "weight", params=layer)


def idling() -> Case:
    """A call that computes one number, into a new array as most calls do."""
    return _case("negative", (1,), "float32", "data", written=False)


def _case(
    operator: str,
    shape: Shape,
    dtype: str,
    *names: str,
    params: Mapping[str, Value] | None = None,
    written: bool = True,
) -> Case:
    """A call on equally large tensors; arrays that are made anew would time the system's giving out of memory."""
    ones = TensorSpec(shape, dtype, Constant(1.0))
    return Case(
        operator=operator,
        category="calibration",
        profile="calibration",
        inputs=tuple(Input(name, ones) for name in (*names, *((OUT,) if written else ()))),
        params=dict(params or {}),
        outputs=(ArrayType(shape, dtype),),
        in_place=(OUT,) if written else (),
        training=False,
    )
