"""Searches a network's calls of one operator for those with a faster neighbour, one step away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from autoperf.core.case import Case
from autoperf.core.events import Sink
from autoperf.core.finding import FamilyCheck, Finding, Searched, SearchEnd
from autoperf.core.hunt_events import CandidateDropped, CandidateFollowed
from autoperf.hunt.contrast import FLOOR_US, Contrast, PassView, views_of
from autoperf.hunt.family import Family, LabelledInputs
from autoperf.hunt.generaliser import Generalised
from autoperf.hunt.investigator import NOT_CONFIRMED, Confirmer
from autoperf.hunt.neighbours import Neighbourhood
from autoperf.hunt.point import Point, PointFactory
from autoperf.hunt.search import Options, SearchSummary
from autoperf.hunt.timings import InputTimings, Times

_LATE = "the budget was used up"
_SHORT = "a call so short that its overhead hides the kernel"
_UNCHECKED = FamilyCheck(inside=0, inside_slow=0, outside=0, outside_fast=0)


class CallSearch:
    """Compares each recorded call with all of its neighbours, or with the other side of a hunt between two.

    No other inputs are tried, and none is simplified. The calls that take most of a network's time come first.
    `searched` is the summary at any time, and `common_calls` has those that run, with the times of all of their calls.
    """

    def __init__(self, factory: PointFactory, timings: InputTimings, options: Options, sink: Sink) -> None:
        self._factory, self._timings, self._options, self._sink = factory, timings, options, sink
        equivalents, other_side = options.equivalents, options.other_side
        self._around = Neighbourhood(factory, equivalents, other_side)
        self._views = views_of(self._around, timings, options.min_ratio)
        self._confirmer = Confirmer(self._views, options.roofline)
        self._summary = SearchSummary(factory.operator.name, timings, other_side)
        self._calls: dict[str, Case] = {}
        self.common_calls: list[tuple[Case, Times]] = []
        self._is_complete = False

    @property
    def searched(self) -> Searched:
        """The summary so far."""
        ended: SearchEnd = "budget" if not self._is_complete else "quiet" if self._calls else "nothing"
        return self._summary.searched(ended, runs=bool(self._calls), noun="call")

    def findings(self) -> Iterator[Finding]:
        """A finding for each call and pass that is slower than a neighbour, as soon as it is confirmed."""
        ranked = self._ranked()
        for at, point in enumerate(ranked):
            if self._is_short(point):
                self._timings.leave_out(_SHORT)
                continue
            for pass_ in self._timings.passes:
                if self._timings.expired:
                    self._timings.leave_out(_LATE, len(ranked) - at)
                    return
                finding = self._examined(point, self._views[pass_])
                if finding:
                    yield finding
        self._is_complete = not self._timings.expired

    def _ranked(self) -> list[Point]:
        """The calls that run, by count times time, the longest first."""
        totals: list[tuple[float, Point]] = []
        for case in self._options.recorded:
            point = self._factory.from_case(case)
            if isinstance(point, str):
                self._timings.leave_out(point)
            elif self._timings.expired:
                self._timings.leave_out(_LATE)
            elif (times := self._timings.times(point)) is None:
                self._timings.leave_out(self._timings.refusal)
            else:
                self._calls[point.key] = case
                every = Times(*(_count(case) * (us or 0.0) for us in times))
                self.common_calls.append((point.case, every))
                totals.append((every.total, point))
        return [point for _, point in sorted(totals, key=lambda pair: -pair[0])]

    def _is_short(self, point: Point) -> bool:
        return all((self._timings.time_us(point, pass_) or 0.0) < FLOOR_US for pass_ in self._timings.passes)

    def _examined(self, point: Point, view: PassView) -> Finding | None:
        if (view.time_us(point) or 0.0) < FLOOR_US:
            return None
        self._summary.compared += 1
        contrast = view.best_contrast(point) or self._by_equivalents(point, view)
        if contrast is None:
            return None
        self._summary.suspects += 1
        oracle = "side" if contrast.is_between_sides else "neighbour"
        id_ = point.case.id
        self._sink.handle(CandidateFollowed(pass_=view.pass_, id=id_, oracle=oracle, strength=contrast.ratio))
        finding = self._confirmer.finding(contrast, point, _alone(contrast))
        self._summary.add(finding or NOT_CONFIRMED)
        if finding is None:
            self._sink.handle(CandidateDropped(pass_=view.pass_, id=id_, reason=NOT_CONFIRMED))
            return None
        return msgspec.structs.replace(finding, family=self._words(point), check=None)

    def _by_equivalents(self, point: Point, view: PassView) -> Contrast | None:
        steps = [] if self._around.other_side else self._around.equivalent_steps(point)
        return view.best_contrast(point, [step.kind for step in steps]) if steps else None

    def _words(self, point: Point) -> str:
        """The networks that make the call, with counts: `this call, 3 times in resnet50_v1, batch 1`."""
        calls = self._calls[point.key].calls or {}
        networks = (f"{count} times in {name}" if count > 1 else f"in {name}" for name, count in calls.items())
        return f"this call, {'; '.join(networks)}"


def is_of_networks(cases: Sequence[Case]) -> bool:
    """Whether there are cases, all of them captured from networks."""
    return bool(cases) and all(case.calls for case in cases)


def _count(case: Case) -> int:
    return sum((case.calls or {}).values())


def _alone(contrast: Contrast) -> Generalised:
    return Generalised(Family(()), _UNCHECKED, LabelledInputs((contrast.slow,), (contrast.fast,)))
