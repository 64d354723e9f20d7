"""Follows candidates of one operator to findings: contrast, shrinking, family, confirmation, known causes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import NamedTuple

import msgspec

from autoperf.comparison.ratios import MIN_SAMPLE_PAIRS, ratio_of_pairs
from autoperf.core.events import BestChanged, Sink
from autoperf.core.finding import Estimate, Evidence, Finding, OtherPass
from autoperf.core.outcome import PassName
from autoperf.hunt.candidates import Candidate, shortened
from autoperf.hunt.causes import Cause, Causes
from autoperf.hunt.contrast import HALVING, TOLERANCE, Contrast, PassView, Views, works_in
from autoperf.hunt.findings import MIN_RATIO
from autoperf.hunt.generaliser import Generalised, Generaliser, joint_family
from autoperf.hunt.neighbours import is_equivalent
from autoperf.hunt.point import Point
from autoperf.hunt.shrinker import Shrinker
from autoperf.stats.intervals import median_interval

ROUNDS = 25
EQUIVALENT_ROUNDS = 9
# Minimum ratio of recorded evidence.
MIN_EVIDENCE = 1.2
# A confirmed ratio is at least this share of the minimum ratio.
MIN_CONFIRMED_SHARE = 0.95
# The interval of a confirmed ratio lies above the minimum ratio to this power, and above what a recheck asks for.
MIN_LOW_EXPONENT = 0.6
SINGLE = "this input only"
UNFINISHED = "this input only: the budget ended before others were tested"


class _Confirmed(NamedTuple):
    """Times of a confirmed contrast in microseconds, the fast input's share of the work, and the scaled ratio."""

    slow_us: Sequence[float]
    fast_us: Sequence[float]
    share: float
    estimate: Estimate


def confirmed_finding(view: PassView, simplest: Contrast, candidate: Point) -> Finding | None:
    """The finding of a contrast that a candidate led to, without a family; None if it isn't slow in a fresh process."""
    confirmed = _confirmed(view, simplest)
    if confirmed is None:
        return None
    other_side = view.around.other_side
    return Finding(
        operator=view.around.factory.operator.name,
        pass_=view.pass_,
        case=simplest.slow.case,
        contrast=simplest.fast.case,
        found=candidate.case,
        step=simplest.step.sentence,
        estimate=confirmed.estimate,
        actual_us=median(confirmed.slow_us),
        contrast_us=median(confirmed.fast_us),
        expected_us=median(confirmed.fast_us) / confirmed.share,
        family="",
        evidence=tuple(_evidence(view, simplest, confirmed)),
        sides=(other_side.searched_words, other_side.words) if other_side else None,
        equal_work=not simplest.step.loss,
    )


def confirmed_pass(view: PassView, simplest: Contrast) -> OtherPass | None:
    """The result of the view's pass for the inputs of a contrast in the other one, if it is slow too."""
    confirmed = _confirmed(view, simplest) if view.pass_ in view.timings.passes else None
    if confirmed is None:
        return None
    return OtherPass(
        pass_=view.pass_,
        case=simplest.slow.case,
        estimate=confirmed.estimate,
        actual_us=median(confirmed.slow_us),
        contrast_us=median(confirmed.fast_us),
    )


def _evidence(view: PassView, simplest: Contrast, confirmed: _Confirmed) -> Iterator[Evidence]:
    """The evidence of each source whose ratio is at least MIN_EVIDENCE."""
    slow, estimate = sorted(confirmed.slow_us), confirmed.estimate
    actual, bounds = median(slow), median_interval(slow) or (slow[0], slow[-1])

    def slowdown(oracle: str, us: float, detail: str) -> Evidence:
        return Evidence(oracle, actual / us, detail, bounds[0] / us, bounds[1] / us)

    oracle = "side" if simplest.is_between_sides else "neighbour"
    yield Evidence(oracle, estimate.ratio, simplest.step.words, estimate.low, estimate.high)
    model = view.model
    if model and not model.fit.poor and model.excess(simplest.slow, actual) >= MIN_EVIDENCE:
        detail = f"half of the {model.fit.inputs} other inputs lie within a factor of {model.fit.factor:.2f} of it"
        yield slowdown("model", model.expected_us(simplest.slow), detail)
    work, _ = works_in(view.pass_, simplest.slow, simplest.slow)
    if view.roofline and actual / (bound_us := view.roofline(work, simplest.slow.dtype)) >= MIN_EVIDENCE:
        yield slowdown("roofline", bound_us, "this machine can move and compute as much in that time")
    forward = view.timings.times(simplest.slow)
    if view.pass_ == "backward" and forward and actual / forward.forward >= MIN_EVIDENCE:  # noqa: S105 - a pass, no password
        yield slowdown("forward", forward.forward, "the forward pass of the same input")
    yield from _by_equivalents(view, simplest.slow)


def _confirmed(view: PassView, simplest: Contrast) -> _Confirmed | None:
    """Interleaved times from a fresh process; None unless they confirm the contrast."""
    times = view.timings.time_pair(simplest.slow, simplest.fast, view.pass_, ROUNDS, fresh=True)
    if times is None or len(times.first_us) < MIN_SAMPLE_PAIRS:
        return None
    share = view.work_share(simplest.slow, simplest.fast)
    ratio = ratio_of_pairs(times.first_us, times.second_us)
    estimate = Estimate(ratio.ratio * share, ratio.low * share, ratio.high * share)
    is_slow = estimate.ratio >= view.min_ratio * MIN_CONFIRMED_SHARE
    if not is_slow or estimate.low < max(MIN_RATIO, view.min_ratio**MIN_LOW_EXPONENT):
        return None
    return _Confirmed(times.first_us, times.second_us, share, estimate)


def _by_equivalents(view: PassView, slow: Point) -> Iterator[Evidence]:
    for equivalent in view.around.equivalents:
        point = equivalent.applied_to(slow)
        estimate = view.paired_ratio(slow, point, EQUIVALENT_ROUNDS) if point else None
        if estimate and estimate.low >= MIN_EVIDENCE:
            yield Evidence("kin", estimate.ratio, f"{equivalent.words} of the same input", estimate.low, estimate.high)


def with_family(finding: Finding, generalised: Generalised) -> Finding:
    """The finding with the words of its family; of the single input if the family isn't reported."""
    reported = generalised.is_reported
    words = generalised.family.words if reported else UNFINISHED if generalised.check.unfinished else SINGLE
    check = msgspec.structs.replace(generalised.check, single=not reported)
    return msgspec.structs.replace(finding, family=words, check=check)


EXPLAINED = "an earlier finding explains it"
NOT_AGAIN = "not slow in further samples"
NOT_CONFIRMED = "not slow in a fresh process"
LATE = "the budget ended before it was confirmed"
ALIKE = "similar to an earlier finding, and the budget ended before the two could be distinguished"
# Samples of a candidate and its neighbour before it is followed.
SAMPLES_AGAIN = 6
# A failed confirmation is repeated once.
CONFIRMATIONS = 2
# Number of times that an unfinished family is continued.
MAX_CONTINUED = 3
_OTHER: dict[PassName, PassName] = {"forward": "backward", "backward": "forward"}


class Investigator:
    """Follows candidates until the deadline of the finder's timings; `causes` holds the causes of its findings."""

    def __init__(self, views: Views, sink: Sink) -> None:
        self._views, self._sink = views, sink
        self._timings = views["forward"].timings
        self._continued: Counter[str] = Counter()
        self.causes = Causes()

    def explains(self, candidate: Candidate) -> bool:
        """Whether a known cause explains a candidate."""
        return self.causes.explain(candidate.point, candidate.pass_, candidate.kind)

    def followed(self, candidate: Candidate) -> Finding | str:
        """The finding of a candidate, or the reason for dropping it."""
        view, pass_ = self._views[candidate.pass_], candidate.pass_
        smaller = shortened(view, candidate)
        if smaller is candidate and not _is_slow_again(view, candidate):
            return NOT_AGAIN
        contrast = view.best_contrast(smaller.point, smaller.kinds)
        if contrast is None and smaller is not candidate:
            contrast = view.best_contrast(candidate.point, candidate.kinds)
        if contrast is None:
            other = "the other side isn't" if view.around.other_side else "no neighbour is"
            return self._dropped_for(f"{other} faster in paired timing")
        simplest = Shrinker(view, contrast, self._is_other(contrast)).result()
        kind = simplest.step.kind
        if self.causes.explain(contrast.slow, pass_, kind) or self.causes.explain(simplest.slow, pass_, kind):
            return EXPLAINED
        return self._finding(simplest, contrast, candidate.point)

    @property
    def unfinished(self) -> Cause | None:
        """The strongest cause whose unfinished family may be continued; None if there is none.

        A family that draws contradict is continued once: a cause that is known by now may explain these draws.
        """
        left = (cause for cause in self.causes if self._times_left(cause) > 0)
        return max(left, key=lambda cause: cause.finding.estimate.ratio, default=None)

    def _times_left(self, cause: Cause) -> int:
        most = MAX_CONTINUED if cause.generalised.check.unfinished else 0 if cause.generalised.is_reported else 1
        return most - self._continued[cause.simplest.slow.key]

    def continued(self, cause: Cause) -> Finding | None:
        """The finding of a known cause with a continued family; None if its words stay the same."""
        self._continued[cause.simplest.slow.key] += 1
        pass_ = cause.finding.pass_
        explained = partial(self.causes.explain, pass_=pass_, kind=cause.kind, beside=cause)
        examples = cause.generalised.examples
        family = Generaliser(self._views[pass_], cause.simplest, explained, cause.first, examples).result()
        if cause.generalised.is_reported and not family.is_reported:
            return None
        finding = with_family(cause.finding, family)
        self.causes.replace(cause, finding=finding, generalised=family)
        return finding if finding != cause.finding else None

    def _is_other(self, contrast: Contrast) -> Callable[[Point], bool]:
        """Tests whether a simpler input may be slow for a known cause that differs from the contrast's."""
        if self.causes.may_explain(contrast.slow, contrast.pass_):
            return lambda _: False
        return partial(self.causes.may_explain, pass_=contrast.pass_)

    def _dropped_for(self, reason: str) -> str:
        """The reason, or the end of the budget if that came first."""
        return LATE if self._timings.closed else reason

    def _finding(self, simplest: Contrast, contrast: Contrast, candidate: Point) -> Finding | str:
        """The finding of a new cause, or of a known cause that becomes wider; else the reason why there is none.

        If the simplest contrast isn't confirmed, the original contrast is tried.
        """
        kind, pass_ = simplest.step.kind, simplest.pass_
        explained = partial(self.causes.explain, pass_=pass_, kind=kind)
        family = Generaliser(self._views[pass_], simplest, explained, contrast.slow).result()
        if known := self.causes.same(family, kind):
            return self._added_to(known, simplest, family) or EXPLAINED
        related = self.causes.related(kind, pass_)
        joint = (self._joint(other, simplest, family) for other in related)
        if widened := next((finding for finding in joint if finding), None):
            return widened
        if not family.is_reported and related:
            # Without a family, the two can't be distinguished.
            return ALIKE
        for each in (simplest, contrast):
            if finding := self._confirmed(each, candidate):
                return self._new_cause(finding, each, family, contrast.slow)
        return self._dropped_for(NOT_CONFIRMED)

    def _confirmed(self, contrast: Contrast, candidate: Point) -> Finding | None:
        """The finding of a contrast that a fresh process confirms."""
        rounds = (number for number in range(CONFIRMATIONS) if number == 0 or not self._timings.expired)
        view = self._views[contrast.pass_]
        confirmed = (confirmed_finding(view, contrast, candidate) for _ in rounds)
        return next((finding for finding in confirmed if finding), None)

    def _new_cause(self, finding: Finding, simplest: Contrast, family: Generalised, first: Point) -> Finding:
        """Adds a cause, with its other pass if that is slow too; `first` is its input before it was simplified."""
        finding = with_family(finding, family)
        cause = Cause(finding, family, simplest, (finding.pass_,), first)
        # An interruption of the other pass keeps the finding.
        self.causes.add(cause)
        if other := confirmed_pass(self._views[_OTHER[finding.pass_]], simplest):
            finding = msgspec.structs.replace(finding, other_pass=other)
            self.causes.replace(cause, finding=finding, passes=(finding.pass_, other.pass_))
        words = f": {finding.family}" if family.is_reported else ""
        self._sink.handle(BestChanged(f"{finding.estimate.ratio:.1f} times{words}"))
        return finding

    def _added_to(self, known: Cause, simplest: Contrast, family: Generalised) -> Finding | None:
        """The finding of a known cause with a wider family or with its other pass; None if neither is new.

        A contrast with an equivalent operator doesn't widen a family found by the operator's own inputs.
        """
        if is_equivalent(known.kind) != is_equivalent(simplest.step.kind):
            return None
        pass_ = simplest.pass_
        if pass_ not in known.passes:
            other = confirmed_pass(self._views[pass_], simplest)
            finding = msgspec.structs.replace(known.finding, other_pass=other)
            self.causes.replace(known, finding=finding, passes=(*known.passes, pass_))
            return finding if other else None
        if known.is_within(family):
            return self._replaced(known, family)
        if joint := self._joint(known, simplest, family):
            return joint
        further = (family.family,) if family.is_settled else ()
        self.causes.replace(known, further=(*known.further, *further))
        return None

    def _joint(self, known: Cause, simplest: Contrast, family: Generalised) -> Finding | None:
        """The finding of a known cause with a family learned from both sets of examples; None if none holds."""
        examples = known.generalised.examples.joined(family.examples)
        view = self._views[simplest.pass_]
        if not joint_family(view.around.factory.operator, known.simplest, examples):
            return None
        explained = partial(self.causes.explain, pass_=view.pass_, kind=known.kind, beside=known)
        joint = Generaliser(view, known.simplest, explained, known.first, examples).result(vary=False)
        return self._replaced(known, joint) if joint.is_reported and joint.family.holds(simplest.slow) else None

    def _replaced(self, known: Cause, family: Generalised) -> Finding:
        return self.causes.replace(known, finding=with_family(known.finding, family), generalised=family).finding


def _is_slow_again(view: PassView, candidate: Candidate) -> bool:
    """Whether a candidate is slow in further samples; following one caused by noise would waste time."""
    point, fast, least = candidate.point, candidate.fast, TOLERANCE * view.min_ratio
    halving = candidate.kind == HALVING
    return fast is None or view.quick_ratio(point, fast, SAMPLES_AGAIN, halving=halving) >= least
