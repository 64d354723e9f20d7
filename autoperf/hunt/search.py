"""The search of one operator: draws inputs, compares them with neighbours, and finds the cause of outliers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, takewhile

import msgspec

from autoperf.core.case import Case
from autoperf.core.events import BestChanged, CandidateDropped, CandidateFollowed, Sink
from autoperf.core.finding import Finding, Fit, Searched, SearchEnd
from autoperf.core.outcome import PassName
from autoperf.hunt.candidates import Candidate, CandidateFinder
from autoperf.hunt.causes import Cause, Causes
from autoperf.hunt.confirmation import Confirmer, MinMicroseconds, with_family
from autoperf.hunt.contrast import FLOOR_US, Contrast, ContrastFinder
from autoperf.hunt.equivalents import Equivalent
from autoperf.hunt.generaliser import Generalised, generalised, joint_family
from autoperf.hunt.input_stream import InputStream
from autoperf.hunt.model import Model, fit_model
from autoperf.hunt.other_side import OtherSide
from autoperf.hunt.point import Point, PointFactory
from autoperf.hunt.search_summary import SearchSummary
from autoperf.hunt.shrinker import shrunk
from autoperf.hunt.timings import InputTimings, Times

# Inputs that are timed before the first comparison, and after how many the models are fitted again.
PILOT = 40
REFIT = 32
EXPLAINED = "an earlier finding explains it"
# So many inputs in a row without a candidate end the search.
MAX_WITHOUT_CANDIDATE = 600
# Time to investigate a candidate, also after the deadline as far as the limit allows: so many seconds, or this share of
# the time that is left, so that one cause on a busy machine leaves time for others.
FOLLOWING_SECONDS = 10.0
FOLLOWING_SHARE = 0.25
# The share of the time after the deadline that is left for the confirmation.
CONFIRMING_SHARE = 0.5
# A failed confirmation is repeated once.
CONFIRMATIONS = 2
_OTHER: dict[PassName, PassName] = {"forward": "backward", "backward": "forward"}


@dataclass(frozen=True)
class Options:
    """Options of a search. `min_ratio` is the ratio from which an input is slow, `roofline` gives the minimum
    microseconds of this machine for some work in a dtype, `recorded` are cases to try first. Where it `grows`, some
    draws have more elements than the factory's, by the time that they take. With an `other_side` an input is slow if it
    is slower than there, whatever other inputs take."""

    seed: int = 0
    min_ratio: float = 2.0
    roofline: MinMicroseconds | None = None
    equivalents: Sequence[Equivalent] = ()
    recorded: Sequence[Case] = ()
    grows: bool = False
    other_side: OtherSide | None = None


class Search:
    """The search of one operator until the deadline of its timings; `searched` is its summary at any time.

    `causes` are those of its findings.
    """

    def __init__(self, factory: PointFactory, timings: InputTimings, options: Options, sink: Sink) -> None:
        self._factory, self._timings, self._options = factory, timings, options
        self._models: dict[PassName, Model] = {}
        self._finder = ContrastFinder(
            timings, factory, self._models, options.min_ratio, options.equivalents, other_side=options.other_side
        )
        self._confirmer = Confirmer(self._finder, options.roofline, options.equivalents)
        source = random.Random(f"{options.seed}/{factory.operator.name}")  # noqa: S311 - reproducible, not secret
        self._candidates = CandidateFinder(self._finder, source)
        self._inputs = InputStream(
            self._finder, options.seed, source, grows=options.grows, max_stale=MAX_WITHOUT_CANDIDATE
        )
        self.causes = Causes()
        self._summary = SearchSummary(factory.operator.name, timings, options.other_side)
        self._without_candidate = 0
        self._sink = sink
        self._ended: SearchEnd = "budget"

    @property
    def searched(self) -> Searched:
        """The summary so far."""
        return self._summary.searched(
            self._ended,
            runs=bool(self._inputs.seen),
            noun="input",
            largest=self._inputs.largest,
            fits={pass_: model.fit for pass_, model in self._models.items()} | self._poor_fits(),
        )

    def findings(self) -> Iterator[Finding]:
        """Each finding, as soon as it is confirmed, and again when its family or its passes become more."""
        points = self._inputs.points(self._options.recorded)
        in_time = takewhile(lambda _: not self._timings.expired, points)
        # Only the models need inputs before the first comparison.
        count = 0 if self._options.other_side else PILOT
        pilot = [point for point in islice(in_time, count) if self._timed(point)]
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
        self._ended = "nothing" if not self._inputs.seen else self._ended

    def _timed(self, point: Point) -> Times | None:
        """Times a point, and keeps it for models and edits if it can be run."""
        times = None if self._timings.expired else self._timings.times(point)
        if times:
            self._inputs.keep(point, times)
        return times

    def _examined(self, point: Point) -> Iterator[Finding]:
        times = self._timed(point)
        for pass_ in self._timings.passes if times else ():
            if times and (times.of(pass_) or 0.0) >= FLOOR_US and not self._explained(point, pass_):
                yield from self._followed_candidate(point, pass_)

    def _followed_candidate(self, point: Point, pass_: PassName) -> Iterator[Finding]:
        """A finding, if the point or a neighbour is a candidate that is confirmed."""
        self._summary.compared += 1
        candidate = self._candidates.candidate(point, pass_)
        if candidate is None or self._explained(candidate.point, pass_, candidate.kind):
            return
        self._summary.suspects += 1
        self._without_candidate = 0
        case = candidate.point.case
        self._sink.handle(CandidateFollowed(case, pass_, candidate.oracle, candidate.ratio))
        finding = self._investigated(candidate, pass_)
        if isinstance(finding, Finding):
            yield finding
        else:
            self._summary.dropped += 1
            self._candidates.dropped(candidate, pass_)
            self._sink.handle(CandidateDropped(case, pass_, finding))

    def _investigated(self, candidate: Candidate, pass_: PassName) -> Finding | str:
        """The finding of a candidate: contrast, shrinking, family, confirmation; or why it is dropped."""
        deadline = self._timings.deadline
        latest = self._timings.limit - CONFIRMING_SHARE * self._timings.grace
        now = self._timings.clock()
        self._timings.deadline = min(latest, now + max(FOLLOWING_SECONDS, FOLLOWING_SHARE * (deadline - now)))
        try:
            contrast = self._finder.best_contrast(candidate.point, pass_, candidate.kinds)
            if contrast is None:
                other = "the other side isn't" if self._options.other_side else "no neighbour is"
                return self._dropped_for(f"{other} faster in paired timing")
            simplest = shrunk(self._finder, contrast, pass_)
            kind = simplest.step.kind
            if self._explained(contrast.slow, pass_, kind) or self._explained(simplest.slow, pass_, kind):
                return EXPLAINED
            return self._told(simplest, candidate.point, pass_)
        finally:
            self._timings.deadline = deadline

    def _dropped_for(self, reason: str) -> str:
        """The reason, unless the budget ended before there could be one."""
        return "the budget ended before it was confirmed" if self._timings.closed else reason

    def _told(self, simplest: Contrast, found: Point, pass_: PassName) -> Finding | str:
        """The finding of a new cause, or that of a known one if that becomes wider; or why there is none."""
        kind = simplest.step.kind
        family = generalised(
            self._finder, simplest, pass_, lambda point: self.causes.explaining(point, pass_, kind) is not None
        )
        if known := self.causes.same(family, kind):
            return self._added_to(known, simplest, family, pass_) or EXPLAINED
        if widened := self._widened(simplest, family, pass_):
            return widened
        rounds = (number for number in range(CONFIRMATIONS) if number == 0 or not self._timings.expired)
        confirmed = (self._confirmer.finding(simplest, found, family, pass_) for _ in rounds)
        finding = next((finding for finding in confirmed if finding), None)
        if finding is None:
            return self._dropped_for("not slow in a fresh process")
        return self._new_cause(finding, simplest, family)

    def _new_cause(self, finding: Finding, simplest: Contrast, family: Generalised) -> Finding:
        """Remembers a cause, together with its other pass if that is slow too."""
        other = self._confirmer.other_pass(simplest, _OTHER[finding.pass_])
        finding = msgspec.structs.replace(finding, other_pass=other)
        passes = (finding.pass_, other.pass_) if other else (finding.pass_,)
        self.causes.add(Cause(finding, family, simplest, passes))
        self._sink.handle(BestChanged(f"{finding.estimate.ratio:.1f} times: {finding.family}"))
        return finding

    def _added_to(self, known: Cause, simplest: Contrast, family: Generalised, pass_: PassName) -> Finding | None:
        """The finding of a known cause with a wider family or with its other pass; None if neither is new."""
        if pass_ not in known.passes:
            other = self._confirmer.other_pass(simplest, pass_)
            finding = msgspec.structs.replace(known.finding, other_pass=other)
            self.causes.replace(known, finding=finding, passes=(*known.passes, pass_))
            return finding if other else None
        if not known.is_within(family):
            further = (family.family,) if family.is_settled else ()
            self.causes.replace(known, further=(*known.further, *further))
            return None
        finding = with_family(known.finding, family)
        return self.causes.replace(known, finding=finding, generalised=family).finding

    def _widened(self, simplest: Contrast, family: Generalised, pass_: PassName) -> Finding | None:
        """The finding of a known cause whose family, learned from the examples of both, has this contrast too."""
        for known in self.causes.related(simplest.step.kind, pass_):
            examples = known.generalised.examples.joined(family.examples)
            if not joint_family(self._factory.operator, known.simplest, examples):
                continue
            explained = partial(self.causes.others_explain, known, pass_=pass_)
            joint = generalised(self._finder, known.simplest, pass_, explained, examples)
            if joint.is_told and joint.family.holds(simplest.slow):
                finding = with_family(known.finding, joint)
                return self.causes.replace(known, finding=finding, generalised=joint).finding
        return None

    def _refit(self) -> None:
        """Fits the models to all points that no finding explains; between two sides there are none."""
        for pass_ in () if self._options.other_side else self._timings.passes:
            timed = [
                (point, us)
                for point in self._inputs.seen.values()
                if not self._explained(point, pass_) and (us := self._time_us(point, pass_)) is not None
            ]
            model = fit_model([point for point, _ in timed], [us for _, us in timed])
            if model:
                self._models[pass_] = model

    def _time_us(self, point: Point, pass_: PassName) -> float | None:
        times = self._timings.times(point)
        return times.of(pass_) if times else None

    def _explained(self, point: Point, pass_: PassName, kind: str = "") -> bool:
        return self.causes.explaining(point, pass_, kind) is not None

    def _poor_fits(self) -> dict[PassName, Fit]:
        """A poor fit for each pass with too few inputs for a model; none where no model is needed."""
        if self._options.other_side:
            return {}
        poor = Fit(0.0, len(self._inputs.seen), poor=True)
        return {pass_: poor for pass_ in self._timings.passes if pass_ not in self._models}
