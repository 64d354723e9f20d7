"""Decides whether the figures of a case are certain, so that a comparison can stop measuring it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

import msgspec

from autoperf.comparison.code_changes import is_counted
from autoperf.comparison.compare import estimate, thresholds, turns_of
from autoperf.comparison.comparison import FALSE_DISCOVERIES, ComparisonOptions, Verdict
from autoperf.comparison.figures import Scale
from autoperf.comparison.interleaved_ratios import (
    MAX_LOOKS,
    PairObservation,
    estimate_variance,
    has_enough_pairs,
    observe,
)
from autoperf.comparison.noise import Stratum, stratum_of
from autoperf.comparison.pairs import Pair, pairs_of
from autoperf.comparison.ratios import verdicts
from autoperf.core.machine import Reference
from autoperf.core.outcome import Outcome, Status

CERTAIN = 0.001
"""The p value of a change that stays significant even among thousands of figures, whose number is known at the end."""
FALSE_SHARE = 0.5
"""Factor on the share of changes that earlier cases predict, since later cases may change less."""
MIN_EARLIER_FIGURES = 40
MAX_OBSERVED = 1000
"""The number of latest figures of a stratum from which the variance between pairs of processes is estimated."""


class _Seen(msgspec.Struct, frozen=True):
    """The number of figures, and of figures that have certainly changed."""

    figures: int = 0
    changed: int = 0

    def __add__(self, other: _Seen) -> _Seen:
        return _Seen(self.figures + other.figures, self.changed + other.changed)


class EarlyStop:
    """Decides, after each look at a case, whether it needs no further turns.

    A figure that is the same needs none, nor does a changed figure whose p value will be significant among all figures
    of the comparison (`ratios.adjusted`). With a share s of changed figures, these are the p values up to s times 5%; s
    is estimated from the cases so far. The verdicts themselves are given by the whole comparison at its end.
    """

    def __init__(self, reference: Reference | None, options: ComparisonOptions) -> None:
        self._scale = Scale(reference, reference)
        self._options = options
        self._earlier = _Seen()
        self._case = ""
        self._latest = _Seen()
        self._latest_pairs: dict[Stratum, list[PairObservation]] = {}
        self._observed: defaultdict[Stratum, deque[PairObservation]] = defaultdict(lambda: deque(maxlen=MAX_OBSERVED))

    @property
    def certain(self) -> float:
        """The p value below which a change counts as certain."""
        if self._earlier.figures < MIN_EARLIER_FIGURES:
            return CERTAIN
        share = self._earlier.changed / self._earlier.figures
        return max(CERTAIN, FALSE_SHARE * share * FALSE_DISCOVERIES)

    def is_decided(self, base: Outcome, new: Outcome) -> bool:
        """Whether each figure of an interleaved case is the same, or certainly faster or slower."""
        if base.case != self._case:
            self._begin(base.case)
        figures = self._figures(base, new)
        if not figures:
            return False
        self._observe(figures)
        variances = {stratum: estimate_variance(self._observed[stratum]) for stratum in map(stratum_of, figures)}
        estimated, _ = estimate(figures, in_turn=True, looks=MAX_LOOKS, variances=variances)
        judged = verdicts(estimated, estimated.p, thresholds(figures, self._options))
        certain = self.certain
        decided = [
            verdict is Verdict.SAME or (verdict is not Verdict.UNDECIDED and p < certain)
            for verdict, p in zip(judged, estimated.p, strict=True)
        ]
        changed = sum(
            is_certain and verdict is not Verdict.SAME for verdict, is_certain in zip(judged, decided, strict=True)
        )
        self._latest = _Seen(len(figures), changed)
        return all(decided)

    def _begin(self, case: str) -> None:
        """Begins another case; the last look at the previous case counts as an earlier one."""
        self._case, self._earlier, self._latest = case, self._earlier + self._latest, _Seen()
        for stratum, observations in self._latest_pairs.items():
            self._observed[stratum].extend(observations)
        self._latest_pairs = {}

    def _observe(self, figures: Sequence[Pair]) -> None:
        """Keeps the variances between pairs of processes for later cases."""
        self._latest_pairs = {}
        for pair in figures:
            turns = turns_of(pair)
            if has_enough_pairs(turns):
                self._latest_pairs.setdefault(stratum_of(pair), []).append(observe(turns))

    def _figures(self, base: Outcome, new: Outcome) -> Sequence[Pair]:
        """The pairs of figures of a case; none unless all have samples of at least two pairs of processes."""
        if not base.status is new.status is Status.MEASURED:
            return ()
        entries = pairs_of(base, new, self._options, (self._scale, self._scale))
        figures = [pair for pair in entries if isinstance(pair, Pair) and not is_counted(pair)]
        has_processes = all(len(pair.base.times) > 1 and len(pair.new.times) > 1 for pair in figures)
        return figures if has_processes else ()
