"""Whether the figures of one case are decided, so that a comparison need not measure it further."""

from __future__ import annotations

from autoperf.analysis.compare import estimate
from autoperf.analysis.comparison import ComparisonOptions, Verdict
from autoperf.analysis.figures import Scale
from autoperf.analysis.pairs import Pair, pairs_of
from autoperf.analysis.sequential import MAX_LOOKS
from autoperf.analysis.verdicts import verdicts
from autoperf.core.outcome import Outcome, Status
from autoperf.core.probe import Reference

CERTAIN = 0.001
"""A change must still be significant when thousands of figures are judged together, which is known at the end only."""


def is_decided(base: Outcome, new: Outcome, reference: Reference | None, options: ComparisonOptions) -> bool:
    """Whether each figure of a case that both sides measured in turn is the same, or certainly faster or slower."""
    if not base.status is new.status is Status.MEASURED:
        return False
    scale = Scale(reference, reference)
    pairs = [pair for pair in pairs_of(base, new, options, (scale, scale)) if isinstance(pair, Pair)]
    if not pairs or not all(len(pair.base.medians) > 1 and len(pair.new.medians) > 1 for pair in pairs):
        return False
    estimated, _ = estimate(pairs, in_turn=True, looks=MAX_LOOKS)
    judged = verdicts(estimated, estimated.p, options.threshold)
    return all(
        verdict is Verdict.SAME or (verdict is not Verdict.UNDECIDED and p < CERTAIN)
        for verdict, p in zip(judged, estimated.p, strict=True)
    )
