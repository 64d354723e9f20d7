"""The speed of the machine during a run, in a line."""

from __future__ import annotations

from collections.abc import Iterable

from autoperf.core.outcome import Outcome
from autoperf.core.probe import Reference
from autoperf.reports.units import duration

_LOW, _HIGH = 0.05, 0.95


def speed_line(reference: Reference | None, outcomes: Iterable[Outcome]) -> str:
    """At which speed times are told, and at which the machine ran; empty if no probe was read."""
    if not reference:
        return ""
    probes = sorted(
        series.probe_us
        for outcome in outcomes
        for run in (outcome.forward, outcome.backward)
        for series in (run.all_series() if run else ())
        if series.probe_us
    )
    if not probes:
        return ""
    slow, middle, fast = (
        f"{reference.us / probes[int(share * (len(probes) - 1))]:.0%}" for share in (_HIGH, 0.5, _LOW)
    )
    speed = f"the machine ran at {middle} of it ({slow} to {fast})"
    return f"times are at the reference speed of this machine (probe: {duration(reference.us)}); {speed}"
