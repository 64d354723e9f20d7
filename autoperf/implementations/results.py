"""Compares the results of two frameworks: shapes, dtypes and values, or the moments of random ones."""

from __future__ import annotations

from collections.abc import Sequence
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
DEVIATIONS = 6.0
"""How many standard errors the moments of two random samples may differ by."""
_FEW = 8


def compare_results(
    expected: Sequence[Array],
    actual: Sequence[Array],
    names: Sequence[str] = (),
    sources: Sequence[Array] = (),
    *,
    random: bool = False,
    cast: bool = False,
    precision: str = "",
) -> str:
    """The first difference in words; empty if the results are equal within the tolerance of the expected dtype.

    `names` are those of the results (`output`, or `gradient of data`). With `cast`, whole and boolean results are cast
    to the expected dtype first. Infinities and NaN must be at the same places. A scalar equals an
    array of one element, since MXNet's operators outside of its NumPy namespaces have no scalars. `precision` is the
    dtype whose tolerance holds for wider results. `sources` are the inputs or head gradients: a result with fewer
    elements than one of them is taken for a sum of its elements, whose rounding is relative to the largest of them.
    """
    if len(expected) != len(actual):
        return f"{len(actual)} results, expected {len(expected)}"
    labels = names or ["output" if len(expected) == 1 else f"output {place}" for place in range(len(expected))]
    how = _How(random, cast, precision, tuple(_source(array) for array in sources if array.dtype.kind == "f"))
    pairs = zip(labels, map(np.asarray, expected), map(np.asarray, actual), strict=True)
    return next(filter(None, (_difference(*pair, how) for pair in pairs)), "")


class _How(NamedTuple):
    """How results are compared; `sources` are sizes and largest magnitudes."""

    random: bool
    cast: bool
    precision: str
    sources: tuple[tuple[int, float], ...]

    def scale(self, expected: Array) -> float:
        """The magnitude that rounding is relative to."""
        summed = (magnitude for size, magnitude in self.sources if size > expected.size)
        return max(_magnitude(expected), max(summed, default=0.0))


def _source(array: Array) -> tuple[int, float]:
    return array.size, _magnitude(array)


def _magnitude(array: Array) -> float:
    """The largest absolute value that is finite."""
    wide = np.abs(array.astype("float64"))
    return float(np.max(wide, where=np.isfinite(wide), initial=0.0))


def _difference(name: str, expected: Array, actual: Array, how: _How) -> str:
    if how.cast and actual.dtype.kind in "biu":
        actual = actual.astype(expected.dtype)
    if (actual.shape, expected.shape) == ((), (1,)):
        actual = actual.reshape(1)
    if actual.shape != expected.shape:
        return f"{name}: shape {actual.shape}, expected {expected.shape}"
    if actual.dtype != expected.dtype:
        return f"{name}: dtype {actual.dtype}, expected {expected.dtype}"
    if how.random:
        return _moment_difference(name, expected, actual)
    return _value_difference(name, expected, actual, how)


def _value_difference(name: str, expected: Array, actual: Array, how: _How) -> str:
    if not expected.size:
        return ""
    errors = _excess(expected, actual, how)
    worst = np.unravel_index(int(np.argmax(errors)), errors.shape)
    if not errors[worst] > 0:
        return ""
    place = ", ".join(str(int(index)) for index in worst)
    here, there = actual[worst], expected[worst]
    error = abs(float(here) - float(there))
    return f"{name}: largest error {error:.3g} at ({place}): {here}, expected {there}"


def _excess(expected: Array, actual: Array, how: _How) -> Array:
    """How far each error is above its tolerance; infinite where one is NaN or infinite and the other is not equal."""
    if expected.dtype.kind in "biu":
        return np.asarray(np.abs(actual.astype("float64") - expected.astype("float64")))
    tolerance = max(TOLERANCES[name] for name in (expected.dtype.name, how.precision) if name)
    wide, other = expected.astype("float64"), actual.astype("float64")
    finite = np.isfinite(wide)
    with np.errstate(invalid="ignore"):
        excess = np.abs(other - wide) - tolerance.relative * np.abs(wide) - tolerance.scaled * how.scale(expected)
    same = (wide == other) | (np.isnan(wide) & np.isnan(other))
    # A scale of zero leaves no tolerance: an array of zeros must be zeros.
    return np.where(same, -1.0, np.where(finite & np.isfinite(other), excess, np.inf))


def _moment_difference(name: str, expected: Array, actual: Array) -> str:
    """The first of mean and standard deviation that differs by more than the standard errors of both samples allow."""
    if expected.size < _FEW:
        return ""
    samples = [np.ravel(array).astype("float64") for array in (expected, actual)]
    if not np.isfinite(samples[1]).all():
        return f"{name}: values that aren't finite"
    for what, moments in (("mean", _mean), ("variance", _variance)):
        (first, first_error), (second, second_error) = map(moments, samples)
        if abs(first - second) > DEVIATIONS * float(np.hypot(first_error, second_error)):
            return f"{name}: {what} {second:.4g}, expected {first:.4g}"
    return ""


def _mean(sample: Array) -> tuple[float, float]:
    """The mean and its standard error."""
    return float(sample.mean()), float(sample.std() / np.sqrt(sample.size))


def _variance(sample: Array) -> tuple[float, float]:
    """The variance and its standard error."""
    squares = (sample - sample.mean()) ** 2
    return float(squares.mean()), float(squares.std() / np.sqrt(sample.size))
