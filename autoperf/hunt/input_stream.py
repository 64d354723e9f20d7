"""The inputs that a search tries: canonical and recorded ones, draws of several sizes and dtypes, and edits."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from autoperf.core.case import Case
from autoperf.hunt.contrast import ContrastFinder
from autoperf.hunt.point import Point
from autoperf.hunt.timings import Times

BLOCK = 8
# One block in so many has another dtype, one in so many has large inputs.
DTYPE_EVERY = 3
LARGE_EVERY = 4
# Only the latest inputs are edited and used for the models.
MAX_SEEN = 2000
# Large draws get larger as long as one of about their size takes less than this, in microseconds of all passes.
LARGE_US = 5000.0
MAX_LARGE = 2**23


class InputStream:
    """The inputs of one operator, until `max_stale` draws in a row give nothing new.

    Draws have at most the elements of the factory; where `grows`, some are larger, by the time that such inputs take.
    """

    def __init__(
        self, finder: ContrastFinder, seed: int, source: random.Random, *, grows: bool, max_stale: int
    ) -> None:
        self._finder, self._random, self._max_stale = finder, source, max_stale
        self._stream = f"{seed}/{finder.factory.operator.name}"
        self._grows = grows
        self._large = finder.factory.elements
        self.seen: dict[str, Point] = {}
        self.largest = 0

    def points(self, recorded: Sequence[Case]) -> Iterator[Point]:
        """Canonical and recorded inputs, then an endless mixture of draws, other dtypes, and edited inputs."""
        factory = self._finder.factory
        yield from factory.canonical(factory.rule.dtype)
        yield from (point for case in recorded if (point := factory.from_case(case)))
        start, stale = 0, 0
        while stale < self._max_stale and not self._finder.timings.all_refused:
            fresh = [point for point in (*self._drawn(start), *self._edited()) if point.key not in self.seen]
            start += BLOCK
            stale = 0 if fresh else stale + BLOCK
            yield from fresh

    def keep(self, point: Point, times: Times) -> None:
        """Keeps an input that can be run, for models and edits, and for the size of later ones."""
        self.seen[point.key] = point
        if len(self.seen) > MAX_SEEN:
            del self.seen[next(iter(self.seen))]
        elements = int(point.work.elements)
        self.largest = max(self.largest, elements)
        if self._grows and 2 * elements > self._large and times.forward + (times.backward or 0.0) < LARGE_US:
            self._large = min(MAX_LARGE, 2 * elements)

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
