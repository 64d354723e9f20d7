"""Compares two sets of results: shapes, dtypes, values within the error of rounding, or the moments of random ones."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autoperf.core.outcome import DTYPE, GRADIENT, NUMBER, OUTPUT, RESULTS, SHAPE, VALUE, ResultDifference

Array = np.ndarray[Any, Any]


class Tolerance(NamedTuple):
    """`relative` to each value, and `scaled` relative to the largest magnitude of the array.

    The numbers are those of `torch.testing.assert_close` (its `rtol` and `atol`), which PyTorch holds its own kernels
    to; `scaled` allows for the rounding of sums. float16's `atol` is below its rounding.
    """

    relative: float
    scaled: float

    def times(self, factor: float) -> Tolerance:
        """The tolerance of an operator that amplifies rounding."""
        return Tolerance(self.relative * factor, self.scaled * factor)


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


DEVIATIONS = 6.0
"""How many standard errors the moments of two random samples may differ by."""
MAX_DISTANCE = 3.28
"""The distance of two distributions that counts, in roots of 2 / n."""
MAX_SORTED = 1 << 16
"""The number of random results whose distribution is looked at."""
FEW = 8
"""Random results of fewer numbers have no moments to compare."""
BLOCK = 1 << 20
"""The number of elements that are compared at a time, since a comparison in float64 takes several times their bytes."""


class HowCompared(NamedTuple):
    """How results are compared: by default within the tolerance of the expected dtype, on which `rounding` is a factor.

    `sources` are the inputs or head gradients: a result with fewer elements than one of them is taken for a sum of its
    elements, whose rounding is relative to the largest of them. With `cast`, whole and boolean results are cast to the
    expected dtype first. `precision` is the dtype whose tolerance holds for wider results. Of `undefined` results
    shapes and dtypes are compared alone.
    """

    sources: tuple[Operand, ...] = ()
    random: bool = False
    cast: bool = False
    precision: str = ""
    undefined: bool = False
    rounding: float = 1.0


def compare_results(
    expected: Sequence[Array], actual: Sequence[Array], how: HowCompared, names: Sequence[str] = ()
) -> ResultDifference | None:
    """The first difference; None if the results are equal. By default their `names` are those of outputs."""
    if len(expected) != len(actual):
        return ResultDifference(RESULTS, NUMBER, str(len(expected)), str(len(actual)))
    pairs = zip(names or output_names(len(expected)), map(np.asarray, expected), map(np.asarray, actual), strict=True)
    return next(filter(None, (difference(*pair, how) for pair in pairs)), None)


def compared_names(base: Collection[str], new: Collection[str], inputs: Iterable[str]) -> frozenset[str]:
    """The names of results that are compared: all but gradients of other than the case's `inputs` on one side alone.

    Such a gradient is of a layer's parameter, which may have another layout in another release.
    """
    known = {f"{GRADIENT}{name}" for name in inputs} | ({*base} & {*new})
    return frozenset(name for name in (*base, *new) if name in known or not name.startswith(GRADIENT))


def output_names(count: int) -> list[str]:
    """The names of so many outputs: `output`, or `output 0`, `output 1`, ..."""
    return [OUTPUT] if count == 1 else [f"{OUTPUT} {place}" for place in range(count)]


def difference(name: str, expected: Array, actual: Array, how: HowCompared) -> ResultDifference | None:
    """The difference of one result, None if there is none. Infinities and NaN must be at the same places.

    A scalar equals an array of one element, since MXNet's operators outside of its NumPy namespaces have no scalars.
    """
    if how.cast and actual.dtype.kind in "biu":
        actual = actual.astype(expected.dtype)
    if (actual.shape, expected.shape) == ((), (1,)):
        actual = actual.reshape(1)
    if actual.shape != expected.shape:
        return ResultDifference(name, SHAPE, str(expected.shape), str(actual.shape))
    if actual.dtype != expected.dtype:
        return ResultDifference(name, DTYPE, str(expected.dtype), str(actual.dtype))
    if how.random and not how.undefined:
        return _moment_difference(name, expected, actual)
    return None if how.undefined or has_same_bytes(expected, actual) else _value_difference(name, expected, actual, how)


def _value_difference(name: str, expected: Array, actual: Array, how: HowCompared) -> ResultDifference | None:
    allowed = tolerance(expected.dtype.name, expected.size, how.sources, how.precision).times(how.rounding)
    largest = scale(expected, how.sources) if expected.dtype.kind == "f" else 0.0
    flat, other = np.ravel(expected), np.ravel(actual)
    count, place, most = 0, 0, 0.0
    for begin in range(0, flat.size, BLOCK):
        excess = _excess(flat[begin : begin + BLOCK], other[begin : begin + BLOCK], allowed, largest)
        count += int(np.count_nonzero(excess > 0))
        worst = int(np.argmax(excess))
        if excess[worst] > most:
            most, place = float(excess[worst]), begin + worst
    if not count:
        return None
    # As Python numbers: differences of whole numbers may overflow.
    here, there = flat[place].item(), other[place].item()
    error = abs(float(there - here))
    where = tuple(int(index) for index in np.unravel_index(place, expected.shape))
    values = str(flat[place]), str(other[place])
    return ResultDifference(name, VALUE, *values, where, error if math.isfinite(error) else None, count, flat.size)


def has_same_bytes(expected: Array, actual: Array) -> bool:
    """Whether two arrays of one size and dtype are equal bit by bit, which is found much faster than the errors."""
    if not expected.size:
        return True
    flat, other = (np.ascontiguousarray(array).reshape(-1).view("uint8") for array in (expected, actual))
    return np.array_equal(flat, other)


def _excess(expected: Array, actual: Array, allowed: Tolerance, largest: float) -> Array:
    """How far each error is above its tolerance; infinite where one is NaN or infinite and the other is not equal."""
    wide, other = expected.astype("float64"), actual.astype("float64")
    if expected.dtype.kind in "biu":
        # Neighbours may be the same float64.
        return np.where(expected != actual, np.maximum(np.abs(other - wide), 1.0), -1.0)
    finite = np.isfinite(wide)
    with np.errstate(invalid="ignore"):
        excess = np.abs(other - wide) - allowed.relative * np.abs(wide) - allowed.scaled * largest
    same = (wide == other) | (np.isnan(wide) & np.isnan(other))
    # A scale of zero leaves no tolerance: an array of zeros must be zeros.
    return np.where(same, -1.0, np.where(finite & np.isfinite(other), excess, np.inf))


def specials(flat: Array) -> tuple[int, int, int]:
    """The numbers of NaN, infinity and -infinity."""
    nan, high, low = (int(np.count_nonzero(each)) for each in (np.isnan(flat), flat == np.inf, flat == -np.inf))
    return nan, high, low


def specials_difference(
    name: str, base: Sequence[int], new: Sequence[int], *, random: bool = False
) -> ResultDifference | None:
    """The difference of such numbers of two results.

    Random results may be infinite by chance (MXNet's uniform numbers are 1 in one of 30 million, and logistic ones of
    these infinite): counts of rare events differ with a standard error of the root of their sum. A NaN is no chance.
    """
    by_chance = all(
        abs(one - other) <= DEVIATIONS * math.sqrt(one + other) for one, other in zip(base, new, strict=True)
    )
    if tuple(base) == tuple(new) or (random and by_chance and bool(base[0]) == bool(new[0])):
        return None
    return ResultDifference(name, "numbers of NaN, infinity and -infinity", str(tuple(base)), str(tuple(new)))


def _moment_difference(name: str, expected: Array, actual: Array) -> ResultDifference | None:
    """The first of mean, variance and distribution that differs by more than the errors of both samples allow."""
    if expected.size < FEW:
        return None
    arrays = [np.ravel(array).astype("float64") for array in (expected, actual)]
    if found := specials_difference(name, *map(specials, arrays), random=True):
        return found
    samples = [array[np.isfinite(array)] for array in arrays]
    if not all(sample.size for sample in samples):
        return None
    for what, numbers in (("mean", samples), ("variance", [(sample - sample.mean()) ** 2 for sample in samples])):
        first, second = (float(each.mean()) for each in numbers)
        first_error, second_error = (float(each.std() / np.sqrt(each.size)) for each in numbers)
        if abs(first - second) > DEVIATIONS * float(np.hypot(first_error, second_error)):
            return ResultDifference(name, what, f"{first:.4g}", f"{second:.4g}", error=abs(first - second))
    # Kolmogorov and Smirnov's test: the distance of samples of sizes n and m exceeds c sqrt(1 / n + 1 / m) with a
    # probability of 2 exp(-2 c^2): 1e-9.
    ordered = [np.sort(sample[:MAX_SORTED]) for sample in samples]
    values = np.concatenate(ordered)
    below = [np.searchsorted(sample, values, side="right") / sample.size for sample in ordered]
    place = int(np.argmax(np.abs(below[0] - below[1])))
    distance = abs(float(below[0][place] - below[1][place]))
    if distance <= MAX_DISTANCE * math.sqrt(sum(1 / sample.size for sample in ordered)):
        return None
    base, new = (f"{share[place]:.1%} up to {values[place]:.4g}" for share in below)
    return ResultDifference(name, "distribution", base, new, error=distance)
