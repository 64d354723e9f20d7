"""Candidates of slow inputs: how they are found, shortened, explained by known causes, and ordered."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TypeAlias

from autoperf.core.finding import Finding
from autoperf.core.outcome import PassName
from autoperf.hunt import neighbours
from autoperf.hunt.contrast import FLOOR_US, TOLERANCE, Contrast, PassView
from autoperf.hunt.family import Family
from autoperf.hunt.generaliser import Generalised
from autoperf.hunt.point import Elements, Point
from autoperf.reports.layout import grouped

# Two causes are one if more than this share of the slow inputs of either belongs to the other.
MIN_OVERLAP = 0.5


@dataclass(frozen=True)
class Cause:
    """A finding, its generalised family, its contrast, the passes that it slows, and its input as it was found.

    `further` holds unreported families of the same cause that were seen later.
    """

    finding: Finding
    generalised: Generalised
    simplest: Contrast
    passes: tuple[PassName, ...]
    first: Point
    further: tuple[Family, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of step to its contrast."""
        return self.simplest.step.kind

    def explains(self, point: Point, pass_: PassName) -> bool:
        """Whether an input is slow for this cause."""
        # A family that few fresh draws have tested may be far too wide: it explains only its own input.
        families = (self.generalised.family, *self.further) if self.generalised.is_settled else self.further
        is_own = point.key == self.simplest.slow.key
        return pass_ in self.passes and (is_own or any(family.holds(point) for family in families))

    def is_same(self, generalised: Generalised, kind: str) -> bool:
        """Whether most slow inputs of one belong to the other's family, judged by the settled families.

        If neither family is settled, both may be far too wide, so the kinds of steps must be related too. A reported
        family that holds for the simplest input of an unsettled one has the same cause.
        """
        if generalised.is_reported and not self.generalised.is_settled and generalised.family.holds(self.simplest.slow):
            return True
        pairs = (self.generalised, generalised), (generalised, self.generalised)
        settled = [pair for pair in pairs if pair[0].is_settled]
        if not settled and self.kind not in neighbours.related_kinds(kind):
            return False
        settled = settled or list(pairs)
        return max(either.family.share(other.examples.slow) for either, other in settled) > MIN_OVERLAP

    def has_same_inputs(self, generalised: Generalised) -> bool:
        """Whether both families are settled, and most slow inputs of each belong to the other's, for any contrasts."""
        # A family without conditions holds for the inputs of every cause, so it never counts as the same.
        both = self.generalised, generalised
        if not all(each.is_settled and each.family.conditions for each in both):
            return False
        ours, theirs = (each.examples.slow for each in both)
        return min(self.generalised.family.share(theirs), generalised.family.share(ours)) > MIN_OVERLAP

    def is_within(self, generalised: Generalised) -> bool:
        """Whether another, reportable family holds for the simplest input and most others."""
        wider = generalised.family
        if not generalised.is_reported or not wider.holds(self.simplest.slow):
            return False
        ours, theirs = self.generalised, generalised.examples.slow
        return not ours.is_settled or wider.share(ours.examples.slow) > ours.family.share(theirs)


class Causes(list[Cause]):
    """The causes known so far.

    Causes found against equivalent operators explain only such contrasts. The operator's own causes explain both: an
    input that is slower than its neighbours is also slower than an equivalent operator.
    """

    def replace(self, cause: Cause, **changes: object) -> Cause:
        """Changes a known cause and returns the new one."""
        self[self.index(cause)] = changed = replace(cause, **changes)  # type: ignore[arg-type]
        return changed

    def explain(self, point: Point, pass_: PassName, kind: str = "", beside: Cause | None = None) -> bool:
        """Whether a known cause `beside` this one explains an input that is slower by this kind of step."""
        known = (cause for cause in self if neighbours.is_equivalent(kind) or not neighbours.is_equivalent(cause.kind))
        return any(cause.explains(point, pass_) for cause in known if cause is not beside)

    def may_explain(self, point: Point, pass_: PassName) -> bool:
        """Whether an input belongs to the family of a cause, settled or not."""
        known = (cause.generalised.family for cause in self if pass_ in cause.passes)
        return any(family.conditions and family.holds(point) for family in known)

    def same(self, generalised: Generalised, kind: str) -> Cause | None:
        """The known cause that another contrast shows again, in either pass."""
        alike = [cause for cause in self if neighbours.is_equivalent(cause.kind) == neighbours.is_equivalent(kind)]
        others = (cause for cause in self if cause not in alike and cause.has_same_inputs(generalised))
        return next(chain((cause for cause in alike if cause.is_same(generalised, kind)), others), None)

    def related(self, kind: str, pass_: PassName) -> list[Cause]:
        """The causes of a pass whose contrasts are steps of related kinds."""
        return [cause for cause in self if pass_ in cause.passes and cause.kind in neighbours.related_kinds(kind)]


Sort: TypeAlias = tuple[str, ...]
"""The class of a candidate, which candidates of one cause share."""
SortOfPass: TypeAlias = tuple[PassName, Sort]

# Steps that change the proportions of a shape.
ASPECTS = ("aspect", "exchanged", "flatter")
# Neighbours timed for each drawn input.
NEIGHBOURS_TRIED = 4
# Number of unconfirmed candidates after which the cost model is ignored in a dtype.
MAX_MISLED = 4
# A candidate that takes longer than this, in microseconds of all passes, is shortened by these factors if it can be.
LONG_US = 2000.0
FACTORS = (256, 64, 16, 4)
# Number of shorter inputs tried for each factor, and of steps of the candidate's kind for each.
MAX_WAYS, MAX_STEPS = 2, 4
SAMPLES = 2
# Maximum number of waiting candidates of one sort.
MAX_ALIKE = 4
# Minimum ratio of a strong candidate.
STRONG = 2.5


@dataclass(frozen=True)
class Candidate:
    """A point that is slow in a pass, the ratio, the faster neighbour, and the kinds of steps to it.

    Without kinds the cost model alone reported it. A heavy one takes long to time and to follow.
    """

    point: Point
    kinds: tuple[str, ...]
    ratio: float
    pass_: PassName
    fast: Point | None = None
    is_heavy: bool = False

    @property
    def kind(self) -> str:
        """The likeliest kind of step; empty if the cost model alone reported the point."""
        return self.kinds[0] if self.kinds else ""

    @property
    def oracle(self) -> str:
        """The source that reported it."""
        if self.kind == neighbours.OTHER_SIDE:
            return "side"
        return "kin" if neighbours.is_equivalent(self.kind) else "neighbour" if self.kinds else "model"

    @property
    def sort(self) -> SortOfPass:
        """The sort, in this pass."""
        return self.pass_, sort_of(self.kind, self.point.dtype)


class CandidateFinder:
    """Finds candidates of one operator in a pass by quick timings of an input and a few of its neighbours."""

    def __init__(self, view: PassView, source: random.Random) -> None:
        self._view, self._random = view, source
        self._misled: Counter[str] = Counter()
        self._asked: set[str] = set()

    def candidates(self, point: Point) -> list[Candidate]:
        """The slower one of the point and a few random neighbours.

        If there is none, the point itself where it exceeds the cost model, or else an equivalent operator.
        """
        steps = grouped(self._view.around.contrast_steps(point), lambda step: step.kind)
        # Every kind is equally likely.
        kinds = self._random.sample(list(steps), min(NEIGHBOURS_TRIED, len(steps)))
        nearby = islice(self._by_steps(point, [self._random.choice(steps[kind]) for kind in kinds]), 1)
        if known := [*nearby] or self._by_model(point):
            return known
        equivalents = self._view.around.equivalent_steps(point)
        return list(self._by_steps(point, [self._random.choice(equivalents)] if equivalents else []))

    def candidates_of(self, point: Point, steps: Sequence[neighbours.Step]) -> list[Candidate]:
        """The slower one of the point and each neighbour by these steps; the point, if only the model reports it.

        The model is asked once for each point.
        """
        known = list(self._by_steps(point, steps))
        is_asked = point.key in self._asked or any(not neighbours.is_equivalent(candidate.kind) for candidate in known)
        self._asked.add(point.key)
        return known if is_asked else [*self._by_model(point), *known]

    def _by_steps(self, point: Point, steps: Sequence[neighbours.Step]) -> Iterator[Candidate]:
        """The slower one of the point and each neighbour; of another operator, or on another side, only the point."""
        for step, other in self._view.around.neighbour_points(point, steps):
            least = (1.0 if neighbours.is_equivalent(step.kind) else TOLERANCE) * self._view.min_ratio
            # No step leads back from another operator, or to contents, parameters and storage that were left.
            is_one_way = (
                step.equivalent
                or step.kind in (neighbours.CONTENTS, neighbours.DENSE)
                or step.kind.endswith(neighbours.LEFT_OUT)
            )
            for suspect, neighbour in ((point, other), (other, point))[: 1 if is_one_way else 2]:
                ratio = self._view.step_ratio(suspect, step, neighbour)
                if ratio >= least:
                    yield Candidate(suspect, neighbours.related_kinds(step.kind), ratio, self._view.pass_, neighbour)

    def misled(self, candidate: Candidate) -> None:
        """Counts a candidate that isn't slow, or not beside a neighbour."""
        self._misled[candidate.point.dtype] += candidate.oracle == "model"

    def _by_model(self, point: Point) -> list[Candidate]:
        """The point, if it exceeds the cost model, unless that is poor or was wrong repeatedly."""
        model, us = self._view.model, self._view.time_us(point)
        if not model or not us or model.fit.poor or self._misled[point.dtype] >= MAX_MISLED:
            return []
        excess = model.excess(point, us)
        return [Candidate(point, (), excess, self._view.pass_)] if excess >= self._view.min_ratio else []


def sort_of(kind: str, dtype: str) -> Sort:
    """The sort of a slow input of this dtype, by the kind of step to the faster one; "" is the model's kind."""
    if kind in ("dtype", ""):
        return kind, dtype
    groups = (("lengths", neighbours.THRESHOLDS), ("aspect", ASPECTS), ("axes", neighbours.AXES))
    return (next((name for name, group in groups if kind in group), kind.removesuffix(neighbours.LEFT_OUT)),)


def shortened(view: PassView, candidate: Candidate) -> Candidate:
    """The candidate, or the smallest input found that takes less time and still has a faster neighbour."""
    long, elements = candidate.point, Elements()
    if not candidate.kind or view.timings.total_us(long) < LONG_US:
        return candidate
    # Following a candidate times dozens of neighbours, each of which takes about as long as the candidate.
    for factor in FACTORS:
        made = view.around.factory.make(elements.changed(long, round((elements.of(long) or 0) / factor)))
        for point in [each for each in made if each and each.work.elements < long.work.elements][:MAX_WAYS]:
            if view.timings.expired:
                return candidate
            if (view.time_us(point, SAMPLES) or 0.0) < FLOOR_US:
                continue
            steps = [step for step in view.around.all_steps(point) if step.kind == candidate.kind][:MAX_STEPS]
            reached = view.around.neighbour_points(point, steps)
            ratio = max((view.step_ratio(point, step, fast, SAMPLES) for step, fast in reached), default=0.0)
            if ratio >= TOLERANCE * view.min_ratio:
                return replace(candidate, point=point, ratio=ratio, fast=None)
    return candidate


class WaitingList:
    """The candidates of one operator that wait; the next one is of the sort that was followed least often."""

    def __init__(self) -> None:
        self._waiting: dict[SortOfPass, list[Candidate]] = {}
        self._followed: Counter[SortOfPass] = Counter()
        self._postponed: set[SortOfPass] = set()

    def add(self, candidate: Candidate) -> None:
        """Adds a candidate; of too many of one sort, the light and strong ones are kept."""
        alike = [*self._waiting.get(candidate.sort, ()), candidate]
        self._waiting[candidate.sort] = sorted(alike, key=_weakness)[:MAX_ALIKE]

    def pop(self) -> Candidate | None:
        """Takes the next candidate; None if none waits."""
        strongest = {sort: alike[0] for sort, alike in self._waiting.items() if alike}
        if not strongest:
            return None

        def order(sort: SortOfPass) -> tuple[int, bool, bool, float]:
            # Sorts by the model alone come last: most such inputs have another sort too, or no faster neighbour.
            return self._times_followed(sort), not strongest[sort].kind, *_weakness(strongest[sort])

        sort = min(strongest, key=order)
        self._followed[sort] += 1
        return self._waiting[sort].pop(0)

    def drop(self, is_explained: Callable[[Candidate], bool]) -> None:
        """Removes the candidates that a finding explains."""
        for sort, alike in self._waiting.items():
            self._waiting[sort] = [candidate for candidate in alike if not is_explained(candidate)]

    def postpone(self, causes: Iterable[Cause]) -> None:
        """Postpones the sorts that may share one of these causes, which don't explain them; earlier ones are released.

        A reported family holds for all inputs of its cause. Any other may miss inputs of related kinds and, while it is
        unfinished, of all dtypes.
        """
        self._postponed = set()
        for cause in causes:
            family, unfinished = cause.generalised, cause.generalised.check.unfinished
            kinds = (cause.kind,) if family.is_reported and not unfinished else neighbours.related_kinds(cause.kind)
            sorts = {sort_of(kind, cause.simplest.slow.dtype) for kind in kinds}
            names = {name for name, *_ in sorts if unfinished}
            near = {each for each in self._waiting if each[1] in sorts or each[1][0] in names}
            self._postponed |= {each for each in near if each[0] in cause.passes}

    @property
    def unfollowed_sorts(self) -> int:
        """The number of waiting sorts never followed that have a strong candidate, not by the model alone."""
        unfollowed = (alike for sort, alike in self._waiting.items() if not self._times_followed(sort))
        return sum(any(each.kind and each.ratio >= STRONG for each in alike) for alike in unfollowed)

    def _times_followed(self, sort: SortOfPass) -> int:
        """The number of times a sort was followed; a postponement counts as one."""
        return self._followed[sort] + (sort in self._postponed)


def _weakness(candidate: Candidate) -> tuple[bool, float]:
    """A sort key: light candidates first, then strong ones."""
    return candidate.is_heavy, -candidate.ratio
