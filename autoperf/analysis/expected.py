"""Reference files: a run with one time in place of the samples of each process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from autoperf.analysis.figures import MEDIAN, FigureSamples, Scale, common_quantile
from autoperf.core.clocks import CLOCKS, Clock
from autoperf.core.outcome import Outcome, Pass, Series
from autoperf.results.runfile import RunEnd, RunHeader

DIGITS = 5


def expected_lines(header: RunHeader, outcomes: Iterable[Outcome], end: RunEnd | None) -> Iterator[str]:
    """The lines of a run file that is small enough to commit and gives the same comparison.

    Its times are at the reference speed of the run: lower deciles, or medians where that speed isn't known.
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
    times = {clock.key: _times(series, scale, clock) for clock in CLOCKS if (series := run.series(clock))}
    return msgspec.structs.replace(Pass(notes=run.notes), **times)


def _times(series: Series, scale: Scale, clock: Clock) -> Series:
    if not series.samples:
        return series
    quantile = common_quantile(clock, [series], scale)
    reduced = FigureSamples(series, scale, exact=not clock.is_time).figure(quantile=quantile)
    times = tuple(float(f"{time:.{DIGITS}g}") for time in reduced.times)
    stated = msgspec.UNSET if quantile == MEDIAN else quantile
    return msgspec.structs.replace(
        series, samples=times, processes=(1,) * len(times), probes=msgspec.UNSET, quantile=stated
    )
