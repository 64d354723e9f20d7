"""Makes a slow input as simple as it can be while it stays slow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from autoperf.core.operator import Value
from autoperf.core.outcome import PassName
from autoperf.core.tensors import Shape
from autoperf.hunt.contrast import Contrast, ContrastFinder
from autoperf.hunt.neighbours import related_kinds
from autoperf.hunt.point import Point
from autoperf.hunt.tensors import (
    Place,
    changed,
    drafts,
    extent,
    is_axis,
    merged,
    of_dtype,
    places,
    rank,
    resized,
    with_param,
    without,
    without_axis,
)
from autoperf.rules.rule import Inputs

# The share of the logarithm of the first ratio that has to remain: a single threshold keeps what is slow by luck.
HYSTERESIS = 0.7
PLAIN = "float32"

# So many steps away are tried of each simpler input.
MAX_STEPS = 16

Holds = Callable[[Point], Contrast | None]
Sharp = Callable[[Point], bool]
Simplicity = tuple[int, int, int, int, int, int]


def simplicity(point: Point) -> Simplicity:
    """Less is simpler: parameters, tensors, a dtype or storage of one's own, rank, elements, and odd dimensions."""
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


def shrunk(judge: ContrastFinder, found: Contrast, pass_: PassName) -> Contrast:
    """The simplest input that is slow for the same reason, and its contrast; `found` itself if time runs out."""
    found = judge.remeasured(found, pass_)
    least = math.exp(HYSTERESIS * math.log(found.ratio))
    kinds = related_kinds(found.step.kind)

    def holds(point: Point) -> Contrast | None:
        return judge.best(point, pass_, kinds, least=least, most=MAX_STEPS, count=2)

    def sharp(point: Point) -> bool:
        return judge.net_ratio(point, pass_, kinds, MAX_STEPS) < math.sqrt(found.ratio)

    current, before = found, None
    while current is not before and not judge.trials.over:
        before = current
        current = _shorter(judge, _fewer(judge, current, holds), holds, sharp)
    return judge.best(current.slow, pass_, kinds, least=least) or current


def _fewer(judge: ContrastFinder, current: Contrast, holds: Holds) -> Contrast:
    """Without a parameter, a tensor, an axis or a dtype, as long as one of these can go."""
    going = True
    while going and not judge.trials.over:
        going = False
        for call, dtype in reductions(current.slow):
            better = _accepted(judge, current, call, dtype, holds)
            if better:
                current, going = better, True
                break
    return current


def reductions(point: Point) -> Iterator[tuple[Inputs, str]]:
    """Calls that lack something, the plainest first, each with its dtype."""
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
    """A list's first alone, and all but its last."""
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
    """Nearer to zero, of a tuple all at once."""
    if is_axis(name) or isinstance(value, bool) or value is None:
        return []
    if type(value) is int and value > 1:
        return [*dict.fromkeys((1, value // 2, value - 1))]
    if isinstance(value, tuple) and any(type(each) is int and each > 1 for each in value):
        return [tuple(1 if type(each) is int and each > 1 else each for each in value)]
    return []


def _shorter(judge: ContrastFinder, current: Contrast, holds: Holds, sharp: Sharp) -> Contrast:
    """Every dimension as short as it can be: 1, else by powers of two, else by halving what is left in between.

    The latter only where a cliff lies there: where the reason fades, or the time falls below what can be judged, a
    round number says more.
    """
    for place in places(current.slow.call):
        if judge.trials.over or place not in places(current.slow.call):
            continue
        current = _shortened(judge, current, place, holds, sharp)
    return current


def _shortened(judge: ContrastFinder, current: Contrast, place: Place, holds: Holds, sharp: Sharp) -> Contrast:
    """One dimension as short as it can be."""

    def points(size: int) -> Iterator[Point]:
        made = judge.maker.make([(call, current.slow.dtype) for call in resized(current.slow.call, place, size)])
        return (point for point in made if point and _simpler(point, current.slow))

    def held(size: int) -> Contrast | None:
        return next((better for point in points(size) if (better := holds(point))), None)

    low = 1
    if _length(current, place) < 2:
        return current
    if better := held(1):
        return better
    while (size := _power_below(_length(current, place))) > 1:
        better = held(size)
        if better is None:
            low = size
            break
        current = better
    if not all(sharp(point) for point in list(points(low))[:1]):
        return current
    while (high := _length(current, place)) - low > 1 and not judge.trials.over:
        middle = (low + high) // 2
        better = held(middle)
        current, low = (better, low) if better else (current, middle)
    return current


def _length(current: Contrast, place: Place) -> int:
    """Of the slow input; 1 where the dimension has gone."""
    return extent(current.slow.call, place) if place in places(current.slow.call) else 1


def _accepted(judge: ContrastFinder, current: Contrast, call: Inputs, dtype: str, holds: Holds) -> Contrast | None:
    (point,) = judge.maker.make([(call, dtype)])
    if point is None or not _simpler(point, current.slow):
        return None
    return holds(point)


def _simpler(point: Point, than: Point) -> bool:
    """By the order; among equals, by the parameters' sizes."""
    here, there = simplicity(point), simplicity(than)
    return (here, _sizes(point)) < (there, _sizes(than))


def _sizes(point: Point) -> float:
    values = (
        each for value in point.call.params.values() for each in (value if isinstance(value, tuple) else (value,))
    )
    return sum(abs(each) for each in values if type(each) in (int, float))  # type: ignore[misc, arg-type]


def _power_below(number: int) -> int:
    """The largest power of two below a number above 1."""
    return 1 << ((number - 1).bit_length() - 1)


def _odd(shape: Shape) -> int:
    """How many dimensions are neither powers of two nor round decimal numbers."""
    return sum(bool(size & (size - 1)) and size % 10 != 0 for size in shape)
