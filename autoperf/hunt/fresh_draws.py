"""Fresh inputs from inside and from outside of a family."""

from __future__ import annotations

import random
from collections.abc import Iterator

from autoperf.hunt.conditions import Condition
from autoperf.hunt.contrast import ContrastFinder
from autoperf.hunt.family import Family
from autoperf.hunt.features import Elements
from autoperf.hunt.labelled_inputs import LabelledInputs
from autoperf.hunt.point import Point, TypedCall

BLOCK = 4
# So many blocks are drawn at most; a family of very special inputs may have fewer.
MAX_BLOCKS = 24
# Edits of the slow input that a draw consists of.
MAX_EDITS = 3
# Of the calls that should meet a condition, so many are completed by inference.
MAX_CALLS = 6
# An input has at most so many times the elements of the slow one, or MIN_LIMIT; large ones take long to fill. It may
# have some times as many as a slow one that is larger than draws are.
MAX_GROWTH = 32
MIN_LIMIT = 2**16
LARGE_GROWTH = 4
SMALL = 64
GROWTHS = (1, 1, 2, 4)


class FreshDraws:
    """Inputs that aren't among the `known` ones; `stream` names their seed, and continues where it stopped."""

    def __init__(self, finder: ContrastFinder, simplest: Point, stream: str, known: LabelledInputs) -> None:
        self._finder, self._simplest, self._stream = finder, simplest, stream
        self._random = random.Random(stream)  # noqa: S311 - reproducible, not secret
        self._start = 0
        self._used = {point.key for point in (simplest, *known.slow, *known.fast)}
        self._max_elements = max_elements(simplest, finder.factory.elements)

    def inside(self, family: Family) -> Iterator[Point]:
        """Inputs of the family: draws that are changed to meet its conditions, and edits of the slow input."""
        for point in self._blocks():
            meeting = self._changed(point, family.conditions)
            if meeting and family.holds(meeting) and self._is_new(meeting):
                yield meeting

    def outside(self, family: Family) -> Iterator[Point]:
        """Inputs that aren't of the family: draws, and inputs that fail one of its conditions only."""
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
            if self._finder.timings.expired:
                return
            yield from self._drawn(block) if block % 2 == 0 else self._edited()

    def _drawn(self, block: int) -> list[Point]:
        natural = self._finder.factory.rule.dtype
        dtype = natural if block % 3 else self._random.choice([self._simplest.dtype, *self._finder.dtypes])
        start, self._start = self._start, self._start + BLOCK
        # Small draws stay within the limit when a condition asks for a long dimension.
        elements = max(1, round(self._max_elements) // (SMALL if block % 4 else 1))
        drawn = self._finder.factory.drawn(dtype, f"{self._stream}/{dtype}", BLOCK, start, elements)
        return [self._grown(point) if number % 2 else point for number, point in enumerate(drawn)]

    def _grown(self, point: Point) -> Point:
        """The input with as many elements as the slow one or some times as many: what is too small has no label."""
        elements = Elements()
        if (elements.of(point) or 0) >= (wanted := elements.of(self._simplest) or 0):
            return point
        times = self._random.choice(GROWTHS)
        made = self._finder.factory.make(elements.changed(point, round(times * wanted)))
        return next((larger for larger in made if larger and larger.work.elements <= self._max_elements), point)

    def _edited(self) -> Iterator[Point]:
        for _ in range(BLOCK):
            edited = self._simplest
            for _ in range(self._random.randint(1, MAX_EDITS)):
                steps = self._finder.steps(edited)
                chosen = [self._random.choice(steps)] if steps else []
                edited = next((point for _, point in self._finder.neighbour_points(edited, chosen)), edited)
            yield edited

    def _changed(self, point: Point, conditions: tuple[Condition, ...]) -> Point | None:
        """The input changed to meet each condition in turn; None where one can't be met."""
        for condition in conditions:
            if condition.holds(point):
                continue
            meeting = self._first(condition, condition.inside(point), True)
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
        return self._first(condition, condition.outside(meeting), False)

    def _first(self, condition: Condition, calls: list[TypedCall], wanted: bool) -> Point | None:
        """The first of the calls that is valid and meets the condition, or doesn't, as wanted."""
        chosen = self._random.sample(calls, min(MAX_CALLS, len(calls)))
        points = self._finder.factory.make(chosen)
        fitting = (point for point in points if point and point.work.elements <= self._max_elements)
        return next((point for point in fitting if condition.holds(point) is wanted), None)


def max_elements(simplest: Point, limit: int) -> float:
    """The largest number of elements of inputs that are compared with a slow one; `limit` is that of draws."""
    return max(LARGE_GROWTH * simplest.work.elements, min(limit, max(MAX_GROWTH * simplest.work.elements, MIN_LIMIT)))
