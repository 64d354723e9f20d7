"""Shrinks a slow input to the simplest one that is still slow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from autoperf.core.operator import Value
from autoperf.core.outcome import PassName
from autoperf.core.tensors import Shape
from autoperf.hunt import edits
from autoperf.hunt.contrast import FLOOR_US, Contrast, ContrastFinder
from autoperf.hunt.edits import Dimension
from autoperf.hunt.neighbours import related_kinds
from autoperf.hunt.point import Point
from autoperf.rules.rule import Inputs

# Minimum share of the initial log ratio that remains; a fixed threshold would keep inputs that are slow by noise.
HYSTERESIS = 0.7
PLAIN = "float32"

# The first length tried for a long dimension should take about the ratio, or at least ENOUGH_FLOORS, times the shortest
# time that can be judged; each next length is LONGER times as long.
ENOUGH_FLOORS = 4
LONGER = 8

# Maximum number of neighbours timed for each simpler input: of the contrast's own kind, then of all kinds.
MAX_OWN_STEPS, MAX_STEPS = 4, 16

FindContrast = Callable[[Point], Contrast | None]
IsCliff = Callable[[Point], bool]
IsOther = Callable[[Point], bool]
Microseconds = Callable[[Point], float | None]
Simplicity = tuple[int, int, int, int, int, int]


@dataclass(frozen=True)
class SimplerInputTests:
    """Tests of a simpler input: its contrast if it is still slow, whether a cliff lies in between, and its time."""

    still_slow: FindContrast
    is_cliff: IsCliff
    us: Microseconds


def simplicity(point: Point) -> Simplicity:
    """A sort key, simple first: parameters, tensors, unusual dtypes and storage, ranks, elements, odd dimensions."""
    shapes = [draft.shape for _, _, draft in edits.drafts(point.call)]
    plain = (point.dtype != PLAIN) + sum(draft.storage != "default" for _, _, draft in edits.drafts(point.call))
    return (
        len(point.call.params),
        len(shapes),
        plain,
        sum(len(shape) for shape in shapes),
        sum(math.prod(shape) for shape in shapes),
        sum(_odd(shape) for shape in shapes),
    )


def shrunk(
    finder: ContrastFinder, contrast: Contrast, pass_: PassName, is_other: IsOther = lambda _: False
) -> Contrast:
    """The contrast of the simplest input that is slow for the same cause; the simplest so far if time runs out.

    `is_other` tests for inputs that are slow for another cause, which are left out.
    """
    contrast = finder.remeasured(contrast, pass_)
    min_ratio = math.exp(HYSTERESIS * math.log(contrast.ratio))
    kinds = related_kinds(contrast.step.kind)

    def still_slow(point: Point) -> Contrast | None:
        if is_other(point):
            return None
        # Most inputs that are still slow have a fast neighbour of the contrast's own kind.
        own = finder.best_contrast(point, pass_, kinds[:1], min_ratio=min_ratio, max_steps=MAX_OWN_STEPS, count=2)
        return own or finder.best_contrast(point, pass_, kinds, min_ratio=min_ratio, max_steps=MAX_STEPS, count=2)

    def is_cliff(point: Point) -> bool:
        return finder.net_ratio(point, pass_, kinds, MAX_STEPS) < math.sqrt(contrast.ratio)

    def us(point: Point) -> float | None:
        return finder.timings.time_us(point, pass_)

    tests = SimplerInputTests(still_slow, is_cliff, us)
    current, before = contrast, None
    while current is not before and not finder.timings.expired:
        before = current
        current = _with_shorter_dimensions(finder, _reduced(finder, current, still_slow), tests)
    return finder.best_contrast(current.slow, pass_, kinds, min_ratio=min_ratio) or current


def _reduced(finder: ContrastFinder, current: Contrast, still_slow: FindContrast) -> Contrast:
    """Applies reductions as long as the input stays slow."""
    reducing = True
    while reducing and not finder.timings.expired:
        reducing = False
        for call, dtype in reductions(current.slow):
            if dtype != current.slow.dtype and dtype not in finder.dtypes:
                # The user excludes this dtype, or the operator refuses it.
                continue
            better = _accepted(finder, current, call, dtype, still_slow)
            if better:
                current, reducing = better, True
                break
    return current


def reductions(point: Point) -> Iterator[tuple[Inputs, str]]:
    """Simpler calls, each with its dtype: fewer parameters, tensors and axes, plain dtypes, smaller values."""
    call, dtype = point.call, point.dtype
    for name in call.params:
        yield edits.without(call, name), dtype
    yield from ((fewer, dtype) for fewer in _fewer_tensors(call))
    if dtype != PLAIN:
        yield edits.of_dtype(call, dtype, PLAIN), PLAIN
    if any(draft.storage != "default" for _, _, draft in edits.drafts(call)):
        yield edits.changed(call, lambda _name, _number, draft: replace(draft, storage="default", density=1.0)), dtype
    yield from ((lower, dtype) for lower in _lower_ranks(call))
    for name, value in call.params.items():
        yield from ((edits.with_param(call, name, smaller), dtype) for smaller in _smaller_values(name, value))


def _fewer_tensors(call: Inputs) -> Iterator[Inputs]:
    """The first tensor of a list alone, and all but its last."""
    for name, given in call.tensors.items():
        if isinstance(given, tuple) and len(given) > 1:
            yield replace(call, tensors={**call.tensors, name: given[:1]})
            yield replace(call, tensors={**call.tensors, name: given[:-1]})


def _lower_ranks(call: Inputs) -> Iterator[Inputs]:
    for axis in range(edits.rank(call)):
        yield from (fewer for fewer in (edits.without_axis(call, axis),) if fewer)
        if axis + 1 < edits.rank(call) and (flatter := edits.merged(call, axis)):
            yield flatter


def _smaller_values(name: str, value: Value) -> list[Value]:
    """Smaller integers; for a tuple, first all entries become 1, then each is halved alone."""
    if edits.is_axis(name) or isinstance(value, bool) or value is None:
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


def _with_shorter_dimensions(finder: ContrastFinder, current: Contrast, tests: SimplerInputTests) -> Contrast:
    """Shortens every dimension: to 1, else to a power of two, else by bisection if there is a cliff.

    Where the ratio declines smoothly, a power of two is the better bound.
    """
    for dimension in edits.dimensions(current.slow.call):
        if finder.timings.expired or dimension not in edits.dimensions(current.slow.call):
            continue
        current = _shortened(finder, current, dimension, tests)
    return current


def _shortened(finder: ContrastFinder, current: Contrast, dimension: Dimension, tests: SimplerInputTests) -> Contrast:
    """Shortens one dimension."""

    def points(size: int) -> Iterator[Point]:
        candidates = finder.factory.make(
            [(call, current.slow.dtype) for call in edits.resized(current.slow.call, dimension, size)]
        )
        return (point for point in candidates if point and _simpler(point, current.slow))

    def slow_at(size: int) -> Contrast | None:
        return next((shorter for point in points(size) if (shorter := tests.still_slow(point))), None)

    low = 1
    if _length(current, dimension) < 2:
        return current
    if shorter := slow_at(1):
        return shorter
    # Large inputs take long, so the first lengths to try are just large enough to be judged.
    enough = (slow_at(size) for size in _enough(finder, current, dimension, tests))
    current = next((shorter for shorter in enough if shorter), current)
    while (size := _power_below(_length(current, dimension))) > 1:
        shorter = slow_at(size)
        if shorter is None:
            low = size
            break
        current = shorter
    if not all(tests.is_cliff(point) for point in list(points(low))[:1]):
        return current
    while (high := _length(current, dimension)) - low > 1 and not finder.timings.expired:
        middle = (low + high) // 2
        shorter = slow_at(middle)
        current, low = (shorter, low) if shorter else (current, middle)
    return current


def _enough(finder: ContrastFinder, current: Contrast, dimension: Dimension, tests: SimplerInputTests) -> Iterator[int]:
    """Much shorter lengths, powers of two, for which the input should still take a few times the floor."""
    us, length = tests.us(current.slow), _length(current, dimension)
    wanted_us = max(ENOUGH_FLOORS, current.ratio) * FLOOR_US
    size = 1 << math.ceil(math.log2(max(1.0, wanted_us / us * length))) if us else length
    while 2 * size < length and not finder.timings.expired:
        yield size
        size *= LONGER


def _length(current: Contrast, dimension: Dimension) -> int:
    """The length in the slow input; 1 where the dimension was removed."""
    return edits.extent(current.slow.call, dimension) if dimension in edits.dimensions(current.slow.call) else 1


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
    """The number of dimensions that are neither powers of two nor multiples of ten."""
    return sum(bool(size & (size - 1)) and size % 10 != 0 for size in shape)
