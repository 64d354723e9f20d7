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
# Neighbours timed for each drawn input.
NEIGHBOURS_TRIED = 4
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
        self._asked: set[tuple[str, PassName]] = set()

    def candidates(self, point: Point, pass_: PassName) -> list[Candidate]:
        """The slower one of the point and a few random neighbours; else the point, if it exceeds the model or else an
        equivalent operator."""
        nearby = islice(self._by_steps(point, self._sampled_steps(self._finder.contrast_steps(point)), pass_), 1)
        if known := [*nearby] or self._by_model(point, pass_):
            return known
        equivalents = self._finder.equivalent_steps(point)
        chosen = [self._random.choice(equivalents)] if equivalents else []
        return list(self._by_steps(point, chosen, pass_))

    def candidates_of(self, point: Point, steps: Sequence[Step], pass_: PassName) -> list[Candidate]:
        """The slower one of the point and each neighbour by these steps; the point, if only the model tells.

        Of an input that comes again with other steps, the model is not asked again.
        """
        known = list(self._by_steps(point, steps, pass_))
        is_asked = (point.key, pass_) in self._asked or any(not is_equivalent(candidate.kind) for candidate in known)
        self._asked.add((point.key, pass_))
        return known if is_asked else [*self._by_model(point, pass_), *known]

    def _by_steps(self, point: Point, steps: Sequence[Step], pass_: PassName) -> Iterator[Candidate]:
        """The slower one of the point and each neighbour; of another operator, or on another side, only the point."""
        for step, other in self._finder.neighbour_points(point, steps):
            least = (1.0 if is_equivalent(step.kind) else TOLERANCE) * self._finder.min_ratio
            for suspect, neighbour in ((point, other), (other, point))[: 1 if step.equivalent else 2]:
                ratio = self._finder.step_ratio(suspect, step, neighbour, pass_)
                if ratio >= least:
                    yield Candidate(suspect, related_kinds(step.kind), ratio, neighbour)

    def dropped(self, candidate: Candidate, pass_: PassName) -> None:
        """Remembers that a candidate wasn't confirmed."""
        self._misled[candidate.point.dtype, pass_] += candidate.oracle == "model"

    def _by_model(self, point: Point, pass_: PassName) -> list[Candidate]:
        """The point, if it exceeds the cost model."""
        excess = self._excess(point, pass_)
        return [Candidate(point, (), excess)] if excess >= self._finder.min_ratio else []

    def _excess(self, point: Point, pass_: PassName) -> float:
        """By what factor an input exceeds the cost model; 0 where the model is poor or was wrong repeatedly."""
        model, times = self._finder.models.get(pass_), self._finder.timings.times(point)
        us = times.of(pass_) if times else None
        if not model or not us or model.fit.poor or self._misled[point.dtype, pass_] >= MAX_MISLED:
            return 0.0
        return model.excess(point, us)

    def _sampled_steps(self, steps: Sequence[Step]) -> list[Step]:
        """A few steps; every kind is equally likely."""
        kinds = list(dict.fromkeys(step.kind for step in steps))
        chosen = self._random.sample(kinds, min(NEIGHBOURS_TRIED, len(kinds)))
        return [self._random.choice([step for step in steps if step.kind == kind]) for kind in chosen]


def sort_of(kind: str, dtype: str) -> Sort:
    """The sort of a slow input of this dtype, by the kind of step to the faster one; kind "" is that of the model."""
    if kind in ("dtype", ""):
        return kind, dtype
    groups = (("lengths", THRESHOLDS), ("aspect", ASPECTS), ("axes", AXES))
    return (next((name for name, group in groups if kind in group), kind.removesuffix(LEFT_OUT)),)
