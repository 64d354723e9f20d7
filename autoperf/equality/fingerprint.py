"""Fingerprints of results: made from an array in about one pass over it, and compared without the array."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np

from autoperf.core.outcome import DTYPE, GRADIENT, PRESENCE, SHAPE, STORAGE, VALUE, ResultDifference, ResultPrint
from autoperf.equality.comparison import (
    DEVIATIONS,
    FEW,
    Array,
    Operand,
    compared_names,
    scale,
    specials,
    specials_difference,
    tolerance,
)

DIGITS = 9
"""Significant digits of the numbers; the tolerance of float64 needs eight."""
MOMENT_DIGITS = 17
"""Those of the moments of random numbers, whose standard errors may be far below the mean."""
PLACES = 6
PERIOD = 4093
"""The number of elements after which the drawn signs repeat: a prime, so that no axis has this size."""
SUMS = 2
SUM_DEVIATIONS = 2.0
"""A signed sum of independent errors, each within the tolerance, is within this many times it."""
_SEED = 49


@np.errstate(all="ignore")
def print_of(
    name: str,
    values: Array,
    dtype: str,
    sources: Sequence[Operand],
    *,
    storage: str = "",
    random: bool = False,
    rounding: float = 1.0,
) -> ResultPrint:
    """The fingerprint of a result; `dtype` is the name of its type, of which bfloat16 comes as float32.

    `rounding` is a factor on its tolerance.
    """
    as_made = np.ravel(values)
    flat = _as_numbers(as_made)
    allowed, largest = tolerance(dtype, flat.size, sources).times(rounding), scale(flat, sources)
    # By the sum, which is fast; one that overflows is looked at more closely.
    is_finite = bool(np.isfinite(flat.sum())) or bool(np.isfinite(flat).all())
    finite = flat if is_finite else np.where(np.isfinite(flat), flat, 0)
    if random:
        finite = finite.astype("float64", copy=False)
    size, digits, columns = finite.size or 1, MOMENT_DIGITS if random else DIGITS, _columns(finite)
    places = () if random else places_of(name, flat.size)
    exact = as_made if as_made.dtype.kind in "iu" and not random else finite
    return ResultPrint(
        name=name,
        shape=values.shape,
        dtype=dtype,
        tolerance=_rounded((allowed.relative + allowed.scaled) * largest),
        storage=storage,
        least=_number(exact.min()) or 0 if exact.size else 0.0,
        largest=_number(exact.max()) or 0 if exact.size else 0.0,
        mean=_rounded(float(columns.sum()) / size, digits),
        rms=_rounded(_root_mean_square(finite), digits),
        sums=() if random else tuple(_rounded(float(total) / math.sqrt(size)) for total in _signs() @ columns),
        places=places,
        values=tuple(_number(as_made[place]) for place in places),
        specials=(0, 0, 0) if is_finite else specials(flat),
        random=random,
    )


def _as_numbers(flat: Array) -> Array:
    """float32 and float64 as they are, other dtypes as the one of these that holds most of their numbers."""
    if flat.dtype in ("float32", "float64"):
        return flat
    return flat.astype("float32" if flat.dtype.itemsize <= 2 else "float64")


def _columns(finite: Array) -> Array:
    """The sums of the numbers that have the same drawn sign."""
    whole = finite.size // PERIOD * PERIOD
    rows = finite[:whole].reshape(-1, PERIOD)
    sums = rows.sum(axis=0)
    if not np.isfinite(sums).all():
        sums = rows.sum(axis=0, dtype="float64")
    columns = sums.astype("float64")
    columns[: finite.size - whole] += finite[whole:]
    return np.asarray(columns)


def _root_mean_square(finite: Array) -> float:
    """The root of the mean of the squares; of scaled numbers in float64 where squares may overflow or vanish."""
    if not finite.size:
        return 0.0
    mean = float(np.dot(finite, finite)) / finite.size
    if 1e-30 < mean < 1e30:
        return math.sqrt(mean)
    largest = max(abs(float(finite.min())), abs(float(finite.max()))) or 1.0
    scaled = finite.astype("float64") / largest
    return largest * math.sqrt(float(np.dot(scaled, scaled)) / finite.size)


@lru_cache
def _signs() -> Array:
    return 2.0 * np.random.Generator(np.random.PCG64(_SEED)).integers(0, 2, (SUMS, PERIOD)) - 1.0


@lru_cache(1024)
def places_of(name: str, size: int) -> tuple[int, ...]:
    """The places whose values a fingerprint holds: the first, the last, and drawn ones between them."""
    if size <= PLACES:
        return tuple(range(size))
    seed = int.from_bytes(hashlib.sha256(f"{name}/{size}".encode()).digest()[:8], "big")
    drawn = np.random.Generator(np.random.PCG64(seed)).integers(0, size, PLACES - 2)
    return tuple(sorted({0, size - 1, *map(int, drawn)}))


def _rounded(value: float, digits: int = DIGITS) -> float:
    """The value with few digits; a sum that overflows as the largest number, since JSON has no infinity."""
    return float(f"{np.nan_to_num(value):.{digits}g}")


def _number(value: np.generic) -> int | float | None:
    """A whole number as it is, any other with few digits; None for one that isn't finite."""
    if isinstance(value, np.integer):
        return int(value)
    number = float(value)  # type: ignore[arg-type]
    return _rounded(number) if math.isfinite(number) else None


def _error(expected: int | float, actual: int | float) -> int | float:
    """The difference of two numbers; of a whole one and one that an earlier version has rounded, rounded alike."""
    if isinstance(expected, int) and isinstance(actual, int):
        return abs(expected - actual)
    return abs(_rounded(expected) - _rounded(actual))


def prints_difference(
    base: Sequence[ResultPrint], new: Sequence[ResultPrint], inputs: Collection[str] | None = None
) -> ResultDifference | None:
    """The first difference of two sets of fingerprints; None without one.

    With the names of the case's `inputs`, results are those of `compared_names`.
    """
    if inputs is not None:
        names = compared_names([each.name for each in base], [each.name for each in new], inputs)
        base, new = ([each for each in side if each.name in names] for side in (base, new))
    own = {each.name: each for each in new}
    for each in base:
        if each.name in own and (found := _difference(each, own[each.name])):
            return found
        if each.name not in own and not _is_no_gradient(each):
            return ResultDifference(each.name, PRESENCE, "a result", "none")
    known = {each.name for each in base}
    added = next((each for each in new if each.name not in known and not _is_no_gradient(each)), None)
    return ResultDifference(added.name, PRESENCE, "none", "a result") if added else None


def _is_no_gradient(each: ResultPrint) -> bool:
    """Whether it is a gradient of zeros, which another build may know without a pass."""
    return each.name.startswith(GRADIENT) and each.least == each.largest == 0 and not any(each.specials)


def _difference(base: ResultPrint, new: ResultPrint) -> ResultDifference | None:
    for what, expected, actual in (
        (SHAPE, base.shape, new.shape),
        (DTYPE, base.dtype, new.dtype),
        (STORAGE, base.storage or "default", new.storage or "default"),
    ):
        if expected != actual:
            return ResultDifference(base.name, what, str(expected), str(actual))
    if base.undefined or new.undefined:
        return None
    is_random = base.random or new.random
    if found := specials_difference(base.name, base.specials, new.specials, random=is_random):
        return found
    return _moment_difference(base, new) if is_random else _value_difference(base, new)


def _value_difference(base: ResultPrint, new: ResultPrint) -> ResultDifference | None:
    """The drawn value with the largest error beyond the tolerance; without one, that of the statistics."""
    allowed = max(base.tolerance, new.tolerance)
    worst: ResultDifference | None = None
    elements = math.prod(base.shape)
    for place, expected, actual in zip(base.places, base.values, new.values, strict=False):
        where = tuple(int(index) for index in np.unravel_index(place, base.shape)) if base.shape else ()
        texts = _text(expected), _text(actual)
        if expected is not None and actual is not None:
            error = float(_error(expected, actual))
            if error > allowed and error > (worst.error or 0.0 if worst else 0.0):
                worst = ResultDifference(base.name, VALUE, *texts, where, error, elements=elements)
        elif expected is not actual:
            return ResultDifference(base.name, VALUE, *texts, where, elements=elements)
    return worst or _statistic_difference(base, new, allowed)


def _text(value: int | float | None) -> str:
    return str(value) if isinstance(value, int) else "not finite" if value is None else f"{value:.7g}"


def _statistic_difference(base: ResultPrint, new: ResultPrint, allowed: float) -> ResultDifference | None:
    sums = enumerate(zip(base.sums, new.sums, strict=False))
    for what, expected, actual, limit in (
        ("least value", base.least, new.least, allowed),
        ("largest value", base.largest, new.largest, allowed),
        ("mean", base.mean, new.mean, allowed),
        # float32 adds squares with an error of its own.
        ("root mean square", base.rms, new.rms, allowed + 1e-5 * abs(base.rms)),
        *((f"signed sum {number}", *pair, SUM_DEVIATIONS * allowed) for number, pair in sums),
    ):
        error = _error(expected, actual)
        slack = 0.0 if isinstance(expected, int) and isinstance(actual, int) else 10.0 ** (1 - DIGITS) * abs(expected)
        if error > limit + slack:
            return ResultDifference(base.name, what, _text(expected), _text(actual), error=float(error))
    return None


def _moment_difference(base: ResultPrint, new: ResultPrint) -> ResultDifference | None:
    """The difference of the means, or of the spreads, if it is beyond their standard errors."""
    size = math.prod(base.shape)
    if size < FEW:
        return None
    sides = base, new
    spreads = [math.sqrt(max(0.0, (each.rms - each.mean) * (each.rms + each.mean))) for each in sides]
    error = DEVIATIONS * math.hypot(*spreads) / math.sqrt(size)
    # The error of a spread, about 1 / sqrt(2 n) of it for normal numbers, is larger where some stand far out.
    farthest = (max(each.largest - each.mean, each.mean - each.least) for each in sides)
    reach = max((far / spread for far, spread in zip(farthest, spreads, strict=True) if spread), default=0.0)
    for what, (expected, actual), limit in (
        ("mean", (base.mean, new.mean), error),
        ("standard deviation", spreads, error * max(1.0, math.sqrt(reach))),
    ):
        if abs(expected - actual) > limit:
            texts = f"{expected:.4g}", f"{actual:.4g}"
            return ResultDifference(base.name, what, *texts, error=abs(expected - actual))
    return None
