"""The inputs of a search, and the steps to the neighbours with which each is compared."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from autoperf.core.case import Case
from autoperf.core.operator import Value, is_axis
from autoperf.hunt.contents import patterned_calls
from autoperf.hunt.contrast import FLOOR_US
from autoperf.hunt.edits import axes_given, drafts, rank
from autoperf.hunt.neighbours import CONTENTS, Neighbourhood, Step, is_equivalent
from autoperf.hunt.point import Elements, Point, number_of
from autoperf.hunt.timings import InputTimings, Times
from autoperf.reports.layout import grouped

BLOCK = 8
# Number of neighbours of a systematic input that are timed for each pass at a time.
KINDS_IN_TURN = 6
# One block in DTYPE_EVERY has another dtype, one in LARGE_EVERY has large inputs.
DTYPE_EVERY = 3
LARGE_EVERY = 4
# Number of draws in a row that give nothing new, after which draws end.
MAX_STALE = 600
# Only the latest inputs are edited and used for the models.
MAX_SEEN = 2000
# Large draws grow while one of about their size takes less than this, in microseconds of all passes.
LARGE_US = 5000.0
MAX_LARGE = 2**23
# The systematic selection draws from SURVEY_BLOCKS blocks, each with NATURAL_DRAWS of the natural dtype, OTHER_DRAWS of
# each other dtype and LARGE_DRAWS large ones. The size of the others is estimated from canonical inputs: about
# SURVEY_US microseconds in all passes, with elements rounded to a power of SURVEY_BASE.
SURVEY_BLOCKS, NATURAL_DRAWS, OTHER_DRAWS = 6, 8, 2
LARGE_DRAWS = 2
SURVEY_US = 2000.0
SURVEY_BASE = 8
MIN_SURVEY = 2**9
# Inputs with more than this multiple of the largest draw's elements are left out: they take long and add little.
MAX_GROWTH = 8
Property: TypeAlias = tuple[str, object]
Pair: TypeAlias = frozenset[Property]
# Upper limits of the classes of lengths, and the base of the classes of elements.
LENGTHS = (1, 2, 16, 128, 1024)
ELEMENTS_BASE = 8
# Number of last lengths of a tensor that are properties, beside the first.
LAST_LENGTHS = 2
# Kinds of steps taken at the first visit only: to an equivalent operator, to the natural dtype, to plain contents.
_ALWAYS = ("equivalent", "natural", CONTENTS)
# Number of systematic inputs that are tried with every pattern of contents, and their least time in microseconds.
PATTERNED, PATTERNED_US = 2, 2 * FLOOR_US


class InputStream:
    """The inputs of one operator, until MAX_STALE draws in a row give nothing new.

    The first inputs are independent of the seed: `canonical` and recorded ones, and a few that cover every pair of
    properties. `turns` holds the steps to their neighbours; the inputs are repeated while steps are left. Draws have at
    most the elements of the factory; if it `grows`, some are larger, depending on the time that such inputs take.
    """

    def __init__(
        self, around: Neighbourhood, timings: InputTimings, seed: int, source: random.Random, *, grows: bool
    ) -> None:
        self._around, self._timings, self._random, self._grows = around, timings, source, grows
        self._stream = f"{seed}/{around.factory.operator.name}"
        self._large = around.factory.elements
        self._us_per_element = 0.0
        self.is_surveyed = False
        """Whether all systematic inputs were given once."""
        self.seen: dict[str, Point] = {}
        self.canonical: list[Point] = []
        self.turns = StepTurns(around.factory.rule.dtype, KINDS_IN_TURN * len(timings.passes))
        self.largest = 0

    def points(self, recorded: Sequence[Case]) -> Iterator[Point]:
        """The systematic inputs, repeated while steps are left, then endless draws, other dtypes and edited inputs."""
        systematic: dict[str, Point] = {}
        for point in self._systematic(recorded):
            if point not in self.turns:
                self.turns.add(point, self._around.all_steps(point))
            systematic[point.key] = point
            yield point
        self.is_surveyed = True
        for _ in range(self.turns.most_visits_left):
            yield from (point for key, point in systematic.items() if key in self.seen and self.turns.is_left(point))
        start, stale = 0, 0
        while stale < MAX_STALE and not self._timings.all_refused:
            factory, block = self._around.factory, start // BLOCK
            dtype = factory.rule.dtype if block % DTYPE_EVERY else self._random.choice(self._around.dtypes)
            large = self._grows and block % LARGE_EVERY == LARGE_EVERY - 1
            elements, name = (self._large, "/large") if large else (factory.elements, "")
            drawn = factory.drawn(dtype, f"{self._stream}/{dtype}{name}", BLOCK, start, elements)
            fresh = [point for point in (*drawn, *self._edited()) if self._is_new(point)]
            start += BLOCK
            stale = 0 if fresh else stale + BLOCK
            yield from fresh

    def keep(self, point: Point, times: Times) -> None:
        """Keeps an input that can be run, for models, edits, and the size of later inputs."""
        self.seen[point.key] = point
        if len(self.seen) > MAX_SEEN:
            del self.seen[next(iter(self.seen))]
        elements, us = int(point.work.elements), times.total
        self.largest = max(self.largest, elements)
        if us >= FLOOR_US:
            rate = us / max(elements, 1)
            self._us_per_element = min(rate, self._us_per_element or rate)
        if self._grows and 2 * elements > self._large and us < LARGE_US:
            self._large = min(MAX_LARGE, 2 * elements)

    def _systematic(self, recorded: Sequence[Case]) -> Iterator[Point]:
        """The inputs that are independent of the seed."""
        factory = self._around.factory
        self.canonical = factory.canonical(factory.rule.dtype)
        yield from self.canonical
        for point in map(factory.from_case, recorded):
            if isinstance(point, Point):
                yield point
            else:
                self._timings.leave_out(point)
        yield from self._selected()
        # The largest of these that take neither long nor too little, with each pattern of contents.
        natural = [point for point in self.seen.values() if point.dtype == factory.rule.dtype]
        timed = ((point, self._timings.total_us(point)) for point in natural)
        fitting = [point for point, us in timed if PATTERNED_US <= us <= SURVEY_US * 2]
        for point in sorted(fitting, key=lambda point: -point.work.elements)[:PATTERNED]:
            calls = [(call, point.dtype) for _, _, call in patterned_calls(point)]
            yield from filter(None, factory.make(calls))

    def _is_new(self, point: Point) -> bool:
        return point.key not in self.seen and point.work.elements <= MAX_GROWTH * self._large

    def _selected(self) -> Iterator[Point]:
        """The systematic selection from canonical inputs and blocks of draws, of every dtype, for any seed."""
        factory, coverage, elements = self._around.factory, PairCoverage(), self._around.factory.elements
        if self._us_per_element:
            # An input of so many takes a few times the floor, so that even a slow input takes little time.
            exponent = math.floor(math.log(SURVEY_US / self._us_per_element, SURVEY_BASE))
            elements = min(elements, max(MIN_SURVEY, round(float(SURVEY_BASE) ** exponent)))
        others = [dtype for dtype in self._around.dtypes if dtype != factory.rule.dtype]
        canonical = [point for dtype in others for point in factory.canonical(dtype)]
        yield from coverage.selected(self._light(canonical, elements))
        for number in range(SURVEY_BLOCKS):
            counts = {factory.rule.dtype: NATURAL_DRAWS, **dict.fromkeys(others, OTHER_DRAWS)}
            drawn = [
                point
                for dtype, count in counts.items()
                for point in factory.drawn(dtype, f"{factory.operator.name}/{dtype}", count, number * count, elements)
            ]
            yield from coverage.selected(self._light(drawn, elements))
            # A cause may only show beyond caches. Most draws are far smaller than the limit, so they are enlarged.
            start, stream = number * LARGE_DRAWS, f"{factory.operator.name}/large"
            of_large = (factory.rule.dtype, stream, LARGE_DRAWS, start, self._large)
            for point in factory.drawn(*of_large) if self._grows else ():
                grown = factory.make(Elements().changed(point, self._large))
                yield from [larger for larger in grown if larger and self._is_new(larger)][:1]

    def _light(self, points: Iterable[Point], elements: int) -> list[Point]:
        light = (point for point in points if point.work.elements <= MAX_GROWTH * elements)
        return list({point.key: point for point in light if self._is_new(point)}.values())

    def _edited(self) -> Iterator[Point]:
        for point in self._random.sample(list(self.seen.values()), min(2, len(self.seen))):
            edited = point
            for _ in range(self._random.randint(1, 3)):
                steps = self._around.steps(edited)
                reached = self._around.neighbour_points(edited, self._random.sample(steps, min(1, len(steps))))
                edited = reached[0][1] if reached else edited
            yield edited


class PairCoverage:
    """The pairs of properties that the selected inputs cover (all-pairs coverage)."""

    def __init__(self) -> None:
        self._covered: set[Pair] = set()
        self._parameters: set[str] = set()

    def selected(self, points: Sequence[Point]) -> Iterator[Point]:
        """The points with new pairs, greedily: the point with the most new pairs comes next."""
        self._parameters |= {name for point in points for name in point.call.params}
        left = [(point, pairs(point, self._parameters)) for point in points]
        while left := [(point, new) for point, all_pairs in left if (new := all_pairs - self._covered)]:
            point, new = max(left, key=lambda each: len(each[1]))
            self._covered |= new
            yield point


def pairs(point: Point, parameters: Iterable[str]) -> set[Pair]:
    """Every pair of the point's properties; absent `parameters` have their defaults."""
    return {frozenset(pair) for pair in combinations(properties(point, parameters), 2)}


def properties(point: Point, parameters: Iterable[str]) -> set[Property]:
    """The properties by which kernels select code: dtype, parameters, places of axes, and classes of lengths."""
    found: set[Property] = {
        ("dtype", point.dtype),
        ("rank", rank(point.call)),
        ("elements", round(math.log(max(point.work.elements, 1), ELEMENTS_BASE))),
        *((name, _value_class(point, name)) for name in parameters),
    }
    for name, number, draft in drafts(point.call):
        label, last = f"{name}[{number}]", reversed(draft.shape[-LAST_LENGTHS:])
        found.add((f"{label} stored", draft.storage))
        found |= {(f"{label} first", _length_class(length)) for length in draft.shape[:1]}
        found |= {(f"{label} -{back}", _length_class(length)) for back, length in enumerate(last, 1)}
    return found


def _value_class(point: Point, name: str) -> object:
    """The class of a parameter's value; None where it is absent."""
    value = point.call.params.get(name)
    if is_axis(name) and name in (listed := axes_given(point.call)):
        last = rank(point.call) - 1
        return frozenset("last" if axis == last else "first" if axis == 0 else "middle" for axis in listed[name])
    return tuple(map(_number_class, value)) if isinstance(value, tuple) else _number_class(value)


def _number_class(value: Value) -> object:
    """The sign and the magnitude of a number; any other value is a class of its own."""
    number = None if isinstance(value, str) else number_of(value)
    if number is None:
        return value
    return (math.copysign(1, number), min(3, math.ceil(abs(number)))) if number else 0


def _length_class(length: int) -> int:
    return sum(length > limit for limit in LENGTHS)


class StepTurns:
    """The untried steps from each systematic input, one of each kind.

    They depend on the inputs and their order, but not on any time, so that hunts with different seeds make the same
    comparisons first. The first visit to an input takes a step to an equivalent operator, one to the `natural` dtype in
    place of any other dtype, and `count` of the kinds that first visits took least often; each further visit takes
    `count` other kinds. A kind with several steps takes turns among them.
    """

    def __init__(self, natural: str, count: int) -> None:
        self._natural, self._count = natural, count
        self._turns: Counter[str] = Counter()
        self._visits: dict[str, list[list[Step]]] = {}

    def __contains__(self, point: Point) -> bool:
        """Whether an input was added."""
        return point.key in self._visits

    def add(self, point: Point, steps: Sequence[Step]) -> None:
        """Adds an input with every step from it."""
        by_kind = grouped(steps, self._kind)
        if "natural" in by_kind:
            by_kind.pop("dtype", None)
        always = [self._next(by_kind.pop(kind)) for kind in _ALWAYS if kind in by_kind]
        kinds = sorted(by_kind, key=self._turns.__getitem__)
        chosen = [self._next(by_kind[kind]) for kind in kinds]
        visits = [chosen[at : at + self._count] for at in range(0, len(chosen), self._count)] or [[]]
        visits[0] = [*always, *visits[0]]
        self._turns.update(self._kind(step) for step in visits[0])
        self._visits[point.key] = visits

    @property
    def most_visits_left(self) -> int:
        """The largest number of visits left to any input."""
        return max(map(len, self._visits.values()), default=0)

    def is_left(self, point: Point) -> bool:
        """Whether an added input has untaken steps."""
        return bool(self._visits[point.key])

    def taken(self, point: Point) -> list[Step]:
        """Takes the steps of the next visit to an added input; none if all were taken."""
        visits = self._visits[point.key]
        return visits.pop(0) if visits else []

    def _next(self, alike: Sequence[Step]) -> Step:
        return alike[self._turns[self._kind(alike[0])] % len(alike)]

    def _kind(self, step: Step) -> str:
        """The kind for taking turns: equivalent operators share one, and the natural dtype has its own."""
        if is_equivalent(step.kind):
            return "equivalent"
        return "natural" if step.kind == "dtype" and step.dtype == self._natural else step.kind
