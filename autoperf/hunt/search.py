"""The search of one operator: draws inputs, compares them with neighbours, and finds the cause of outliers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile

import msgspec

from autoperf.core.case import Case
from autoperf.core.events import BestChanged, CandidateDropped, CandidateFollowed, Sink
from autoperf.core.finding import Estimate, Evidence, Finding, Fit, Searched
from autoperf.core.outcome import PassName
from autoperf.core.work import Work
from autoperf.executor.messages import PairedTimes
from autoperf.hunt.contrast import FLOOR_US, TOLERANCE, Contrast, ContrastFinder
from autoperf.hunt.equivalents import Equivalent
from autoperf.hunt.family import Family, generalised
from autoperf.hunt.model import Model, fit_model
from autoperf.hunt.neighbours import Step, related_kinds
from autoperf.hunt.point import Point, PointFactory
from autoperf.hunt.ratio import MIN_PAIRS, ratio_of
from autoperf.hunt.shrinker import shrunk
from autoperf.hunt.timings import InputTimings, Times
from autoperf.results.intervals import median_interval

BLOCK = 8
# Inputs that are timed before the first comparison, and after how many the models are fitted again.
PILOT = 40
REFIT = 32
# Only the latest inputs are edited and used for the models.
MAX_SEEN = 2000
# Neighbours timed for each input; so many inputs in a row without a candidate end the search.
NEIGHBOURS_TRIED = 4
MAX_WITHOUT_CANDIDATE = 600
# Extra time to investigate a candidate after the deadline, as far as the limit allows.
FOLLOWING_SECONDS = 10.0
# The share of the time after the deadline that is left for the confirmation.
CONFIRMING_SHARE = 0.5
CONFIRMING_ROUNDS = 25
# Evidence is recorded from this ratio on.
MIN_EVIDENCE = 1.2
EQUIVALENT_ROUNDS = 9
# A failed confirmation is repeated once.
CONFIRMATIONS = 2
# A confirmed ratio may fall short of the minimum by this factor.
MIN_CONFIRMED_SHARE = 0.95
# The interval of a confirmed ratio must lie above the minimum ratio to this power.
MIN_LOW_EXPONENT = 0.6


@dataclass(frozen=True)
class Options:
    """Options of a search. `min_ratio` is the ratio from which an input is slow, `roofline` gives the minimum
    microseconds of this machine for some work in a dtype, `recorded` are cases to try first."""

    seed: int = 0
    min_ratio: float = 2.0
    roofline: Callable[[Work, str], float] | None = None
    equivalents: Sequence[Equivalent] = ()
    recorded: Sequence[Case] = ()


@dataclass(frozen=True)
class _Candidate:
    """A slow point, the kinds of steps to a faster neighbour (none: the cost model alone), and the ratio."""

    point: Point
    kinds: tuple[str, ...]
    ratio: float


@dataclass(frozen=True)
class _KnownCause:
    """A finding, its family, the kind of step to its contrast, and that contrast."""

    finding: Finding
    family: Family
    kind: str
    fast: Point


class Search:
    """The search of one operator until the deadline of its timings; `searched` is its summary at any time."""

    def __init__(self, factory: PointFactory, timings: InputTimings, options: Options, sink: Sink) -> None:
        self._factory, self._timings, self._options = factory, timings, options
        self._models: dict[PassName, Model] = {}
        self._finder = ContrastFinder(timings, factory, self._models, options.min_ratio)
        self._random = random.Random(f"{options.seed}/{factory.operator.name}")  # noqa: S311 - reproducible, not secret
        self._causes: list[_KnownCause] = []
        self._seen: dict[str, Point] = {}
        self._begin = timings.clock()
        self._suspects = self._dropped = self._without_candidate = 0
        self._sink = sink
        self._ended = "budget"

    @property
    def searched(self) -> Searched:
        """The summary so far."""
        return Searched(
            operator=self._factory.operator.name,
            tried=self._timings.tried,
            refused=self._timings.refused,
            suspects=self._suspects,
            dropped=self._dropped,
            seconds=self._timings.clock() - self._begin,
            fits={pass_: model.fit for pass_, model in self._models.items()} | self._poor_fits(),
            ended=self._ended,  # type: ignore[arg-type]
            reason="" if self._seen or not self._timings.refused else f"no input of it runs: {self._timings.refusal}",
        )

    def findings(self) -> Iterator[Finding]:
        """Each finding, as soon as it is confirmed, and again when its family becomes wider."""
        points = self._points()
        in_time = takewhile(lambda _: not self._timings.expired, points)
        pilot = [point for point in islice(in_time, PILOT) if self._timed(point)]
        self._refit()
        for number, point in enumerate(chain(pilot, points), 1):
            if self._timings.expired:
                return
            if self._without_candidate >= MAX_WITHOUT_CANDIDATE:
                self._ended = "quiet"
                return
            if number % REFIT == 0:
                self._refit()
            self._without_candidate += 1
            yield from self._examined(point)
        self._ended = "nothing" if not self._seen else self._ended

    def _points(self) -> Iterator[Point]:
        """Canonical and recorded inputs, then an endless mixture of draws, other dtypes, and edited inputs."""
        natural = self._factory.rule.dtype
        yield from self._factory.canonical(natural)
        yield from (point for case in self._options.recorded if (point := self._factory.from_case(case)))
        start, without_fresh = 0, 0
        while without_fresh < MAX_WITHOUT_CANDIDATE and not self._timings.all_refused:
            dtype = natural if start % (3 * BLOCK) else self._random.choice(self._finder.dtypes)
            drawn = self._factory.drawn(
                dtype, f"{self._options.seed}/{self._factory.operator.name}/{dtype}", BLOCK, start
            )
            start += BLOCK
            fresh = [point for point in (*drawn, *self._edited()) if point.key not in self._seen]
            without_fresh = 0 if fresh else without_fresh + BLOCK
            yield from fresh

    def _edited(self) -> Iterator[Point]:
        """Earlier inputs, one to three steps away."""
        for point in self._random.sample(list(self._seen.values()), min(2, len(self._seen))):
            edited = point
            for _ in range(self._random.randint(1, 3)):
                steps = self._finder.steps(edited)
                reached = self._finder.neighbour_points(edited, self._random.sample(steps, min(1, len(steps))))
                edited = reached[0][1] if reached else edited
            yield edited

    def _timed(self, point: Point) -> Times | None:
        """Times a point, and keeps it for models and edits if it can be run."""
        times = None if self._timings.expired else self._timings.times(point)
        if times:
            self._seen[point.key] = point
            if len(self._seen) > MAX_SEEN:
                del self._seen[next(iter(self._seen))]
        return times

    def _examined(self, point: Point) -> Iterator[Finding]:
        times = self._timed(point)
        for pass_ in self._timings.passes if times else ():
            if times and (times.of(pass_) or 0.0) >= FLOOR_US and not self._explained(point, pass_):
                yield from self._followed_candidate(point, pass_)

    def _followed_candidate(self, point: Point, pass_: PassName) -> Iterator[Finding]:
        """A finding, if the point or a neighbour is a candidate that is confirmed."""
        candidate = self._candidate(point, pass_)
        if candidate is None or self._explained(candidate.point, pass_):
            return
        self._suspects, self._without_candidate = self._suspects + 1, 0
        case = candidate.point.case
        oracle = "neighbour" if candidate.kinds else "model"
        self._sink.handle(CandidateFollowed(case, pass_, oracle, candidate.ratio))
        finding = self._investigated(candidate, pass_)
        if isinstance(finding, Finding):
            yield finding
        else:
            self._dropped += 1
            self._sink.handle(CandidateDropped(case, pass_, finding))

    def _candidate(self, point: Point, pass_: PassName) -> _Candidate | None:
        """The slower of the point and a neighbour, or the point if it exceeds the cost model."""
        for step, other in self._finder.neighbour_points(point, self._sampled_steps(self._finder.steps(point))):
            for suspect, neighbour in ((point, other), (other, point)):
                ratio = self._finder.step_ratio(suspect, step, neighbour, pass_)
                if ratio >= TOLERANCE * self._options.min_ratio:
                    return _Candidate(suspect, related_kinds(step.kind), ratio)
        model, us = self._models.get(pass_), self._time_us(point, pass_)
        if model and us and not model.fit.poor and (excess := model.excess(point, us)) >= self._options.min_ratio:
            return _Candidate(point, (), excess)
        return None

    def _sampled_steps(self, steps: Sequence[Step]) -> list[Step]:
        """A few steps; every kind is equally likely."""
        kinds = list(dict.fromkeys(step.kind for step in steps))
        chosen = self._random.sample(kinds, min(NEIGHBOURS_TRIED, len(kinds)))
        return [self._random.choice([step for step in steps if step.kind == kind]) for kind in chosen]

    def _investigated(self, candidate: _Candidate, pass_: PassName) -> Finding | str:
        """The finding of a candidate: contrast, shrinking, family, confirmation; or why it is dropped."""
        deadline = self._timings.deadline
        latest = self._timings.limit - CONFIRMING_SHARE * self._timings.grace
        self._timings.deadline = min(latest, max(deadline, self._timings.clock() + FOLLOWING_SECONDS))
        try:
            contrast = self._finder.best_contrast(candidate.point, pass_, candidate.kinds)
            if contrast is None:
                return self._dropped_for("no neighbour is faster in paired timing")
            simplest = shrunk(self._finder, contrast, pass_)
            if self._explained(contrast.slow, pass_) or self._explained(simplest.slow, pass_):
                return "an earlier finding explains it"
            if widened := self._widened_finding(simplest, pass_):
                return widened
            family = generalised(self._finder, simplest, pass_)
            rounds = (number for number in range(CONFIRMATIONS) if number == 0 or not self._timings.expired)
            confirmed = (self._confirmed_finding(simplest, candidate.point, family, pass_) for _ in rounds)
            finding = next((finding for finding in confirmed if finding), None)
            return finding or self._dropped_for("not slow in a fresh process")
        finally:
            self._timings.deadline = deadline

    def _dropped_for(self, reason: str) -> str:
        """The reason, unless the budget ended before there could be one."""
        return "the budget ended before it was confirmed" if self._timings.closed else reason

    def _widened_finding(self, simplest: Contrast, pass_: PassName) -> Finding | None:
        """An earlier finding of the same cause, with its family widened to include this input."""
        for number, cause in enumerate(self._causes):
            family = cause.family.widened(simplest.slow)
            if cause.finding.pass_ == pass_ and cause.kind in related_kinds(simplest.step.kind) and family:
                if family.holds(cause.fast):
                    continue
                finding = msgspec.structs.replace(cause.finding, family=family.words)
                self._causes[number] = replace(cause, finding=finding, family=family)
                return finding
        return None

    def _confirmed_finding(self, simplest: Contrast, suspect: Point, family: Family, pass_: PassName) -> Finding | None:
        times = self._timings.paired_times(simplest.slow, simplest.fast, pass_, CONFIRMING_ROUNDS)
        if times is None or (self._timings.closed and len(times.first_us) < MIN_PAIRS):
            return None
        estimate = ratio_of(times.first_us, times.second_us)
        share = self._finder.work_share(simplest.slow, simplest.fast, pass_)
        if estimate.ratio * share < self._options.min_ratio * MIN_CONFIRMED_SHARE:
            return None
        if estimate.low * share < self._options.min_ratio**MIN_LOW_EXPONENT:
            return None
        actual, contrast = _median(times.first_us), _median(times.second_us)
        finding = Finding(
            operator=self._factory.operator.name,
            pass_=pass_,
            case=simplest.slow.case,
            contrast=simplest.fast.case,
            found=suspect.case,
            step=simplest.step.words,
            estimate=scaled(estimate, share),
            actual_us=actual,
            contrast_us=contrast,
            expected_us=contrast / share,
            family=family.words,
            evidence=tuple(self._evidence(simplest, times, share, pass_)),
        )
        self._causes.append(_KnownCause(finding, family, simplest.step.kind, simplest.fast))
        self._sink.handle(BestChanged(f"{finding.estimate.ratio:.1f} times: {family.words}"))
        return finding

    def _evidence(self, simplest: Contrast, times: PairedTimes, share: float, pass_: PassName) -> Iterator[Evidence]:
        """The evidence of each oracle whose ratio is at least MIN_EVIDENCE."""
        slow = sorted(times.first_us)
        actual, bounds = _median(slow), median_interval(slow) or (slow[0], slow[-1])

        def slowdown(oracle: str, us: float, detail: str) -> Evidence:
            return Evidence(oracle, actual / us, detail, bounds[0] / us, bounds[1] / us)

        estimate = scaled(ratio_of(times.first_us, times.second_us), share)
        yield Evidence("neighbour", estimate.ratio, simplest.step.words, estimate.low, estimate.high)
        model = self._models.get(pass_)
        if model and not model.fit.poor and model.excess(simplest.slow, actual) >= MIN_EVIDENCE:
            detail = f"half of {model.fit.inputs} other inputs lie within a factor of {model.fit.factor:.2f} of it"
            yield slowdown("model", model.expected_us(simplest.slow), detail)
        bound_us = self._options.roofline(simplest.slow.work, simplest.slow.dtype) if self._options.roofline else 0.0
        if bound_us and actual / bound_us >= MIN_EVIDENCE:
            yield slowdown("roofline", bound_us, "this machine can move and compute as much in that time")
        forward = self._timings.times(simplest.slow)
        if pass_ == "backward" and forward and actual / forward.forward >= MIN_EVIDENCE:  # noqa: S105 - a pass, no password
            yield slowdown("forward", forward.forward, "the forward pass of the same input")
        yield from self._equivalents(simplest.slow, pass_)

    def _equivalents(self, slow: Point, pass_: PassName) -> Iterator[Evidence]:
        """Equivalent operators that are faster on the same input."""
        for equivalent in self._options.equivalents:
            point = equivalent.applied_to(slow)
            estimate = self._timings.paired_ratio(slow, point, pass_, EQUIVALENT_ROUNDS) if point else None
            if estimate and estimate.low >= MIN_EVIDENCE:
                yield Evidence(
                    "kin", estimate.ratio, f"{equivalent.words} of the same input", estimate.low, estimate.high
                )

    def _refit(self) -> None:
        """Fits the models to all points that no finding explains."""
        for pass_ in self._timings.passes:
            timed = [
                (point, us)
                for point in self._seen.values()
                if not self._explained(point, pass_) and (us := self._time_us(point, pass_)) is not None
            ]
            model = fit_model([point for point, _ in timed], [us for _, us in timed])
            if model:
                self._models[pass_] = model

    def _time_us(self, point: Point, pass_: PassName) -> float | None:
        times = self._timings.times(point)
        return times.of(pass_) if times else None

    def _explained(self, point: Point, pass_: PassName) -> bool:
        return any(cause.finding.pass_ == pass_ and cause.family.holds(point) for cause in self._causes)

    def _poor_fits(self) -> dict[PassName, Fit]:
        """A poor fit for each pass with too few inputs for a model."""
        return {
            pass_: Fit(0.0, len(self._seen), poor=True) for pass_ in self._timings.passes if pass_ not in self._models
        }


def scaled(estimate: Estimate, share: float) -> Estimate:
    """The ratio scaled to equal work; `share` is the fast input's work as a share of the slow one's."""
    return Estimate(estimate.ratio * share, estimate.low * share, estimate.high * share)


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
