"""The speed of the machine during a run, and what is missing for its roofline, each in a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from autoperf.core.outcome import Outcome
from autoperf.core.roofline import Roofline
from autoperf.reports.units import count

_LOW, _MIDDLE, _HIGH = 0.05, 0.5, 0.95
MAX_PERCENT = 110
"""A machine that runs faster than that had a slow moment when its reference was measured."""


def speed_line(outcomes: Iterable[Outcome]) -> str:
    """The speed at which the machine ran, relative to its reference, at which times are; empty without a probe."""
    percents = Counter(
        round(100 * series.speed)
        for outcome in outcomes
        for run in (outcome.forward, outcome.backward)
        for series in (run.all_series() if run else ())
        if series.speed
    )
    if not percents:
        return ""
    low, middle, high = (_percentile(percents, share) for share in (_LOW, _MIDDLE, _HIGH))
    line = f"times are at the reference speed of this machine, which ran at {middle}% of it ({low}% to {high}%)"
    if high <= MAX_PERCENT:
        return line
    return f"{line}: the reference was measured in a slow moment; `autoperf doctor --calibrate` measures it again"


def roofline_line(outcomes: Iterable[Outcome], roofline: Roofline | None) -> str:
    """How to get percentages of the roofline, or better ones; empty if they are sound, or if no work is counted."""
    throughputs = [run.throughput for outcome in outcomes if (run := outcome.forward) and run.throughput]
    if not throughputs:
        return ""
    if all(throughput.roofline is None for throughput in throughputs):
        return "the roofline of this machine wasn't known to the run: `autoperf doctor` measures it once"
    if roofline is None or not roofline.busy:
        return ""
    load = f"load {roofline.load:.1f} on {count(roofline.processors, 'processor')}"
    return (
        f"the roofline was measured on a busy machine ({load}), so that shares of it are too large: "
        "`autoperf doctor --calibrate` measures it again"
    )


def _percentile(counts: Counter[int], share: float) -> int:
    """The smallest value that at least this share of all values doesn't exceed."""
    left = share * counts.total()
    for value, number in sorted(counts.items()):
        left -= number
        if left <= 0:
            return value
    return max(counts)
