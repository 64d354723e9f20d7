"""Shrinks a slow input to the simplest one that is still slow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from autoperf.core.operator import Value
from autoperf.core.outcome import PassName
from autoperf.core.tensors import Shape
from autoperf.hunt.contrast import FLOOR_US, Contrast, ContrastFinder
from autoperf.hunt.neighbours import related_kinds
from autoperf.hunt.point import Point
from autoperf.hunt.tensors import (
    Dimension,
    changed,
    dimensions,
    drafts,
    extent,
    is_axis,
    merged,
    of_dtype,
    rank,
    resized,
    with_param,
    without,
    without_axis,
)
from autoperf.rules.rule import Inputs

# The share of the initial log ratio that must remain; a fixed threshold would keep inputs that are slow by noise.
HYSTERESIS = 0.7
PLAIN = "float32"

# The slow input that is tried first takes about so many times the shortest time that can be judged.
ENOUGH_FLOORS = 4

# How many neighbours of each simpler input are timed.
MAX_STEPS = 16

FindContrast = Callable[[Point], Contrast | None]
IsCliff = Callable[[Point], bool]
Simplicity = tuple[int, int, int, int, int, int]


def simplicity(point: Point) -> Simplicity:
    """Less is simpler: parameters, tensors, unusual dtypes and storage, ranks, elements, odd dimensions."""
    shapes = [draft.shape for _, _, draft in drafts(point.call)]
    plain = (point.dtype != PLAIN) + sum(draft.storage != "default" for _, _, draft in drafts(point.call))
    return (
        len(point.call.params),
        len(shapes),
        plain,
        sum(len(shape) for shape in shapes),
        sum(math.prod(shape) for shape in shapes),
        sum(_odd(shape) for shape in shapes),
    )


def shrunk(finder: ContrastFinder, contrast: Contrast, pass_: PassName) -> Contrast:
    """The contrast of the simplest input that is slow for the same cause; the simplest so far if time runs out."""
    contrast = finder.remeasured(contrast, pass_)
    min_ratio = math.exp(HYSTERESIS * math.log(contrast.ratio))
    kinds = related_kinds(contrast.step.kind)

    def still_slow(point: Point) -> Contrast | None:
        return finder.best_contrast(point, pass_, kinds, min_ratio=min_ratio, max_steps=MAX_STEPS, count=2)

    def is_cliff(point: Point) -> bool:
        return finder.net_ratio(point, pass_, kinds, MAX_STEPS) < math.sqrt(contrast.ratio)

    current, before = contrast, None
    while current is not before and not finder.timings.expired:
        before = current
        current = _with_shorter_dimensions(finder, _reduced(finder, current, still_slow), still_slow, is_cliff)
    return finder.best_contrast(current.slow, pass_, kinds, min_ratio=min_ratio) or current


def _reduced(finder: ContrastFinder, current: Contrast, still_slow: FindContrast) -> Contrast:
    """Applies reductions as long as the input stays slow."""
    reducing = True
    while reducing and not finder.timings.expired:
        reducing = False
        for call, dtype in reductions(current.slow):
            better = _accepted(finder, current, call, dtype, still_slow)
            if better:
                current, reducing = better, True
                break
    return current


def reductions(point: Point) -> Iterator[tuple[Inputs, str]]:
    """Simpler calls, each with its dtype: fewer parameters, tensors and axes, plain dtypes, smaller values."""
    call, dtype = point.call, point.dtype
    for name in call.params:
        yield without(call, name), dtype
    yield from ((fewer, dtype) for fewer in _fewer_tensors(call))
    if dtype != PLAIN:
        yield of_dtype(call, dtype, PLAIN), PLAIN
    if any(draft.storage != "default" for _, _, draft in drafts(call)):
        yield changed(call, lambda _name, _number, draft: replace(draft, storage="default", density=1.0)), dtype
    yield from ((lower, dtype) for lower in _lower_ranks(call))
    for name, value in call.params.items():
        yield from ((with_param(call, name, smaller), dtype) for smaller in _smaller_values(name, value))


def _fewer_tensors(call: Inputs) -> Iterator[Inputs]:
    """The first tensor of a list alone, and all but its last."""
    for name, given in call.tensors.items():
        if isinstance(given, tuple) and len(given) > 1:
            yield replace(call, tensors={**call.tensors, name: given[:1]})
            yield replace(call, tensors={**call.tensors, name: given[:-1]})


def _lower_ranks(call: Inputs) -> Iterator[Inputs]:
    for axis in range(rank(call)):
        yield from (fewer for fewer in (without_axis(call, axis),) if fewer)
        if axis + 1 < rank(call) and (flatter := merged(call, axis)):
            yield flatter


def _smaller_values(name: str, value: Value) -> list[Value]:
    """Smaller integers; those of a tuple all at once, then one of them halved."""
    if is_axis(name) or isinstance(value, bool) or value is None:
        return []
    if type(value) is int and value > 1:
        return [*dict.fromkeys((1, value // 2, value - 1))]
    if isinstance(value, tuple) and any(type(item) is int and item > 1 for item in value):
        ones = tuple(1 if type(item) is int and item > 1 else item for item in value)
        halved = [
            (*value[:at], item // 2, *value[at + 1 :])
            for at, item in enumerate(value)
            if type(item) is int and item > 1
        ]
        return [ones, *halved]
    return []


def _with_shorter_dimensions(
    finder: ContrastFinder, current: Contrast, still_slow: FindContrast, is_cliff: IsCliff
) -> Contrast:
    """Shortens every dimension: to 1, else to a power of two, else by bisection.

    It bisects only where there is a cliff; where the ratio declines smoothly, a power of two is the better bound.
    """
    for dimension in dimensions(current.slow.call):
        if finder.timings.expired or dimension not in dimensions(current.slow.call):
            continue
        current = _shortened(finder, current, dimension, still_slow, is_cliff)
    return current


def _shortened(
    finder: ContrastFinder, current: Contrast, dimension: Dimension, still_slow: FindContrast, is_cliff: IsCliff
) -> Contrast:
    """Shortens one dimension."""

    def points(size: int) -> Iterator[Point]:
        candidates = finder.factory.make(
            [(call, current.slow.dtype) for call in resized(current.slow.call, dimension, size)]
        )
        return (point for point in candidates if point and _simpler(point, current.slow))

    def slow_at(size: int) -> Contrast | None:
        return next((shorter for point in points(size) if (shorter := still_slow(point))), None)

    low = 1
    if _length(current, dimension) < 2:
        return current
    if shorter := slow_at(1):
        return shorter
    # Large inputs take long: the first length to try is the one that should be slow enough to tell.
    if (enough := _enough(finder, current, dimension)) and (shorter := slow_at(enough)):
        current = shorter
    while (size := _power_below(_length(current, dimension))) > 1:
        shorter = slow_at(size)
        if shorter is None:
            low = size
            break
        current = shorter
    if not all(is_cliff(point) for point in list(points(low))[:1]):
        return current
    while (high := _length(current, dimension)) - low > 1 and not finder.timings.expired:
        middle = (low + high) // 2
        shorter = slow_at(middle)
        current, low = (shorter, low) if shorter else (current, middle)
    return current


def _enough(finder: ContrastFinder, current: Contrast, dimension: Dimension) -> int | None:
    """A much shorter length, a power of two, with which the input should still take some times the floor."""
    times = finder.timings.times(current.slow)
    length = _length(current, dimension)
    share = ENOUGH_FLOORS * FLOOR_US / times.forward if times else 1.0
    wanted = 1 << math.ceil(math.log2(max(1.0, share * length)))
    return wanted if 2 * wanted < length else None


def _length(current: Contrast, dimension: Dimension) -> int:
    """The length in the slow input; 1 where the dimension was removed."""
    return extent(current.slow.call, dimension) if dimension in dimensions(current.slow.call) else 1


def _accepted(
    finder: ContrastFinder, current: Contrast, call: Inputs, dtype: str, still_slow: FindContrast
) -> Contrast | None:
    (point,) = finder.factory.make([(call, dtype)])
    if point is None or not _simpler(point, current.slow):
        return None
    return still_slow(point)


def _simpler(point: Point, than: Point) -> bool:
    """Compares by simplicity, then by the magnitudes of parameters."""
    order, other_order = simplicity(point), simplicity(than)
    return (order, _sizes(point)) < (other_order, _sizes(than))


def _sizes(point: Point) -> float:
    values = (
        item for value in point.call.params.values() for item in (value if isinstance(value, tuple) else (value,))
    )
    return sum(abs(item) for item in values if type(item) in (int, float))  # type: ignore[misc, arg-type]


def _power_below(number: int) -> int:
    """The largest power of two below a number above 1."""
    return 1 << ((number - 1).bit_length() - 1)


def _odd(shape: Shape) -> int:
    """How many dimensions are neither powers of two nor round decimal numbers."""
    return sum(bool(size & (size - 1)) and size % 10 != 0 for size in shape)
