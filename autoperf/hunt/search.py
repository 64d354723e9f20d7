"""The search of one operator: draws inputs, compares them with neighbours, and finds the causes of outliers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import filterfalse, takewhile

from autoperf.core.case import Case
from autoperf.core.events import CandidateDropped, CandidateFollowed, Sink
from autoperf.core.finding import Finding, Fit, Searched, SearchEnd
from autoperf.core.outcome import PassName
from autoperf.hunt.candidates import CandidateFinder, WaitingList
from autoperf.hunt.contrast import FLOOR_US, MinMicroseconds, views_of
from autoperf.hunt.input_stream import InputStream
from autoperf.hunt.investigator import ALIKE, EXPLAINED, LATE, Investigator
from autoperf.hunt.neighbours import Equivalent, Neighbourhood, OtherSide
from autoperf.hunt.point import Point, PointFactory, fit_model
from autoperf.hunt.stored import finding_key
from autoperf.hunt.timings import InputTimings, Times

# Number of inputs that are timed before the first comparison, and between two fits of the models.
PILOT = 40
REFIT = 32
# Maximum number of inputs compared between two followed candidates. Then the shares of the time for systematic inputs
# before the first candidate is followed, for the pilot, and for the inputs between two candidates. Systematic inputs
# that take longer than HEAVY_US in all passes are compared last, and such candidates are followed last.
BLOCK = 16
SURVEY_SHARE = 0.2
PILOT_SHARE = 0.05
BLOCK_SHARE = 0.05
HEAVY_US = 5000.0
# Samples of each common call; one alone may be disturbed.
COMMON_SAMPLES = 3
# Number of inputs in a row without a candidate that end the search.
MAX_WITHOUT_CANDIDATE = 600
# Time to follow a candidate, even past the deadline but within the limit: an equal part of the remaining time for each
# waiting sort, with a minimum in seconds, and a maximum in seconds or as a share of the remaining time.
MIN_FOLLOWING_SECONDS = 5.0
FOLLOWING_SECONDS = 10.0
FOLLOWING_SHARE = 0.25
# Share of the time after the deadline that is reserved for confirmation.
CONFIRMING_SHARE = 0.5


@dataclass(frozen=True)
class Options:
    """Options of a search.

    `min_ratio` is the minimum ratio of a slow input, `roofline` gives the minimum microseconds of this machine for some
    work in a dtype, and `recorded` are cases to try first. If it `grows`, some draws have more elements than the
    factory's, depending on the time that they take. With an `other_side`, an input is slow if it is slower than on that
    side; other inputs don't count.
    """

    seed: int = 0
    min_ratio: float = 2.0
    roofline: MinMicroseconds | None = None
    equivalents: Sequence[Equivalent] = ()
    recorded: Sequence[Case] = ()
    grows: bool = False
    other_side: OtherSide | None = None


class Search:
    """The search of one operator until the deadline of its timings.

    `searched` is its summary at any time, and `causes` holds the causes of its findings.
    """

    def __init__(self, factory: PointFactory, timings: InputTimings, options: Options, sink: Sink) -> None:
        self._timings, self._options = timings, options
        around = Neighbourhood(factory, options.equivalents, options.other_side)
        self._views = views_of(around, timings, options.min_ratio, options.roofline)
        self._investigator = Investigator(self._views, sink)
        self.causes = self._investigator.causes
        source = random.Random(f"{options.seed}/{factory.operator.name}")  # noqa: S311 - reproducible, not secret
        self._candidates = {pass_: CandidateFinder(view, source) for pass_, view in self._views.items()}
        self._inputs = InputStream(around, timings, options.seed, source, grows=options.grows)
        self._waiting = WaitingList()
        # Candidates that wait once more, until the family of a known cause shows whether they share it.
        self._alike: set[tuple[str, PassName]] = set()
        self._summary = SearchSummary(factory.operator.name, timings, sink, options.other_side)
        self._begin = timings.clock()
        self._compared = self._without_candidate = 0
        # Number of compared inputs and share of the used time when candidates were last followed.
        self._explored_from = 0, 0.0
        self._ended: SearchEnd = "budget"

    @property
    def confirmed(self) -> Sequence[Finding]:
        """The findings so far, also one of which the other pass isn't confirmed yet."""
        return [cause.finding for cause in self.causes]

    @property
    def common_calls(self) -> list[tuple[Case, Times]]:
        """The operator's canonical inputs that can be run, with their times."""
        timed = ((point.case, self._timings.times(point, COMMON_SAMPLES)) for point in self._inputs.canonical)
        return [(case, times) for case, times in timed if times]

    @property
    def searched(self) -> Searched:
        """The summary so far."""
        # A pass with too few inputs has a poor fit; between two sides there are no models.
        poor = Fit(0.0, len(self._inputs.seen), poor=True)
        passes = () if self._options.other_side else self._timings.passes
        models = {pass_: self._views[pass_].model for pass_ in passes}
        fits = {pass_: model.fit if model else poor for pass_, model in models.items()}
        runs, largest = bool(self._inputs.seen), self._inputs.largest
        return self._summary.searched(self._ended, runs=runs, noun="input", largest=largest, fits=fits)

    def findings(self) -> Iterator[Finding]:
        """Each finding as soon as it is confirmed, and again when its family or passes grow."""
        for point in self._points():
            self._examine(point)
            if self._without_candidate >= MAX_WITHOUT_CANDIDATE:
                self._ended = "quiet"
                return
            if self._is_following_due():
                yield from self._followed_in_turn()
                self._explored_from = self._compared, self._used_share()
        yield from self._followed_in_turn()
        if not self._timings.expired:
            self._ended = "quiet" if self._inputs.seen else "nothing"

    def _points(self) -> Iterator[Point]:
        """The inputs until the deadline; a pilot is timed before the first comparison."""
        points = takewhile(lambda _: not self._timings.expired, self._inputs.points(self._options.recorded))
        pilot: list[Point] = []
        # Only the models need a pilot.
        for _ in range(0 if self._options.other_side else PILOT):
            if self._used_share() >= PILOT_SHARE or (point := next(points, None)) is None:
                break
            pilot += [point] if self._timed(point) else []
        self._refit()
        heavy = list(filter(self._is_heavy, pilot))
        yield from filterfalse(self._is_heavy, pilot)
        for point in points:
            if heavy and self._inputs.is_surveyed:
                yield from heavy
                heavy = []
            yield point
        yield from heavy

    def _is_heavy(self, point: Point) -> bool:
        """Whether an input takes long, so that others are compared and followed first."""
        return self._timings.total_us(point) > HEAVY_US

    def _is_following_due(self) -> bool:
        """Whether enough inputs were compared since candidates were last followed."""
        count, share = self._explored_from
        if not share:
            return self._inputs.is_surveyed or self._used_share() >= SURVEY_SHARE
        return self._compared - count >= BLOCK or self._used_share() - share >= BLOCK_SHARE

    def _used_share(self) -> float:
        whole = self._timings.deadline - self._begin
        return (self._timings.clock() - self._begin) / whole if whole > 0 else 1.0

    def _timed(self, point: Point) -> Times | None:
        times = None if self._timings.expired else self._timings.times(point)
        if times:
            self._inputs.keep(point, times)
        return times

    def _examine(self, point: Point) -> None:
        """Compares an input by the steps of its turn, or by a few random steps; candidates go to the waiting list."""
        self._compared += 1
        if self._compared % REFIT == 0:
            self._refit()
        self._without_candidate += 1
        times, turns = self._timed(point), self._inputs.turns
        steps = turns.taken(point) if point in turns else None
        for pass_ in self._timings.passes if times else ():
            if not times or (times.of(pass_) or 0.0) < FLOOR_US or self.causes.explain(point, pass_):
                continue
            self._summary.compared += 1
            finder = self._candidates[pass_]
            found = finder.candidates(point) if steps is None else finder.candidates_of(point, steps)
            for candidate in filterfalse(self._investigator.explains, found):
                self._waiting.add(replace(candidate, is_heavy=self._is_heavy(candidate.point)))
                self._without_candidate = 0

    def _followed_in_turn(self) -> Iterator[Finding]:
        """Findings of a strong candidate of every new sort, of continued families, then of one other candidate."""
        while not self._timings.expired:
            self._waiting.drop(self._investigator.explains)
            self._waiting.postpone(self.causes)
            is_new = bool(self._waiting.unfollowed_sorts)
            if not is_new and (cause := self._investigator.unfinished):
                with self._limited():
                    finding = self._investigator.continued(cause)
                yield from (finding,) if finding else ()
                continue
            candidate = self._waiting.pop()
            if candidate is None:
                return
            point, pass_ = candidate.point, candidate.pass_
            self._summary.follow(point, pass_, candidate.oracle, candidate.ratio)
            with self._limited():
                result = self._investigator.followed(candidate)
            self._summary.add(point, pass_, result)
            if isinstance(result, Finding):
                yield result
            elif result not in (ALIKE, EXPLAINED, LATE):
                self._candidates[pass_].misled(candidate)
            elif result == ALIKE and (point.key, pass_) not in self._alike:
                self._alike.add((point.key, pass_))
                self._waiting.add(candidate)
            if not is_new:
                return

    @contextmanager
    def _limited(self) -> Iterator[None]:
        """Limits the time for a candidate or a family."""
        deadline, now = self._timings.deadline, self._timings.clock()
        latest = self._timings.limit - CONFIRMING_SHARE * self._timings.grace
        left = deadline - now
        most = max(FOLLOWING_SECONDS, FOLLOWING_SHARE * left)
        equal = max(MIN_FOLLOWING_SECONDS, left / (1 + self._waiting.unfollowed_sorts))
        self._timings.deadline = min(latest, now + min(most, equal))
        try:
            yield
        finally:
            self._timings.deadline = deadline

    def _refit(self) -> None:
        """Fits the models to all points that no finding explains; a hunt between two sides has no models."""
        for pass_ in () if self._options.other_side else self._timings.passes:
            timed = [
                (point, us)
                for point in self._inputs.seen.values()
                if not self.causes.explain(point, pass_) and (us := self._views[pass_].time_us(point)) is not None
            ]
            model = fit_model([point for point, _ in timed], [us for _, us in timed])
            if model:
                self._views[pass_].model = model


class SearchSummary:
    """Counts and reports what one operator's search compares, follows and drops, and summarises it at any time."""

    def __init__(self, operator: str, timings: InputTimings, sink: Sink, other_side: OtherSide | None = None) -> None:
        self.compared = self._suspects = self._joined = 0
        self._dropped: Counter[str] = Counter()
        self._found: set[Hashable] = set()
        self._operator, self._timings, self._sink, self._other_side = operator, timings, sink, other_side
        self._begin = timings.clock()

    def follow(self, point: Point, pass_: PassName, oracle: str, strength: float) -> None:
        """Counts a suspect, whose cause is searched now."""
        self._suspects += 1
        self._sink.handle(CandidateFollowed(pass_=pass_, id=point.case.id, oracle=oracle, strength=strength))

    def add(self, point: Point, pass_: PassName, result: Finding | str) -> None:
        """Counts the result of a suspect: a new finding, an earlier one that it widens, or why it is dropped."""
        if isinstance(result, str):
            self._dropped[result] += 1
            self._sink.handle(CandidateDropped(pass_=pass_, id=point.case.id, reason=result))
        elif (key := finding_key(result)) in self._found:
            self._joined += 1
        else:
            self._found.add(key)

    def searched(
        self, ended: SearchEnd, *, runs: bool, noun: str, largest: int = 0, fits: Mapping[PassName, Fit] | None = None
    ) -> Searched:
        """The summary so far; unless it `runs`, each `noun` was refused."""
        timings, reason = self._timings, ""
        if not runs and timings.refused:
            reason = f"no {noun} runs: {timings.refusal}"
        elif runs and self._other_side and not timings.other_runs and self.compared:
            refusal = timings.other_refusal or "the operator has other inputs or parameters there"
            reason = f"no {noun} runs on {self._other_side.words}: {refusal}"
        return Searched(
            operator=self._operator,
            tried=timings.tried,
            refused=timings.refused,
            suspects=self._suspects,
            dropped=self._dropped.total(),
            dropped_for=dict(self._dropped.most_common()),
            joined=self._joined,
            seconds=timings.clock() - self._begin,
            largest=largest,
            fits=dict(fits or {}),
            uncompared=dict(timings.uncompared.most_common()),
            ended=ended,
            reason=reason,
        )
