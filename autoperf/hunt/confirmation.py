"""Confirms a contrast in a fresh process, and adds the evidence of every oracle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from autoperf.core.finding import Estimate, Evidence, Finding, OtherPass
from autoperf.core.outcome import PassName
from autoperf.core.work import Work
from autoperf.executor.messages import PairedTimes
from autoperf.hunt.contrast import Contrast, ContrastFinder
from autoperf.hunt.equivalents import Equivalent
from autoperf.hunt.generaliser import Generalised
from autoperf.hunt.point import Point
from autoperf.hunt.ratio import MIN_PAIRS, ratio_of
from autoperf.results.intervals import median_interval

ROUNDS = 25
EQUIVALENT_ROUNDS = 9
# Evidence is recorded from this ratio on.
MIN_EVIDENCE = 1.2
# A confirmed ratio may fall short of the minimum by this factor.
MIN_CONFIRMED_SHARE = 0.95
# The interval of a confirmed ratio must lie above the minimum ratio to this power.
MIN_LOW_EXPONENT = 0.6
SINGLE = "this input; no family of it holds on fresh draws"
UNFINISHED = "this input; the budget ended before a family of it was held against enough fresh draws"

MinMicroseconds = Callable[[Work, str], float]
"""The minimum microseconds of this machine for some work in a dtype; 0 if unknown."""


class Confirmer:
    """Confirms contrasts of one operator. `roofline` and `equivalents` give further evidence."""

    def __init__(
        self, finder: ContrastFinder, roofline: MinMicroseconds | None, equivalents: Sequence[Equivalent]
    ) -> None:
        self._finder, self._timings = finder, finder.timings
        self._roofline, self._equivalents = roofline, equivalents

    def finding(
        self, simplest: Contrast, candidate: Point, generalised: Generalised, pass_: PassName
    ) -> Finding | None:
        """The finding of a contrast that a candidate led to; None if it isn't slow in a fresh process."""
        times = self._confirmed_times(simplest, pass_)
        if times is None:
            return None
        share = self._finder.work_share(simplest.slow, simplest.fast, pass_)
        actual, contrast = middle(times.first_us), middle(times.second_us)
        finding = Finding(
            operator=self._finder.factory.operator.name,
            pass_=pass_,
            case=simplest.slow.case,
            contrast=simplest.fast.case,
            found=candidate.case,
            step=simplest.step.words,
            estimate=scaled(ratio_of(times.first_us, times.second_us), share),
            actual_us=actual,
            contrast_us=contrast,
            expected_us=contrast / share,
            family="",
            evidence=tuple(self._evidence(simplest, times, share, pass_)),
            sides=self._sides(),
        )
        return with_family(finding, generalised)

    def _sides(self) -> tuple[str, str] | None:
        """The words for the slow and the fast side of a hunt between two."""
        other_side = self._finder.other_side
        return (other_side.searched_words, other_side.words) if other_side else None

    def other_pass(self, simplest: Contrast, pass_: PassName) -> OtherPass | None:
        """This pass of the same inputs, if it is slow too."""
        times = self._confirmed_times(simplest, pass_) if pass_ in self._timings.passes else None
        if times is None:
            return None
        share = self._finder.work_share(simplest.slow, simplest.fast, pass_)
        return OtherPass(
            pass_=pass_,
            case=simplest.slow.case,
            estimate=scaled(ratio_of(times.first_us, times.second_us), share),
            actual_us=middle(times.first_us),
            contrast_us=middle(times.second_us),
        )

    def _confirmed_times(self, simplest: Contrast, pass_: PassName) -> PairedTimes | None:
        """Interleaved times from a fresh process, if they show the contrast."""
        times = self._timings.paired_times(simplest.slow, simplest.fast, pass_, ROUNDS)
        if times is None or (self._timings.closed and len(times.first_us) < MIN_PAIRS):
            return None
        share = self._finder.work_share(simplest.slow, simplest.fast, pass_)
        estimate = scaled(ratio_of(times.first_us, times.second_us), share)
        is_slow = estimate.ratio >= self._finder.min_ratio * MIN_CONFIRMED_SHARE
        return times if is_slow and estimate.low >= self._finder.min_ratio**MIN_LOW_EXPONENT else None

    def _evidence(self, simplest: Contrast, times: PairedTimes, share: float, pass_: PassName) -> Iterator[Evidence]:
        """The evidence of each oracle whose ratio is at least MIN_EVIDENCE."""
        slow = sorted(times.first_us)
        actual, bounds = middle(slow), median_interval(slow) or (slow[0], slow[-1])

        def slowdown(oracle: str, us: float, detail: str) -> Evidence:
            return Evidence(oracle, actual / us, detail, bounds[0] / us, bounds[1] / us)

        estimate = scaled(ratio_of(times.first_us, times.second_us), share)
        oracle = "side" if simplest.is_between_sides else "neighbour"
        yield Evidence(oracle, estimate.ratio, simplest.step.words, estimate.low, estimate.high)
        model = self._finder.models.get(pass_)
        if model and not model.fit.poor and model.excess(simplest.slow, actual) >= MIN_EVIDENCE:
            detail = f"half of {model.fit.inputs} other inputs lie within a factor of {model.fit.factor:.2f} of it"
            yield slowdown("model", model.expected_us(simplest.slow), detail)
        bound_us = self._roofline(simplest.slow.work, simplest.slow.dtype) if self._roofline else 0.0
        if bound_us and actual / bound_us >= MIN_EVIDENCE:
            yield slowdown("roofline", bound_us, "this machine can move and compute as much in that time")
        forward = self._timings.times(simplest.slow)
        if pass_ == "backward" and forward and actual / forward.forward >= MIN_EVIDENCE:  # noqa: S105 - a pass, no password
            yield slowdown("forward", forward.forward, "the forward pass of the same input")
        yield from self._by_equivalents(simplest.slow, pass_)

    def _by_equivalents(self, slow: Point, pass_: PassName) -> Iterator[Evidence]:
        """Equivalent operators that are faster on the same input."""
        for equivalent in self._equivalents:
            point = equivalent.applied_to(slow)
            estimate = self._timings.paired_ratio(slow, point, pass_, EQUIVALENT_ROUNDS) if point else None
            if estimate and estimate.low >= MIN_EVIDENCE:
                yield Evidence(
                    "kin", estimate.ratio, f"{equivalent.words} of the same input", estimate.low, estimate.high
                )


def with_family(finding: Finding, generalised: Generalised) -> Finding:
    """The finding with the words of its family, or the single input where fresh draws contradict it or are too few."""
    reported = generalised.is_reported
    words = generalised.family.words if reported else UNFINISHED if generalised.check.unfinished else SINGLE
    check = msgspec.structs.replace(generalised.check, single=not reported)
    return msgspec.structs.replace(finding, family=words, check=check)


def scaled(estimate: Estimate, share: float) -> Estimate:
    """The ratio scaled to equal work; `share` is the fast input's work as a share of the slow one's."""
    return Estimate(estimate.ratio * share, estimate.low * share, estimate.high * share)


def middle(values: Sequence[float]) -> float:
    """The median."""
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
