"""Inputs that test a family: variations of the slow input, and fresh draws inside and outside the family."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from autoperf.core.operator import Form, Operator, Value, is_axis
from autoperf.hunt import edits
from autoperf.hunt.conditions import Condition
from autoperf.hunt.contents import of_dtype, patterned_calls, patterns_of
from autoperf.hunt.edits import Dimension
from autoperf.hunt.family import Family, LabelledInputs
from autoperf.hunt.features import Elements
from autoperf.hunt.neighbours import Neighbourhood
from autoperf.hunt.point import Point, TypedCall
from autoperf.hunt.timings import InputTimings
from autoperf.rules.rule import Inputs

BLOCK = 4
# Maximum number of blocks; a family of very special inputs may have fewer.
MAX_BLOCKS = 24
# Maximum number of edits of the slow input in one draw.
MAX_EDITS = 3
# Maximum number of calls that inference completes to meet one condition.
MAX_CALLS = 6
# Maximum elements of an input, as a multiple of the slow one's and in absolute terms, since large inputs take long to
# fill; LARGE_GROWTH is the multiple if the slow one is larger than draws are.
MAX_GROWTH = 32
MIN_LIMIT = 2**16
LARGE_GROWTH = 4
SMALL = 64
GROWTHS = (1, 1, 2, 4)
# Maximum number of values tried for a parameter with many choices.
MAX_CHOICES = 3


class FreshDraws:
    """New inputs, not among the `known` ones; `stream` names their seed, and continues where it stopped."""

    def __init__(
        self, around: Neighbourhood, timings: InputTimings, simplest: Point, stream: str, known: LabelledInputs
    ) -> None:
        self._around, self._timings, self._simplest, self._stream = around, timings, simplest, stream
        self._random = random.Random(stream)  # noqa: S311 - reproducible, not secret
        self._start = 0
        self._used = {point.key for point in (simplest, *known.slow, *known.fast)}
        self._max_elements = max_elements(simplest, around.factory.elements)

    def inside(self, family: Family) -> Iterator[Point]:
        """Inputs of the family: draws changed to meet its conditions, and edits of the slow input."""
        for point in self._blocks():
            meeting = self._changed(point, family.conditions)
            if meeting and family.holds(meeting) and self._is_new(meeting):
                yield meeting

    def outside(self, family: Family) -> Iterator[Point]:
        """Inputs outside the family: draws, and inputs that fail only one of its conditions."""
        for number, point in enumerate(self._blocks()):
            other = self._failing(point, family, number) if number % 2 and family.conditions else point
            if other and not family.holds(other) and self._is_new(other):
                yield other

    def _is_new(self, point: Point) -> bool:
        fresh = point.key not in self._used
        self._used.add(point.key)
        return fresh

    def _blocks(self) -> Iterator[Point]:
        """Draws of the rule and edits of the slow input, in turn."""
        for block in range(MAX_BLOCKS):
            if self._timings.expired:
                return
            yield from self._drawn(block) if block % 2 == 0 else self._edited()

    def _drawn(self, block: int) -> list[Point]:
        natural = self._around.factory.rule.dtype
        dtype = natural if block % 3 else self._random.choice([self._simplest.dtype, *self._around.dtypes])
        start, self._start = self._start, self._start + BLOCK
        # Small draws stay within the limit when a condition needs a long dimension.
        elements = max(1, round(self._max_elements) // (SMALL if block % 4 else 1))
        drawn = self._around.factory.drawn(dtype, f"{self._stream}/{dtype}", BLOCK, start, elements)
        return [self._grown(point) if number % 2 else point for number, point in enumerate(drawn)]

    def _grown(self, point: Point) -> Point:
        """The input with the slow one's elements or a small multiple of them, since too small an input has no label."""
        elements = Elements()
        if (elements.of(point) or 0) >= (wanted := elements.of(self._simplest) or 0):
            return point
        times = self._random.choice(GROWTHS)
        made = self._around.factory.make(elements.changed(point, round(times * wanted)))
        return next((larger for larger in made if larger and larger.work.elements <= self._max_elements), point)

    def _edited(self) -> Iterator[Point]:
        for _ in range(BLOCK):
            edited = self._simplest
            for _ in range(self._random.randint(1, MAX_EDITS)):
                steps = self._around.steps(edited)
                chosen = [self._random.choice(steps)] if steps else []
                edited = next((point for _, point in self._around.neighbour_points(edited, chosen)), edited)
            yield edited

    def _changed(self, point: Point, conditions: tuple[Condition, ...]) -> Point | None:
        """The input changed to meet each condition in turn; None where one can't be met."""
        for condition in conditions:
            if condition.holds(point):
                continue
            meeting = self._first(condition, point, meets=True)
            if meeting is None:
                return None
            point = meeting
        return point

    def _failing(self, point: Point, family: Family, number: int) -> Point | None:
        """An input of the family, changed to fail one of its conditions."""
        meeting = self._changed(point, family.conditions)
        if meeting is None:
            return None
        condition = family.conditions[number // 2 % len(family.conditions)]
        return self._first(condition, meeting, meets=False)

    def _first(self, condition: Condition, point: Point, *, meets: bool) -> Point | None:
        """The first valid variant of an input that meets the condition, or fails it."""
        calls = condition.variants(point, meets=meets)
        chosen = self._random.sample(calls, min(MAX_CALLS, len(calls)))
        points = self._around.factory.make(chosen)
        fitting = (made for made in points if made and made.work.elements <= self._max_elements)
        return next((made for made in fitting if condition.holds(made) is meets), None)


def max_elements(simplest: Point, limit: int) -> float:
    """The maximum number of elements of inputs compared with a slow one; `limit` is the maximum of draws."""
    return max(LARGE_GROWTH * simplest.work.elements, min(limit, max(MAX_GROWTH * simplest.work.elements, MIN_LIMIT)))


def variations(point: Point, operator: Operator, dtypes: Sequence[str]) -> Iterator[tuple[TypedCall, ...]]:
    """Every other value of one coordinate, axes and parameters first; each as alternative calls.

    The first call that inference accepts is used.
    """
    for calls in (*_axes(point.call), *_params(point.call, operator), *_sizes(point.call)):
        yield tuple((call, point.dtype) for call in calls)
    for dtype in dtypes:
        if dtype != point.dtype:
            yield ((of_dtype(point.call, point.dtype, dtype), dtype),)
    for _, _, call in patterned_calls(point, tuple(patterns_of(point.call))) if patterns_of(point.call) else ():
        yield ((call, point.dtype),)


def _axes(call: Inputs) -> Iterator[list[Inputs]]:
    """Each other axis, also with an additional dimension, which distinguishes the last axis from the second."""
    for wide in (call, edits.with_axis(call)):
        for name, listed in edits.axes_given(wide).items() if wide else ():
            for axis in range(edits.rank(wide)) if wide else ():
                if wide and (axis,) != listed:
                    yield [edits.with_axes(wide, {name: (axis,)})]


def _params(call: Inputs, operator: Operator) -> Iterator[list[Inputs]]:
    for name, value in call.params.items():
        if is_axis(name):
            continue
        yield [edits.without(call, name)]
        for other in other_values(operator, name, value):
            yield [edits.with_param(call, name, other)]


def other_values(operator: Operator, name: str, value: Value) -> Sequence[Value]:
    """Other values of a parameter: adjacent ones, multiples and the negative; for a tuple, one entry changes."""
    known = operator.parameter(name)
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str) and known and known.type.form is Form.ENUM:
        return [choice for choice in known.type.choices if choice != value][:MAX_CHOICES]
    if type(value) is int:
        return [value + 1, 2 * value + 2, 1, *([value - 1, value // 2] if value > 1 else [])]
    if isinstance(value, float):
        return [2 * value + 1, value / 2, -value]
    if isinstance(value, tuple):
        return [
            (*value[:at], other, *value[at + 1 :])
            for at, entry in enumerate(value)
            if type(entry) is int
            for other in ((1, entry + 1, 2 * entry) if entry > 1 else (entry + 1, 4 * entry + 4))
        ]
    return []


def _sizes(call: Inputs) -> Iterator[list[Inputs]]:
    """Each length shorter, longer and odd, alone and with the longest other dimension in proportion; one axis more."""
    for dimension in edits.dimensions(call):
        for new in _lengths(edits.extent(call, dimension)):
            yield edits.resized(call, dimension, new)
            if kept := _kept_volume(call, dimension, new):
                yield kept
    if wider := edits.with_axis(call):
        yield [wider]
        yield from _folded(wider)


def _folded(wider: Inputs) -> Iterator[list[Inputs]]:
    """The call with a new first dimension split off the next one: equal elements in another shape."""
    for name, number, axis in edits.dimensions(wider):
        second = (name, number, 1)
        old = edits.extent(wider, second) if axis == 0 and second in edits.dimensions(wider) else 1
        for new in (new for new in (2, 32, old // 2) if 1 < new < old):
            taller = edits.resized(wider, (name, number, 0), new)
            yield [both for each in taller for both in edits.resized(each, second, old // new)]


def _lengths(old: int) -> list[int]:
    lengths = (1, old // 2, old - 1, old + 1, 2 * old, 3 * old, 4 * old)
    return [new for new in dict.fromkeys(lengths) if new > 0 and new != old]


def _kept_volume(call: Inputs, dimension: Dimension, new: int) -> list[Inputs]:
    """The call with a new length and about equal elements; empty where no other dimension allows that."""
    old = edits.extent(call, dimension)
    others = [other for other in edits.dimensions(call) if other[:2] == dimension[:2] and other != dimension]
    longest = max(others, key=lambda other: edits.extent(call, other), default=None)
    if longest is None or new == old:
        return []
    length = round(edits.extent(call, longest) * old / new)
    if length < 1 or length == edits.extent(call, longest):
        return []
    return [both for each in edits.resized(call, dimension, new) for both in edits.resized(each, longest, length)]
