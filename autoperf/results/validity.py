"""Checks of the figures of outcomes that are read from files."""

from __future__ import annotations

from autoperf.core.clocks import CLOCKS
from autoperf.core.outcome import Outcome, Series
from autoperf.core.probe import Probes
from autoperf.results.correction import check_probes

# A month in microseconds; what a counter of 64 bits can hold.
MAX_SAMPLE_US = 2.7e12
MAX_COUNT = 2.0**64
MAX_SLOPE = 4.0
# No machine is so many times as fast as when its reference was measured.
MAX_SPEED = 1000.0


def check_outcome(outcome: Outcome) -> None:
    """Raises ValueError for invalid samples, and for an impossible speed of the machine."""
    for run in (outcome.forward, outcome.backward):
        for speed in (each.speed for each in run.all_series()) if run else ():
            if speed and not 0 < speed <= MAX_SPEED:
                raise ValueError(f"invalid speed {speed:g} of the machine: expected from 0 to {MAX_SPEED:g}")
        for clock in CLOCKS if run else ():
            series = run.series(clock) if run else None
            if series is not None and series.samples:
                check_series(series, exact=not clock.is_time)


def check_series(series: Series, *, exact: bool = False) -> None:
    """Raises ValueError for processes or turns that don't add up to the samples, and for invalid times or counts.

    `exact` samples are counts.
    """
    samples, counts = series.samples, series.processes or (len(series.samples),)
    if sum(counts) != len(samples) or min(counts) < 0:
        raise ValueError(f"invalid counts {counts} of samples by process: expected a sum of {len(samples)}")
    if series.loops < 1:
        raise ValueError(f"invalid loops {series.loops}: expected at least 1 call for each sample")
    smallest, largest = min(samples), max(samples)
    # This form is false for NaN.
    limit, unit = (MAX_COUNT, "") if exact else (MAX_SAMPLE_US, " us")
    if not (smallest >= 0 and largest <= limit):
        what = "counts" if exact else "times"
        raise ValueError(
            f"invalid samples of {smallest:g} to {largest:g}{unit}: expected {what} from 0 to {limit:g}{unit}"
        )
    if series.probes:
        check_probes(samples, series.probes)
    if series.at_reference:
        stated = series.at_reference
        check_probes(stated.samples, Probes(stated.probe, stated.probe))
        if not (stated.samples and min(stated.samples) >= 0 and max(stated.samples) <= limit):
            raise ValueError(f"invalid times at reference speed {stated.samples}: expected from 0 to {limit:g}{unit}")
    if series.slope and not abs(series.slope) <= MAX_SLOPE:
        raise ValueError(f"invalid slope {series.slope}: expected from {-MAX_SLOPE:g} to {MAX_SLOPE:g}")
    turns = series.turns or ()
    if turns and (
        len(turns) != len(counts)
        or any(sum(sizes) != count or min(sizes, default=0) < 0 for sizes, count in zip(turns, counts, strict=True))
    ):
        raise ValueError(f"invalid turns {turns}: expected sums of {list(counts)} samples by process")
