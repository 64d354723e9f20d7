"""A hunt over operators, or over the calls of a network: shares the budget, keeps the log, adds kernels to findings."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.cases.release import Gradients, read_gradients
from autoperf.cases.selection import Target
from autoperf.core import events
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, UserRuleError
from autoperf.core.events import FindingConfirmed, Notice, OperatorStarted, Sink, Sinks
from autoperf.core.finding import Finding, Searched, SearchEnd
from autoperf.core.machine import Roofline
from autoperf.core.operator import Operator
from autoperf.core.texts import count
from autoperf.hunt.contrast import FLOOR_US, PassView, views_of
from autoperf.hunt.instructions import CodeCounter, CountedSide, CountingSource
from autoperf.hunt.investigator import NOT_CONFIRMED, confirmed_finding
from autoperf.hunt.neighbours import Neighbourhood, equivalents_of
from autoperf.hunt.point import Point, PointFactory
from autoperf.hunt.registry_causes import common_time
from autoperf.hunt.request import HuntRequest
from autoperf.hunt.search import Options, Search, SearchSummary
from autoperf.hunt.sides import FindingKernels, HuntSides
from autoperf.hunt.stored import HuntFolder, finding_key
from autoperf.hunt.timings import InputTimings, Replay, ReplayClock, Times, TimingSource
from autoperf.reports.units import span
from autoperf.rules.rule import Rule

_LATE = "the budget was used up"
_SHORT = "a call so short that its overhead hides the kernel"


class CallSearch:
    """Compares each recorded call with all of its neighbours, or with the other side of a hunt between two.

    No other inputs are tried, and none is simplified. The calls that take most of a network's time come first.
    `searched` is the summary at any time, and `common_calls` has those that run, with the times of all of their calls.
    """

    confirmed: Sequence[Finding] = ()
    """Nothing: each finding is handed on as soon as it is confirmed."""

    def __init__(self, factory: PointFactory, timings: InputTimings, options: Options, sink: Sink) -> None:
        self._factory, self._timings, self._options = factory, timings, options
        self._around = Neighbourhood(factory, options.equivalents, options.other_side)
        self._views = views_of(self._around, timings, options.min_ratio, options.roofline)
        self._summary = SearchSummary(factory.operator.name, timings, sink, options.other_side)
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
            if all((self._views[pass_].time_us(point) or 0.0) < FLOOR_US for pass_ in self._timings.passes):
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
                calls = sum((case.calls or {}).values())
                every = Times(*(calls * (us or 0.0) for us in times))
                self.common_calls.append((point.case, every))
                totals.append((every.total, point))
        return [point for _, point in sorted(totals, key=lambda pair: -pair[0])]

    def _examined(self, point: Point, view: PassView) -> Finding | None:
        if (view.time_us(point) or 0.0) < FLOOR_US:
            return None
        self._summary.compared += 1
        equivalents = [step.kind for step in self._around.equivalent_steps(point)]
        contrast = view.best_contrast(point) or (view.best_contrast(point, equivalents) if equivalents else None)
        if contrast is None:
            return None
        oracle = "side" if contrast.is_between_sides else "neighbour"
        self._summary.follow(point, view.pass_, oracle, contrast.ratio)
        finding = confirmed_finding(view, contrast, point)
        self._summary.add(point, view.pass_, finding or NOT_CONFIRMED)
        # `this call, 3 times in resnet50_v1, batch 1`
        calls = self._calls[point.key].calls or {}
        networks = (f"{count} times in {name}" if count > 1 else f"in {name}" for name, count in calls.items())
        family = f"this call, {'; '.join(networks)}"
        return msgspec.structs.replace(finding, family=family) if finding else None


def is_of_networks(cases: Sequence[Case]) -> bool:
    """Whether there are cases, all of them captured from networks."""
    return bool(cases) and all(case.calls for case in cases)


# Seconds that a candidate may be followed after the search of an operator has ended. The fewest are what a confirmation
# in fresh processes takes, and some to simplify: with less, a hunt of many operators would confirm nothing.
MIN_GRACE_SECONDS = 4.0
MAX_GRACE_SECONDS = 10.0
# Seconds at the end of the budget for the kernels of the last finding, and their maximum as a share of it. Each of the
# two sides starts processes for them, and for the last confirmation.
KERNEL_SECONDS, KERNEL_SHARE = 1.0, 0.05
SIDES_SECONDS, SIDES_SHARE = 6.0, 0.2
# The largest share of the budget that the start may take; the rest of a longer start comes on top.
MAX_START_SHARE = 0.25
# With fewer seconds, the search of an operator hardly starts.
MIN_SECONDS_PER_OPERATOR = 5.0


class SearchTime(NamedTuple):
    """The seconds of an operator's search; the last `grace` of them only follow and confirm candidates."""

    seconds: float
    grace: float


def search_time(remaining: float, operators: int, *, two_sides: bool = False) -> SearchTime:
    """The share of the first of so many operators in the remaining seconds."""
    remaining = max(0.0, remaining)
    share = remaining / operators
    # A candidate may be followed in the time of the next operators, but never beyond the budget. Where no operator is
    # left to use what remains of the grace, it is short.
    grace = min(MAX_GRACE_SECONDS, max(MIN_GRACE_SECONDS, share / 4), remaining / 10)
    seconds, most_share = (SIDES_SECONDS, SIDES_SHARE) if two_sides else (KERNEL_SECONDS, KERNEL_SHARE)
    most = remaining - min(seconds, most_share * remaining)
    return SearchTime(min(max(share / 2, share - grace / 2) + grace, most), grace)


class Hunt:
    """One hunt: every operator gets its share of the remaining seconds."""

    def __init__(
        self,
        sides: HuntSides,
        request: HuntRequest,
        folder: HuntFolder,
        sink: Sink,
        scratch: Path,
        *,
        recorded: Mapping[str, Sequence[Case]] = {},
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._sides, self._request, self._folder, self._scratch = sides, request, folder, scratch
        self._recorded, self._used = recorded, folder.used
        self._release = sides.searched.release
        self._recorder = HuntRecorder(folder, lambda: self.elapsed)
        self._sink = Sinks(self._recorder, sink)
        self._begin = clock() - folder.used
        self._roofline: Roofline | None = None
        self._earlier: dict[str, Searched] = {}
        self.start = self.counting = 0.0
        """Seconds from the begin of the session to that of the search, and of counting after the search."""
        self._gradients: Gradients = {}
        self._timed: Callable[[Finding], Finding] | None = None

    @property
    def elapsed(self) -> float:
        """Seconds of the budget that are used, including those of earlier sessions."""
        return self._clock() - self._begin

    def run(
        self, targets: Sequence[Target], source: TimingSource, roofline: Roofline | None, started: float | None = None
    ) -> bool:
        """Searches all targets. Returns False if interrupted; confirmed findings are in the folder either way.

        `started` is when the session began (in seconds of the clock; default: now): its start is a part of the budget.
        """
        started = self._clock() if started is None else started
        self._timed = source.timed if isinstance(source, CountingSource) else None
        self._roofline = roofline
        self._earlier = {searched.operator: searched for searched in self._folder.searched}
        finished = {name for name, earlier in self._earlier.items() if earlier.ended != "interrupted"}
        left = [target for target in targets if target.operator.name not in finished]
        self._gradients = read_gradients(self._release, left)
        self._start_inference(targets, started)
        if self._request.budget < MIN_SECONDS_PER_OPERATOR * len(left):
            # Not all operators can be searched; the seed decides which, not the alphabet.
            random.Random(self._request.seed).shuffle(left)  # noqa: S311 - reproducible, not secret
        with ExitStack() as stack:
            kernels = FindingKernels(self._sides, self._scratch, stack)
            for number, target in enumerate(left):
                remaining = self._request.budget - self._begin_of(target.operator)
                two_sides = self._sides.other is not None
                searchable = sum(each.rule is not None for each in left[number:])
                share = search_time(remaining, max(1, searchable), two_sides=two_sides)
                if not self._search(target, source, share, kernels):
                    # A resumed hunt searches those that an interruption kept from their turn.
                    for other in (other for other in left[number + 1 :] if other.rule):
                        self._finish(unsearched(other.operator.name, "", "interrupted"))
                    self._sink.handle(events.HuntFinished(complete=False))
                    return False
            complete = not self._request.counters or bool(self._timed) or self._count(stack)
        self._sink.handle(events.HuntFinished(complete=complete))
        return complete

    def _count(self, stack: ExitStack) -> bool:
        """Counts the findings that earlier sessions haven't. Returns False if interrupted."""
        begin = self._clock()
        left = [finding for finding in self._folder.findings.values() if finding.code is None]
        if left:
            self._sink.handle(Notice(f"counting the code of {count(len(left), 'finding')}, in addition to the budget"))
        searched, other = self._sides.searched, self._sides.other
        sides = [CountedSide(side.release.library, side.settings) for side in (searched, other) if side]
        counter = CodeCounter(sides, self._scratch, stack)
        try:
            for counted in filter(None, (self._measured(counter.counted, finding) for finding in left)):
                self._sink.handle(FindingConfirmed(finding=counted))
        except KeyboardInterrupt:
            return False
        finally:
            self.counting = self._clock() - begin
        return True

    def _begin_of(self, operator: Operator) -> float:
        """When the search of an operator begins, in seconds of the budget; that of a resumed one has begun."""
        logged = self._folder.answers.get(operator.name, ())
        return logged[0].at if logged else self.elapsed

    def _start_inference(self, targets: Sequence[Target], started: float) -> None:
        """Starts inference, and the search of the budget; tells what the start takes in addition to the budget."""
        for target in targets:
            # A failure of a user's own rule is reported when the operator is searched.
            with suppress(UserRuleError):
                if target.rule:
                    self._factory(target.operator, target.rule).canonical(target.rule.dtype)
                    break
        now, budget, used = self._clock(), self._request.budget, self._used
        self.start = now - started
        counted = min(self.start, MAX_START_SHARE * max(0.0, budget - used))
        self._begin = now - counted - used
        if self.start - counted >= 1.0:
            beyond = f"{span(self.start - counted)} of them in addition to the budget"
            self._sink.handle(Notice(f"the start took {span(self.start)}, {beyond}"))
        self._sink.handle(events.BudgetStarted(budget, used + counted))

    def _search(self, target: Target, source: TimingSource, share: SearchTime, kernels: FindingKernels) -> bool:
        name = target.operator.name
        if target.rule is None:
            self._finish(unsearched(name, target.reason, "nothing"))
            return True
        if share.seconds <= 0:
            self._finish(unsearched(name, "the budget was used up before its search", "budget"))
            return True
        self._sink.handle(OperatorStarted(name))
        search = self._prepared(target.operator, target.rule, source, share)
        try:
            for finding in search.findings():
                if self._timed:
                    # Counts found it: its own times are taken now, or there are none.
                    timed = self._measured(self._timed, finding)
                else:
                    timed = msgspec.structs.replace(finding, common=common_time(finding, search.common_calls))
                if timed:
                    self._record(timed, kernels)
        except KeyboardInterrupt:
            # What the search had confirmed is kept, before the rest of a finding was measured.
            known = set(map(finding_key, self._folder.findings.values()))
            for finding in () if self._timed else search.confirmed:
                if finding_key(finding) not in known:
                    self._sink.handle(FindingConfirmed(finding=finding))
            self._finish_as(search, ended="interrupted")
            return False
        except UserRuleError as error:
            self._finish_as(search, ended="nothing", reason=str(error))
            return True
        self._finish_as(search)
        return True

    def _measured(self, measure: Callable[[Finding], Finding], finding: Finding) -> Finding | None:
        """The finding with a measurement; None, with a notice, where that fails, which isn't an error of the hunt."""
        try:
            return measure(finding)
        except AutoperfError as error:
            self._sink.handle(Notice(str(error)))
            return None

    def _prepared(self, operator: Operator, rule: Rule, source: TimingSource, share: SearchTime) -> Search | CallSearch:
        name = operator.name
        recorded = self._recorded.get(name, ())
        replay = self._recorder.replay = Replay(self._folder.answers.get(name, ()))
        gradient = self._gradients.get(name)
        backward = all(side.release.backend.differentiates for side in self._sides.ordered)
        backward &= gradient is None or gradient.differentiable is not False
        backward &= not recorded or any(case.has_backward for case in recorded)
        begin = self._begin_of(operator)
        clock, deadline = ReplayClock(replay, begin), begin + share.seconds - share.grace
        number = self._sides.searched.number
        trials = InputTimings(
            source, deadline, self._sink, backward=backward, clock=clock, grace=share.grace, side=number, replay=replay
        )
        request = self._request
        other_side = self._sides.other_side(operator, rule, request.elements)
        # Between two sides no equivalent operator is a contrast.
        others = () if other_side else self._release.registry.operators
        options = Options(
            request.seed,
            request.least,
            self._roofline.min_us if self._roofline else None,
            tuple(equivalents_of(operator, others, self._factory_of)),
            recorded,
            grows=request.elements is None,
            other_side=other_side,
        )
        kind = CallSearch if is_of_networks(recorded) else Search
        return kind(self._factory(operator, rule), trials, options, self._sink)

    def _finish_as(self, search: Search | CallSearch, **changes: str) -> None:
        """Records how the search ended, with these fields in place of its own."""
        searched = msgspec.structs.replace(search.searched, **changes)
        # Its seconds include those of earlier sessions, unless their answers are replayed with their times.
        earlier = None if self._folder.answers.get(searched.operator) else self._earlier.get(searched.operator)
        seconds = searched.seconds + (earlier.seconds if earlier else 0.0)
        self._finish(msgspec.structs.replace(searched, seconds=seconds))

    def _factory_of(self, operator: Operator) -> PointFactory | None:
        rule = self._release.catalog.find(operator)
        return self._factory(operator, rule) if isinstance(rule, Rule) else None

    def _factory(self, operator: Operator, rule: Rule) -> PointFactory:
        return self._sides.searched.factory(operator, rule, self._request.elements)

    def _record(self, finding: Finding, kernels: FindingKernels) -> None:
        same = (each for each in self._folder.findings.values() if finding_key(each) == finding_key(finding))
        # An earlier session may have confirmed it, perhaps with another family, and measured its kernels.
        earlier = next((each for each in same if each.kernels and each.estimate == finding.estimate), None)
        slow, fast = (earlier.kernels, earlier.contrast_kernels) if earlier else ({}, {})
        if earlier is None:
            # A confirmed finding is kept even if the measurement of its kernels is interrupted.
            self._sink.handle(FindingConfirmed(finding=finding))
            self._sink.handle(events.KernelsStarted())
            slow, fast = kernels.of(finding)
        code = earlier.code if earlier else finding.code
        complete = msgspec.structs.replace(finding, kernels=slow, contrast_kernels=fast, code=code)
        self._sink.handle(FindingConfirmed(finding=complete))

    def _finish(self, searched: Searched) -> None:
        self._sink.handle(events.OperatorSearched(searched=searched))


class HuntRecorder:
    """A sink that logs the events of a hunt; `elapsed` returns the used seconds of the budget."""

    def __init__(self, folder: HuntFolder, elapsed: Callable[[], float]) -> None:
        self._folder, self._elapsed = folder, elapsed
        self._operator = ""
        self.replay = Replay()

    def handle(self, event: events.Event) -> None:
        """Writes the event if it belongs to the log, with its time and operator. Raises OutputError."""
        if isinstance(event, OperatorStarted):
            self._operator = event.operator
        elif isinstance(event, events.OfOperator):
            # What the `replay` of an operator's search repeats is in the log already.
            if not self.replay.replaying:
                self._folder.write(msgspec.structs.replace(event, at=self._elapsed(), operator=self._operator))
        elif isinstance(event, events.Logged):
            self._folder.write(msgspec.structs.replace(event, at=self._elapsed()))


def unsearched(operator: str, reason: str, ended: SearchEnd) -> Searched:
    """The summary of an operator of which nothing was searched."""
    return Searched(
        operator=operator, tried=0, refused=0, suspects=0, dropped=0, seconds=0.0, ended=ended, reason=reason
    )
