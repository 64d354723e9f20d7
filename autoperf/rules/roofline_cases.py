"""Cases that measure a machine's roofline: a copy for the bandwidth, matrix products for the arithmetic."""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.core.case import OUT, Case, Input
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType, Constant, Shape, TensorSpec

# A matrix of this order exceeds the first-level cache, and its product takes tens of milliseconds.
ORDER = 1024


def copy_case(elements: int) -> Case:
    """A copy of a float32 vector into an existing array, which reads and writes 4 bytes per element."""
    return _case("_copy", (elements,), "float32", "data")


def product_cases(dtype: str, order: int = ORDER) -> tuple[Case, ...]:
    """Products of two square matrices into an existing one: 2 n^3 operations.

    In float32 there is one for BLAS and one for oneDNN; either may be faster.
    """
    square = order, order
    layer: dict[str, Value] = {"num_hidden": order, "no_bias": True}
    blas = _case("dot", square, dtype, "lhs", "rhs")
    if dtype != "float32":
        return (blas,)
    return blas, _case("FullyConnected", square, dtype, "data", "weight", params=layer)


def overhead_case() -> Case:
    """A call on one element with a new output array, which measures the overhead."""
    return _case("negative", (1,), "float32", "data", written=False)


def _case(
    operator: str,
    shape: Shape,
    dtype: str,
    *names: str,
    params: Mapping[str, Value] | None = None,
    written: bool = True,
) -> Case:
    """A call on tensors of one shape; a new output array would add the time of memory allocation."""
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
