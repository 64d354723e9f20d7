"""What the section of an operator says about a case: its parts, its kernels, its samples, and how to repeat it."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.core.clocks import CLOCKS
from autoperf.core.outcome import PASSES, Outcome, Pass, Status
from autoperf.core.probe import Reference
from autoperf.reports.detail import details
from autoperf.reports.html.distributions import distribution
from autoperf.reports.html.page import Detail, Distribution
from autoperf.reports.repeat_command import repeat_command
from autoperf.reports.summary import verdict
from autoperf.reports.units import one_line
from autoperf.results.runfile import RunHeader


def case_detail(header: object, outcome: Outcome) -> Detail:
    """The details of an outcome of the run with this header."""
    known = header if isinstance(header, RunHeader) else None
    reference = (known.reference or None) if known else None
    return Detail(
        notes=tuple(_notes(outcome)),
        distributions=tuple(_distributions(outcome, reference)),
        command=repeat_command(known, outcome) if known else "",
    )


def _passes(outcome: Outcome) -> Iterator[tuple[str, Pass]]:
    for name in PASSES:
        run = outcome.forward if name == "forward" else outcome.backward
        if run is not None:
            yield name, run


def _notes(outcome: Outcome) -> Iterator[str]:
    if outcome.status is not Status.MEASURED:
        yield verdict(outcome)
    elif outcome.reason:
        yield f"no backward figure: {one_line(outcome.reason)}"
    yield from map(one_line, details(outcome))
    for name, run in _passes(outcome):
        yield from (f"{name}: {one_line(note)}" for note in run.notes)


def _distributions(outcome: Outcome, reference: Reference | None) -> Iterator[Distribution]:
    for name, run in _passes(outcome):
        for clock in CLOCKS:
            series = run.series(clock) if clock.is_time else None
            made = distribution(f"{name} {clock.name}", series, reference) if series else None
            if made:
                yield made
