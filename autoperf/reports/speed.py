"""The speed of the machine during a run, in a line."""

from __future__ import annotations

from collections.abc import Iterable

from autoperf.core.outcome import Outcome

_LOW, _HIGH = 0.05, 0.95


def speed_line(outcomes: Iterable[Outcome]) -> str:
    """The speed at which the machine ran, relative to its reference, at which times are; empty without a probe."""
    speeds = sorted(
        series.speed
        for outcome in outcomes
        for run in (outcome.forward, outcome.backward)
        for series in (run.all_series() if run else ())
        if series.speed
    )
    if not speeds:
        return ""
    low, middle, high = (f"{speeds[int(share * (len(speeds) - 1))]:.0%}" for share in (_LOW, 0.5, _HIGH))
    return f"times are at the reference speed of this machine, which ran at {middle} of it ({low} to {high})"
