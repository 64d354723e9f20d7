"""The error that rounding explains: by the dtype of a result, its magnitude, and the number of terms of an element."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class Tolerance(NamedTuple):
    """`relative` to each value, and `scaled` relative to the largest magnitude of the array.

    The numbers are those of `torch.testing.assert_close` (its `rtol` and `atol`), which PyTorch holds its own kernels
    to; `scaled` allows for the rounding of sums. float16's `atol` is below its rounding.
    """

    relative: float
    scaled: float


TOLERANCES = {
    "float64": Tolerance(1e-7, 1e-7),
    "float32": Tolerance(1.3e-6, 1e-5),
    "bfloat16": Tolerance(1.6e-2, 1e-2),
    "float16": Tolerance(1e-3, 2e-3),
}
EXACT = Tolerance(0.0, 0.0)
COVERED_TERMS = 1024
"""The number of terms whose rounding `scaled` covers; that of more grows with the root of their number."""


class Operand(NamedTuple):
    """The size and the largest finite magnitude of an input or a head gradient."""

    size: int
    magnitude: float


def sources_of(arrays: Iterable[Array]) -> tuple[Operand, ...]:
    """The sources among these arrays: those of floating dtype."""
    return tuple(Operand(array.size, magnitude(array)) for array in arrays if array.dtype.kind == "f")


def magnitude(array: Array) -> float:
    """The largest absolute value that is finite; 0 without one."""
    if not array.size:
        return 0.0
    if array.dtype.kind != "f":
        return float(max(abs(int(array.min())), abs(int(array.max()))))
    largest = max(abs(float(array.min())), abs(float(array.max())))
    if math.isfinite(largest):
        return largest
    finite = array[np.isfinite(array)]
    return max(abs(float(finite.min())), abs(float(finite.max()))) if finite.size else 0.0


def terms(size: int, sources: Sequence[Operand]) -> float:
    """The number of terms of an element of a result of this size, by sizes alone.

    A reduction has as many as its source has elements for each of the result's, a product of matrices (m, k) and (k, n)
    the root of mk * kn / mn.
    """
    sizes = sorted((source.size for source in sources), reverse=True)[:2]
    if not sizes or not size:
        return 1.0
    both = math.sqrt(math.prod(sizes) / size) if len(sizes) > 1 else 1.0
    return max(1.0, sizes[0] / size, both)


def tolerance(dtype: str, size: int, sources: Sequence[Operand], precision: str = "") -> Tolerance:
    """The tolerance of a result by its dtype, or by `precision` if that is wider, and by its terms."""
    names = [name for name in (dtype, precision) if name in TOLERANCES]
    if not names or dtype not in TOLERANCES:
        return EXACT
    widest = max(TOLERANCES[name] for name in names)
    growth = max(1.0, math.sqrt(terms(size, sources) / COVERED_TERMS))
    return Tolerance(widest.relative, widest.scaled * growth)


def scale(result: Array, sources: Sequence[Operand]) -> float:
    """The magnitude that rounding is relative to: the result's, or a larger one of a source with more elements.

    A result with fewer elements than a source is taken for a sum of its elements.
    """
    summed = (source.magnitude for source in sources if source.size > result.size)
    return max(magnitude(result), max(summed, default=0.0))
