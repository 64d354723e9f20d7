"""The calls by which a machine's roofline is measured: a copy for its bandwidth, a product for its arithmetic."""

from __future__ import annotations

from autoperf.core.case import OUT, Case, Input
from autoperf.core.tensors import ArrayType, Constant, Shape, TensorSpec

# A matrix of this order is far too large for a first level of cache, and its product takes some tens of milliseconds.
ORDER = 1024


def copying(elements: int) -> Case:
    """A copy of a vector of float32 into an array that is there already: it reads and writes 4 bytes an element."""
    return _case("_copy", (elements,), "float32", "data")


def multiplying(dtype: str, order: int = ORDER) -> Case:
    """The product of two square matrices into a third, which is there already: 2 n^3 operations."""
    return _case("dot", (order, order), dtype, "lhs", "rhs")


def idling() -> Case:
    """A call that computes one number, into a new array as most calls do."""
    return _case("negative", (1,), "float32", "data", written=False)


def _case(operator: str, shape: Shape, dtype: str, *names: str, written: bool = True) -> Case:
    """A call on equally large tensors; arrays that are made anew would time the system's giving out of memory."""
    ones = TensorSpec(shape, dtype, Constant(1.0))
    return Case(
        operator=operator,
        category="calibration",
        profile="calibration",
        inputs=tuple(Input(name, ones) for name in (*names, *((OUT,) if written else ()))),
        outputs=(ArrayType(shape, dtype),),
        in_place=(OUT,) if written else (),
        training=False,
    )
