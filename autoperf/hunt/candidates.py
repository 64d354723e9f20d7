"""Candidates: inputs that seem slow, by a neighbour, by the cost model, or by an equivalent operator."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from autoperf.core.outcome import PassName
from autoperf.hunt.contrast import TOLERANCE, ContrastFinder
from autoperf.hunt.neighbours import OTHER_SIDE, Step, is_equivalent, related_kinds
from autoperf.hunt.point import Point

# Neighbours timed for each input.
NEIGHBOURS_TRIED = 4
# The cost model is ignored in a dtype after so many candidates of it that weren't confirmed.
MAX_MISLED = 4


@dataclass(frozen=True)
class Candidate:
    """A slow point, the kinds of steps to a faster neighbour (none: the cost model alone), and the ratio."""

    point: Point
    kinds: tuple[str, ...]
    ratio: float

    @property
    def kind(self) -> str:
        """The likeliest kind of step; empty for the cost model."""
        return self.kinds[0] if self.kinds else ""

    @property
    def oracle(self) -> str:
        """What reported it."""
        if self.kind == OTHER_SIDE:
            return "side"
        return "kin" if is_equivalent(self.kind) else "neighbour" if self.kinds else "model"


class CandidateFinder:
    """Finds candidates of one operator by quick timings of an input and a few of its neighbours."""

    def __init__(self, finder: ContrastFinder, source: random.Random) -> None:
        self._finder, self._random = finder, source
        self._misled: Counter[tuple[str, PassName]] = Counter()

    def candidate(self, point: Point, pass_: PassName) -> Candidate | None:
        """The slower of the point and a neighbour, or the point if it exceeds the model or an equivalent operator.

        Between two sides it is the point, if that is slower than on the other side.
        """
        steps = self._sampled_steps(self._finder.contrast_steps(point))
        for step, other in self._finder.neighbour_points(point, steps):
            for suspect, neighbour in ((point, other), (other, point))[: 1 if self._finder.other_side else 2]:
                ratio = self._finder.step_ratio(suspect, step, neighbour, pass_)
                if ratio >= TOLERANCE * self._finder.min_ratio:
                    return Candidate(suspect, related_kinds(step.kind), ratio)
        if (excess := self._excess(point, pass_)) >= self._finder.min_ratio:
            return Candidate(point, (), excess)
        return self._slower_than_an_equivalent(point, pass_)

    def dropped(self, candidate: Candidate, pass_: PassName) -> None:
        """Remembers that a candidate wasn't confirmed."""
        self._misled[candidate.point.dtype, pass_] += candidate.oracle == "model"

    def _excess(self, point: Point, pass_: PassName) -> float:
        """By what factor an input exceeds the cost model; 0 where the model is poor or was wrong repeatedly."""
        model, times = self._finder.models.get(pass_), self._finder.timings.times(point)
        us = times.of(pass_) if times else None
        if not model or not us or model.fit.poor or self._misled[point.dtype, pass_] >= MAX_MISLED:
            return 0.0
        return model.excess(point, us)

    def _slower_than_an_equivalent(self, point: Point, pass_: PassName) -> Candidate | None:
        """The point, if one equivalent operator, chosen at random, is faster."""
        steps = self._finder.equivalent_steps(point)
        chosen = [self._random.choice(steps)] if steps else []
        for step, other in self._finder.neighbour_points(point, chosen):
            ratio = self._finder.step_ratio(point, step, other, pass_)
            if ratio >= self._finder.min_ratio:
                return Candidate(point, related_kinds(step.kind), ratio)
        return None

    def _sampled_steps(self, steps: Sequence[Step]) -> list[Step]:
        """A few steps; every kind is equally likely."""
        kinds = list(dict.fromkeys(step.kind for step in steps))
        chosen = self._random.sample(kinds, min(NEIGHBOURS_TRIED, len(kinds)))
        return [self._random.choice([step for step in steps if step.kind == kind]) for kind in chosen]
