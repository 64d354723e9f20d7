"""Reference files: a run with one median in place of the samples of each process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from autoperf.analysis.figures import Scale, figure
from autoperf.core.clocks import CLOCKS, Clock
from autoperf.core.outcome import Outcome, Pass, Series
from autoperf.results.runfile import RunEnd, RunHeader

DIGITS = 5


def expected_lines(header: RunHeader, outcomes: Iterable[Outcome], end: RunEnd | None) -> Iterator[str]:
    """The lines of a run file that is small enough to commit and gives the same comparison.

    Its medians are at the reference speed of the run.
    """
    own = header.reference or None
    scale = Scale(own, own)
    for record in (header.current, *(_reduced(outcome, scale) for outcome in outcomes), *((end,) if end else ())):
        yield msgspec.json.encode(record).decode() + "\n"


def _reduced(outcome: Outcome, scale: Scale) -> Outcome:
    return msgspec.structs.replace(
        outcome, forward=_reduced_pass(outcome.forward, scale), backward=_reduced_pass(outcome.backward, scale)
    )


def _reduced_pass(run: Pass | None, scale: Scale) -> Pass | None:
    if run is None:
        return None
    medians = {clock.key: _medians(series, scale, clock) for clock in CLOCKS if (series := run.series(clock))}
    return msgspec.structs.replace(Pass(notes=run.notes), **medians)


def _medians(series: Series, scale: Scale, clock: Clock) -> Series:
    if not series.samples:
        return series
    exact = not clock.is_time
    medians = tuple(float(f"{median:.{DIGITS}g}") for median in figure(series, scale, exact=exact).medians)
    return msgspec.structs.replace(series, samples=medians, processes=(1,) * len(medians), probes=msgspec.UNSET)
