"""Confirms a contrast in a fresh process, and adds the evidence of all sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

import msgspec

from autoperf.comparison.interleaved_ratios import MIN_SAMPLE_PAIRS, ratio_of_pairs
from autoperf.core.finding import Estimate, Evidence, Finding, OtherPass
from autoperf.core.outcome import PassName
from autoperf.core.work import Work
from autoperf.hunt.contrast import Contrast, PassView, Views
from autoperf.hunt.generaliser import Generalised
from autoperf.hunt.point import Point
from autoperf.stats.intervals import median_interval

ROUNDS = 25
EQUIVALENT_ROUNDS = 9
# Minimum ratio of recorded evidence.
MIN_EVIDENCE = 1.2
# A confirmed ratio is at least this share of the minimum ratio.
MIN_CONFIRMED_SHARE = 0.95
# The interval of a confirmed ratio lies above the minimum ratio to this power.
MIN_LOW_EXPONENT = 0.6
SINGLE = "this input only"
UNFINISHED = "this input only: the budget ended before others were tested"

MinMicroseconds = Callable[[Work, str], float]
"""The minimum time of some work in a dtype on this machine, in microseconds; 0 if unknown."""


class _Confirmed(NamedTuple):
    """Times of a confirmed contrast in microseconds, the fast input's share of the work, and the scaled ratio."""

    slow_us: Sequence[float]
    fast_us: Sequence[float]
    share: float
    estimate: Estimate


class Confirmer:
    """Confirms contrasts of one operator; `roofline` adds evidence."""

    def __init__(self, views: Views, roofline: MinMicroseconds | None = None) -> None:
        self._views, self._roofline = views, roofline

    def finding(self, simplest: Contrast, candidate: Point, generalised: Generalised) -> Finding | None:
        """The finding of a contrast that a candidate led to; None if it isn't slow in a fresh process."""
        view = self._views[simplest.pass_]
        confirmed = _confirmed(view, simplest)
        if confirmed is None:
            return None
        other_side = view.around.other_side
        finding = Finding(
            operator=view.around.factory.operator.name,
            pass_=view.pass_,
            case=simplest.slow.case,
            contrast=simplest.fast.case,
            found=candidate.case,
            step=simplest.step.sentence(confirmed.estimate.ratio),
            estimate=confirmed.estimate,
            actual_us=median(confirmed.slow_us),
            contrast_us=median(confirmed.fast_us),
            expected_us=median(confirmed.fast_us) / confirmed.share,
            family="",
            evidence=tuple(self._evidence(view, simplest, confirmed)),
            sides=(other_side.searched_words, other_side.words) if other_side else None,
            equal_work=not simplest.step.loss,
        )
        return with_family(finding, generalised)

    def other_pass(self, simplest: Contrast, pass_: PassName) -> OtherPass | None:
        """The result for this pass of the same inputs, if it is slow too."""
        view = self._views[pass_]
        confirmed = _confirmed(view, simplest) if pass_ in view.timings.passes else None
        if confirmed is None:
            return None
        return OtherPass(
            pass_=pass_,
            case=simplest.slow.case,
            estimate=confirmed.estimate,
            actual_us=median(confirmed.slow_us),
            contrast_us=median(confirmed.fast_us),
        )

    def _evidence(self, view: PassView, simplest: Contrast, confirmed: _Confirmed) -> Iterator[Evidence]:
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
        bound_us = self._roofline(simplest.slow.work, simplest.slow.dtype) if self._roofline else 0.0
        if bound_us and actual / bound_us >= MIN_EVIDENCE:
            yield slowdown("roofline", bound_us, "this machine can move and compute as much in that time")
        forward = view.timings.times(simplest.slow)
        if view.pass_ == "backward" and forward and actual / forward.forward >= MIN_EVIDENCE:  # noqa: S105 - a pass, no password
            yield slowdown("forward", forward.forward, "the forward pass of the same input")
        yield from _by_equivalents(view, simplest.slow)


def _confirmed(view: PassView, simplest: Contrast) -> _Confirmed | None:
    """Interleaved times from a fresh process; None unless they confirm the contrast."""
    times = view.timings.paired_times(simplest.slow, simplest.fast, view.pass_, ROUNDS)
    if times is None or len(times.first_us) < MIN_SAMPLE_PAIRS:
        return None
    share = view.work_share(simplest.slow, simplest.fast)
    ratio = ratio_of_pairs(times.first_us, times.second_us)
    estimate = Estimate(ratio.ratio * share, ratio.low * share, ratio.high * share)
    is_slow = estimate.ratio >= view.min_ratio * MIN_CONFIRMED_SHARE
    if not is_slow or estimate.low < view.min_ratio**MIN_LOW_EXPONENT:
        return None
    return _Confirmed(times.first_us, times.second_us, share, estimate)


def _by_equivalents(view: PassView, slow: Point) -> Iterator[Evidence]:
    """Equivalent operators that are faster on the same input."""
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
