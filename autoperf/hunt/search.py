"""The search for one operator: draws inputs, holds them against others, and follows what stands out to its cause."""

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
from autoperf.hunt.contrast import FLOOR_US, LENIENCE, Contrast, ContrastFinder
from autoperf.hunt.equivalents import Equivalent
from autoperf.hunt.family import Family, generalised
from autoperf.hunt.model import Model, fitted
from autoperf.hunt.neighbours import Step, related_kinds
from autoperf.hunt.point import Point, PointFactory
from autoperf.hunt.ratio import ratio_of
from autoperf.hunt.shrinker import shrunk
from autoperf.hunt.timings import InputTimings, Times
from autoperf.results.intervals import median_interval

BLOCK = 8
# Inputs that are tried before the first is judged, and after how many the models are fitted anew.
PILOT = 40
REFIT = 32
# The last so many inputs are edited further, and fitted.
MAX_SEEN = 2000
# Each input is held against so many others; so many inputs in a row without a suspect end the search.
NEIGHBOURS_TRIED = 4
QUIET = 600
# What a suspect may take beyond the end of the search, if there is as much until the limit.
FOLLOWING_SECONDS = 10.0
CONFIRMING_ROUNDS = 25
# An oracle speaks from this factor on.
MIN_EVIDENCE = 1.2
EQUIVALENT_ROUNDS = 9
# A disturbed confirmation is made once more.
CONFIRMATIONS = 2
# A confirmed ratio may fall short of what was asked for by this much.
NEARLY = 0.95
# A confirmed ratio's interval has to lie above this share of the ratio asked for, on a logarithmic scale.
CERTAIN = 0.6


@dataclass(frozen=True)
class Options:
    """What a search goes by. `least` is the ratio from which on an input counts as slow, `roofline` the least
    microseconds that the machine needs for so much work in a dtype, `equivalents` operators that compute the like."""

    seed: int = 0
    least: float = 2.0
    roofline: Callable[[Work, str], float] | None = None
    equivalents: Sequence[Equivalent] = ()
    recorded: Sequence[Case] = ()


@dataclass(frozen=True)
class _Candidate:
    """A suspect, the kinds of steps that lead to something faster (none: only the model speaks), and by what factor."""

    suspect: Point
    kinds: tuple[str, ...]
    ratio: float


@dataclass(frozen=True)
class _KnownCause:
    """A finding, its family, and how its contrast was reached."""

    finding: Finding
    family: Family
    kind: str
    fast: Point


class Search:
    """One operator's search until its trials' deadline; what it did is in `searched` at any time."""

    def __init__(self, maker: PointFactory, trials: InputTimings, options: Options, sink: Sink) -> None:
        self._maker, self._trials, self._options = maker, trials, options
        self._models: dict[PassName, Model] = {}
        self._judge = ContrastFinder(trials, maker, self._models, options.least)
        self._random = random.Random(f"{options.seed}/{maker.operator.name}")  # noqa: S311 - reproducible, not secret
        self._found: list[_KnownCause] = []
        self._seen: dict[str, Point] = {}
        self._begin = trials.clock()
        self._suspects = self._dropped = self._quiet = 0
        self._sink = sink
        self._ended = "budget"

    @property
    def searched(self) -> Searched:
        """What was done so far."""
        return Searched(
            operator=self._maker.operator.name,
            tried=self._trials.tried,
            refused=self._trials.refused,
            suspects=self._suspects,
            dropped=self._dropped,
            seconds=self._trials.clock() - self._begin,
            fits={pass_: model.fit for pass_, model in self._models.items()} | self._unfitted(),
            ended=self._ended,  # type: ignore[arg-type]
            reason="" if self._seen or not self._trials.refused else f"no input of it runs: {self._trials.refusal}",
        )

    def findings(self) -> Iterator[Finding]:
        """Each cause of slowness, as soon as it is confirmed; once more where its family turns out to be wider."""
        points = self._points()
        in_time = takewhile(lambda _: not self._trials.over, points)
        pilot = [point for point in islice(in_time, PILOT) if self._tried(point)]
        self._refit()
        for number, point in enumerate(chain(pilot, points), 1):
            if self._trials.over:
                return
            if self._quiet >= QUIET:
                self._ended = "quiet"
                return
            if number % REFIT == 0:
                self._refit()
            self._quiet += 1
            yield from self._looked_at(point)
        self._ended = "nothing" if not self._seen else self._ended

    def _points(self) -> Iterator[Point]:
        """Canonical inputs and recorded ones, then an endless mixture of draws, other dtypes, and edits of these."""
        natural = self._maker.rule.dtype
        yield from self._maker.canonical(natural)
        yield from (point for case in self._options.recorded if (point := self._maker.given(case)))
        start, barren = 0, 0
        while barren < QUIET and not self._trials.hopeless:
            dtype = natural if start % (3 * BLOCK) else self._random.choice(self._judge.dtypes)
            drawn = self._maker.drawn(dtype, f"{self._options.seed}/{self._maker.operator.name}/{dtype}", BLOCK, start)
            start += BLOCK
            fresh = [point for point in (*drawn, *self._edited()) if point.key not in self._seen]
            barren = 0 if fresh else barren + BLOCK
            yield from fresh

    def _edited(self) -> Iterator[Point]:
        """Inputs that were drawn before, some steps away."""
        for point in self._random.sample(list(self._seen.values()), min(2, len(self._seen))):
            edited = point
            for _ in range(self._random.randint(1, 3)):
                steps = self._judge.steps(edited)
                taken = self._judge.taken(edited, self._random.sample(steps, min(1, len(steps))))
                edited = taken[0][1] if taken else edited
            yield edited

    def _tried(self, point: Point) -> Times | None:
        """What the point takes; a point that can't be run is none for the model, nor for edits."""
        times = None if self._trials.over else self._trials.times(point)
        if times:
            self._seen[point.key] = point
            if len(self._seen) > MAX_SEEN:
                del self._seen[next(iter(self._seen))]
        return times

    def _looked_at(self, point: Point) -> Iterator[Finding]:
        times = self._tried(point)
        for pass_ in self._trials.passes if times else ():
            if times and (times.of(pass_) or 0.0) >= FLOOR_US and not self._known(point, pass_):
                yield from self._suspected(point, pass_)

    def _suspected(self, point: Point, pass_: PassName) -> Iterator[Finding]:
        """A finding, if the point or one beside it stands out, and that comes to something."""
        lead = self._lead(point, pass_)
        if lead is None or self._known(lead.suspect, pass_):
            return
        self._suspects, self._quiet = self._suspects + 1, 0
        case = lead.suspect.case
        oracle = "neighbour" if lead.kinds else "model"
        self._sink.handle(CandidateFollowed(case, pass_, oracle, lead.ratio))
        finding = self._followed(lead, pass_)
        if isinstance(finding, Finding):
            yield finding
        else:
            self._dropped += 1
            self._sink.handle(CandidateDropped(case, pass_, finding))

    def _lead(self, point: Point, pass_: PassName) -> _Candidate | None:
        """The slow one of a pair that differs by more than it should, or one that the model doesn't expect."""
        for step, other in self._judge.taken(point, self._some(self._judge.steps(point))):
            for suspect, beside in ((point, other), (other, point)):
                ratio = self._judge.along(suspect, step, beside, pass_)
                if ratio >= LENIENCE * self._options.least:
                    return _Candidate(suspect, related_kinds(step.kind), ratio)
        model, us = self._models.get(pass_), self._us(point, pass_)
        if model and us and not model.fit.poor and (excess := model.excess(point, us)) >= self._options.least:
            return _Candidate(point, (), excess)
        return None

    def _some(self, steps: Sequence[Step]) -> list[Step]:
        """A few steps, each kind as likely as another."""
        kinds = list(dict.fromkeys(step.kind for step in steps))
        chosen = self._random.sample(kinds, min(NEIGHBOURS_TRIED, len(kinds)))
        return [self._random.choice([step for step in steps if step.kind == kind]) for kind in chosen]

    def _followed(self, lead: _Candidate, pass_: PassName) -> Finding | str:
        """From a suspect to its cause: contrast, simplest input, family, confirmation; or why it comes to nothing."""
        before = self._trials.deadline
        self._trials.deadline = min(self._trials.limit, max(before, self._trials.clock() + FOLLOWING_SECONDS))
        try:
            contrast = self._judge.best(lead.suspect, pass_, lead.kinds)
            if contrast is None:
                return "nothing beside it is faster when both are timed in turn"
            simple = shrunk(self._judge, contrast, pass_)
            if self._known(contrast.slow, pass_) or self._known(simple.slow, pass_):
                return "it is one of a family that was found"
            if widened := self._widened(simple, pass_):
                return widened
            family = generalised(self._judge, simple, pass_)
            attempts = (number for number in range(CONFIRMATIONS) if number == 0 or not self._trials.over)
            confirmed = (self._confirmed(simple, lead.suspect, family, pass_) for _ in attempts)
            return next((one for one in confirmed if one), "it isn't slow in a fresh process")
        finally:
            self._trials.deadline = before

    def _widened(self, simple: Contrast, pass_: PassName) -> Finding | None:
        """An earlier finding, if it is the same cause and this input shows that its family reaches further."""
        for number, one in enumerate(self._found):
            family = one.family.widened(simple.slow)
            if one.finding.pass_ == pass_ and one.kind in related_kinds(simple.step.kind) and family:
                if family.holds(one.fast):
                    continue
                finding = msgspec.structs.replace(one.finding, family=family.words)
                self._found[number] = replace(one, finding=finding, family=family)
                return finding
        return None

    def _confirmed(self, simple: Contrast, suspect: Point, family: Family, pass_: PassName) -> Finding | None:
        times = self._trials.confirm(simple.slow, simple.fast, pass_, CONFIRMING_ROUNDS)
        if times is None:
            return None
        estimate = ratio_of(times.first_us, times.second_us)
        share = self._judge.share(simple.slow, simple.fast, pass_)
        if estimate.ratio * share < self._options.least * NEARLY:
            return None
        if estimate.low * share < self._options.least**CERTAIN:
            return None
        actual, contrast = _median(times.first_us), _median(times.second_us)
        finding = Finding(
            operator=self._maker.operator.name,
            pass_=pass_,
            case=simple.slow.case,
            contrast=simple.fast.case,
            found=suspect.case,
            step=simple.step.words,
            estimate=scaled(estimate, share),
            actual_us=actual,
            contrast_us=contrast,
            expected_us=contrast / share,
            family=family.words,
            evidence=tuple(self._evidence(simple, times, share, pass_)),
        )
        self._found.append(_KnownCause(finding, family, simple.step.kind, simple.fast))
        self._sink.handle(BestChanged(f"{finding.estimate.ratio:.1f} times: {family.words}"))
        return finding

    def _evidence(self, simple: Contrast, times: PairedTimes, share: float, pass_: PassName) -> Iterator[Evidence]:
        """What speaks for the finding; oracles that have nothing to say are silent."""
        slow = sorted(times.first_us)
        actual, bounds = _median(slow), median_interval(slow) or (slow[0], slow[-1])

        def against(oracle: str, us: float, detail: str) -> Evidence:
            return Evidence(oracle, actual / us, detail, bounds[0] / us, bounds[1] / us)

        found = scaled(ratio_of(times.first_us, times.second_us), share)
        yield Evidence("neighbour", found.ratio, simple.step.words, found.low, found.high)
        model = self._models.get(pass_)
        if model and not model.fit.poor and model.excess(simple.slow, actual) >= MIN_EVIDENCE:
            detail = f"half of {model.fit.inputs} other inputs lie within a factor of {model.fit.factor:.2f} of it"
            yield against("model", model.expected_us(simple.slow), detail)
        least = self._options.roofline(simple.slow.work, simple.slow.dtype) if self._options.roofline else 0.0
        if least and actual / least >= MIN_EVIDENCE:
            yield against("roofline", least, "this machine can move and compute as much in that time")
        forward = self._trials.times(simple.slow)
        if pass_ == "backward" and forward and actual / forward.forward >= MIN_EVIDENCE:  # noqa: S105 - a pass, no password
            yield against("forward", forward.forward, "the forward pass of the same input")
        yield from self._equivalents(simple.slow, pass_)

    def _equivalents(self, slow: Point, pass_: PassName) -> Iterator[Evidence]:
        """Other operators that compute the like from the same input, and are faster."""
        for equivalents in self._options.equivalents:
            point = equivalents.like(slow)
            estimate = self._trials.duel(slow, point, pass_, EQUIVALENT_ROUNDS) if point else None
            if estimate and estimate.low >= MIN_EVIDENCE:
                yield Evidence(
                    "kin", estimate.ratio, f"{equivalents.words} of the same input", estimate.low, estimate.high
                )

    def _refit(self) -> None:
        """The models by all points that no family explains."""
        for pass_ in self._trials.passes:
            timed = [
                (point, us)
                for point in self._seen.values()
                if not self._known(point, pass_) and (us := self._us(point, pass_)) is not None
            ]
            model = fitted([point for point, _ in timed], [us for _, us in timed])
            if model:
                self._models[pass_] = model

    def _us(self, point: Point, pass_: PassName) -> float | None:
        times = self._trials.times(point)
        return times.of(pass_) if times else None

    def _known(self, point: Point, pass_: PassName) -> bool:
        return any(one.finding.pass_ == pass_ and one.family.holds(point) for one in self._found)

    def _unfitted(self) -> dict[PassName, Fit]:
        """Too few inputs for a model is a poor one."""
        return {
            pass_: Fit(0.0, len(self._seen), poor=True) for pass_ in self._trials.passes if pass_ not in self._models
        }


def scaled(estimate: Estimate, share: float) -> Estimate:
    """The ratio to what the fast input would take if it asked for as much, of which it asks for a share."""
    return Estimate(estimate.ratio * share, estimate.low * share, estimate.high * share)


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
