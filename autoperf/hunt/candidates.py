"""Candidates: inputs that seem slow, by a neighbour, by the cost model, or by an equivalent operator."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from autoperf.core.outcome import PassName
from autoperf.hunt.contrast import TOLERANCE, ContrastFinder
from autoperf.hunt.neighbours import AXES, LEFT_OUT, OTHER_SIDE, THRESHOLDS, Step, is_equivalent, related_kinds
from autoperf.hunt.point import Point

Sort: TypeAlias = tuple[str, ...]
"""What candidates of one cause have in common."""

# Steps that change the proportions of a shape.
ASPECTS = ("aspect", "exchanged", "flatter")
# Neighbours timed for each input.
NEIGHBOURS_TRIED = 4
KINDS_IN_TURN = 6
# The cost model is ignored in a dtype after so many candidates of it that weren't confirmed.
MAX_MISLED = 4


@dataclass(frozen=True)
class Candidate:
    """A slow point, the kinds of steps to a faster neighbour (none: the cost model alone), the ratio, the neighbour."""

    point: Point
    kinds: tuple[str, ...]
    ratio: float
    fast: Point | None = None

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
        self._turns: Counter[str] = Counter()

    def candidates(self, point: Point, pass_: PassName, *, thorough: bool = False) -> list[Candidate]:
        """The slower ones of the point and a few neighbours; the point if it exceeds the model or an equivalent.

        A `thorough` search tries neighbours of all kinds in turn, else it tries a few random ones until one shows a
        candidate. Between two sides the only candidate is the point, if it is slower than on the other side.
        """
        every = self._finder.contrast_steps(point)
        steps = self._in_turn(every) if thorough else self._sampled_steps(every)
        by_neighbours = self._by_neighbours(point, steps, pass_)
        known = list(by_neighbours) if thorough else list(islice(by_neighbours, 1))
        if not known and (excess := self._excess(point, pass_)) >= self._finder.min_ratio:
            known.append(Candidate(point, (), excess))
        if not known or thorough:
            known += self._slower_than_an_equivalent(point, pass_)
        return known

    def _by_neighbours(self, point: Point, steps: Sequence[Step], pass_: PassName) -> Iterator[Candidate]:
        for step, other in self._finder.neighbour_points(point, steps):
            for suspect, neighbour in ((point, other), (other, point))[: 1 if self._finder.other_side else 2]:
                ratio = self._finder.step_ratio(suspect, step, neighbour, pass_)
                if ratio >= TOLERANCE * self._finder.min_ratio:
                    yield Candidate(suspect, related_kinds(step.kind), ratio, neighbour)

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

    def _slower_than_an_equivalent(self, point: Point, pass_: PassName) -> Iterator[Candidate]:
        """The point, if one equivalent operator, chosen at random, is faster."""
        steps = self._finder.equivalent_steps(point)
        chosen = [self._random.choice(steps)] if steps else []
        for step, other in self._finder.neighbour_points(point, chosen):
            ratio = self._finder.step_ratio(point, step, other, pass_)
            if ratio >= self._finder.min_ratio:
                yield Candidate(point, related_kinds(step.kind), ratio, other)

    def _sampled_steps(self, steps: Sequence[Step]) -> list[Step]:
        """A few steps; every kind is equally likely."""
        kinds = list(dict.fromkeys(step.kind for step in steps))
        chosen = self._random.sample(kinds, min(NEIGHBOURS_TRIED, len(kinds)))
        return [self._random.choice([step for step in steps if step.kind == kind]) for kind in chosen]

    def _in_turn(self, steps: Sequence[Step]) -> list[Step]:
        """A step of each kind that was tried least often, another one each time; first to the natural dtype, if any."""
        natural = self._finder.factory.rule.dtype
        chosen = [step for step in steps if step.kind == "dtype" and step.dtype == natural]
        kinds = dict.fromkeys(step.kind for step in steps if not (chosen and step.kind == "dtype"))
        for kind in sorted(kinds, key=self._turns.__getitem__)[: KINDS_IN_TURN - len(chosen)]:
            alike = [step for step in steps if step.kind == kind]
            chosen.append(alike[self._turns[kind] % len(alike)])
            self._turns[kind] += 1
        return chosen


def sort_of(kind: str, dtype: str) -> Sort:
    """The sort of a slow input of this dtype, by the kind of step to the faster one; kind "" is that of the model."""
    if kind in ("dtype", ""):
        return kind, dtype
    groups = (("lengths", THRESHOLDS), ("aspect", ASPECTS), ("axes", AXES))
    return (next((name for name, group in groups if kind in group), kind.removesuffix(LEFT_OUT)),)
