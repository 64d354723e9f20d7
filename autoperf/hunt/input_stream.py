"""The inputs that a search tries: systematic ones, then draws of several sizes and dtypes, and edits."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence

from autoperf.core.case import Case
from autoperf.hunt.contrast import FLOOR_US, ContrastFinder
from autoperf.hunt.coverage import PairCoverage
from autoperf.hunt.features import Elements
from autoperf.hunt.point import Point
from autoperf.hunt.step_turns import StepTurns
from autoperf.hunt.timings import Times

BLOCK = 8
# Of a systematic input, so many neighbours for each pass are timed at a time.
KINDS_IN_TURN = 6
# One block in so many has another dtype, one in so many has large inputs.
DTYPE_EVERY = 3
LARGE_EVERY = 4
# Only the latest inputs are edited and used for the models.
MAX_SEEN = 2000
# Large draws get larger as long as one of about their size takes less than this, in microseconds of all passes.
LARGE_US = 5000.0
MAX_LARGE = 2**23
# The systematic selection is from so many blocks of so many draws of the natural dtype and of each other one. They are
# as large as an input that takes about so many microseconds of all passes by the canonical inputs, to a power of this.
# In each block there are so many large draws too.
SURVEY_BLOCKS, NATURAL_DRAWS, OTHER_DRAWS = 6, 8, 2
LARGE_DRAWS = 2
SURVEY_US = 2000.0
SURVEY_BASE = 8
MIN_SURVEY = 2**9
# An input with so many times the elements of the largest draw is left out: it takes long, and says little more.
MAX_GROWTH = 8


class InputStream:
    """The inputs of one operator, until `max_stale` draws in a row give nothing new.

    The first ones don't depend on the seed: canonical ones, recorded ones, and few that cover every pair of properties.
    They are in `turns`, with the steps to their neighbours, and come again as long as steps are left. Draws have at
    most the elements of the factory; where `grows`, some are larger, by the time that such inputs take.
    """

    def __init__(
        self, finder: ContrastFinder, seed: int, source: random.Random, *, grows: bool, max_stale: int
    ) -> None:
        self._finder, self._random, self._max_stale = finder, source, max_stale
        self._stream = f"{seed}/{finder.factory.operator.name}"
        self._grows = grows
        self._large = finder.factory.elements
        self._us_per_element = 0.0
        self._is_surveyed = False
        self.seen: dict[str, Point] = {}
        self.turns = StepTurns(finder.factory.rule.dtype, KINDS_IN_TURN * len(finder.timings.passes))
        self.largest = 0

    def points(self, recorded: Sequence[Case]) -> Iterator[Point]:
        """The systematic inputs, those again, then an endless mixture of draws, other dtypes, and edited inputs."""
        systematic: dict[str, Point] = {}
        for point in self._systematic(recorded):
            if point not in self.turns:
                self.turns.add(point, self._finder.all_steps(point))
            systematic[point.key] = point
            yield point
        self._is_surveyed = True
        for _ in range(self.turns.most_visits_left):
            yield from (point for key, point in systematic.items() if key in self.seen and self.turns.is_left(point))
        start, stale = 0, 0
        while stale < self._max_stale and not self._finder.timings.all_refused:
            fresh = [point for point in (*self._drawn(start), *self._edited()) if self._is_new(point)]
            start += BLOCK
            stale = 0 if fresh else stale + BLOCK
            yield from fresh

    @property
    def is_surveyed(self) -> bool:
        """Whether all systematic inputs were given once."""
        return self._is_surveyed

    def keep(self, point: Point, times: Times) -> None:
        """Keeps an input that can be run, for models and edits, and for the size of later ones."""
        self.seen[point.key] = point
        if len(self.seen) > MAX_SEEN:
            del self.seen[next(iter(self.seen))]
        elements, us = int(point.work.elements), times.forward + (times.backward or 0.0)
        self.largest = max(self.largest, elements)
        if us >= FLOOR_US:
            rate = us / max(elements, 1)
            self._us_per_element = min(rate, self._us_per_element or rate)
        if self._grows and 2 * elements > self._large and us < LARGE_US:
            self._large = min(MAX_LARGE, 2 * elements)

    def _systematic(self, recorded: Sequence[Case]) -> Iterator[Point]:
        """The inputs that don't depend on the seed."""
        factory = self._finder.factory
        yield from factory.canonical(factory.rule.dtype)
        yield from (point for case in recorded if (point := factory.from_case(case)))
        yield from self._selected()

    def _is_new(self, point: Point) -> bool:
        return point.key not in self.seen and point.work.elements <= MAX_GROWTH * self._large

    def _selected(self) -> Iterator[Point]:
        """The systematic selection from canonical inputs and blocks of draws, of every dtype, whatever the seed."""
        factory, coverage, elements = self._finder.factory, PairCoverage(), self._survey_elements()
        others = [dtype for dtype in self._finder.dtypes if dtype != factory.rule.dtype]
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
            yield from self._large_draws(number)

    def _large_draws(self, block: int) -> Iterator[Point]:
        """Some large inputs beside a block of the selection, if inputs grow: a cause may lie beyond the caches."""
        factory, count = self._finder.factory, LARGE_DRAWS if self._grows else 0
        stream = f"{factory.operator.name}/large"
        for point in factory.drawn(factory.rule.dtype, stream, count, block * count, self._large) if count else ():
            # Most draws have far less than they may.
            grown = factory.make(Elements().changed(point, self._large))
            yield from [larger for larger in grown if larger and self._is_new(larger)][:1]

    def _light(self, points: Iterable[Point], elements: int) -> list[Point]:
        """The new ones that have at most some times so many elements."""
        light = (point for point in points if point.work.elements <= MAX_GROWTH * elements)
        return list({point.key: point for point in light if self._is_new(point)}.values())

    def _survey_elements(self) -> int:
        """The elements of an input that takes a few times what can be judged, so that a slow one doesn't take long."""
        most = self._finder.factory.elements
        if not self._us_per_element:
            return most
        exponent = math.floor(math.log(SURVEY_US / self._us_per_element, SURVEY_BASE))
        return min(most, max(MIN_SURVEY, round(float(SURVEY_BASE) ** exponent)))

    def _drawn(self, start: int) -> list[Point]:
        factory, block = self._finder.factory, start // BLOCK
        natural = factory.rule.dtype
        dtype = natural if block % DTYPE_EVERY else self._random.choice(self._finder.dtypes)
        large = self._grows and block % LARGE_EVERY == LARGE_EVERY - 1
        elements, name = (self._large, "/large") if large else (factory.elements, "")
        return factory.drawn(dtype, f"{self._stream}/{dtype}{name}", BLOCK, start, elements)

    def _edited(self) -> Iterator[Point]:
        """Earlier inputs, one to three steps away."""
        for point in self._random.sample(list(self.seen.values()), min(2, len(self.seen))):
            edited = point
            for _ in range(self._random.randint(1, 3)):
                steps = self._finder.steps(edited)
                reached = self._finder.neighbour_points(edited, self._random.sample(steps, min(1, len(steps))))
                edited = reached[0][1] if reached else edited
            yield edited
