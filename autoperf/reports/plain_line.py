"""An outcome as one line, for logs and progress displays."""

from __future__ import annotations

from autoperf.core.clocks import CLOCKS, Clock
from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.reports.summary import peak, verdict
from autoperf.reports.units import describe_case, one_line, profile_label, quantity, size


def plain_line(outcome: Outcome) -> str:
    """The outcome, figures first."""
    result = _figures(outcome) if outcome.status is Status.MEASURED else verdict(outcome)
    inputs = one_line(describe_case(outcome))
    line = f"{one_line(outcome.operator)} {profile_label(outcome.profile)}: {result}"
    return f"{line} | {inputs}" if inputs else line


def _figures(outcome: Outcome) -> str:
    parts = [
        f"{name} {_medians(run)}"
        for name, run in (("forward", outcome.forward), ("backward", outcome.backward))
        if run is not None
    ]
    return ", ".join([*parts, f"peak {size(peak(outcome))}"])


def _medians(run: Pass) -> str:
    """The median by the first clock, and those by the others: `12.3 us (wall 45.6 us)`."""
    first, *others = (clock for clock in CLOCKS if not clock.on_request or run.series(clock))
    return f"{_median(run, first)} ({', '.join(f'{clock.name} {_median(run, clock)}' for clock in others)})"


def _median(run: Pass, clock: Clock) -> str:
    series = run.series(clock)
    return quantity(series.median if series else None, clock.unit)
