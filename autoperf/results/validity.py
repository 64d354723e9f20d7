"""Checks of the figures of outcomes that are read from files."""

from __future__ import annotations

from autoperf.core.outcome import Outcome, Series
from autoperf.results.correction import check_probes

# A month, in microseconds.
MAX_SAMPLE_US = 2.7e12
MAX_SLOPE = 4.0


def check_outcome(outcome: Outcome) -> None:
    """Raises ValueError for invalid samples."""
    for run in (outcome.forward, outcome.backward):
        for series in run.all_series() if run else ():
            if series.samples:
                check_series(series)


def check_series(series: Series) -> None:
    """Raises ValueError for processes or turns that don't add up to the samples, and for invalid times."""
    samples, counts = series.samples, series.processes or (len(series.samples),)
    if sum(counts) != len(samples) or min(counts) < 0:
        raise ValueError(f"invalid counts {counts} of samples by process: expected a sum of {len(samples)}")
    if series.loops < 1:
        raise ValueError(f"invalid loops {series.loops}: expected at least 1 call for each sample")
    smallest, largest = min(samples), max(samples)
    # This form is false for NaN.
    if not (smallest >= 0 and largest <= MAX_SAMPLE_US):
        raise ValueError(
            f"invalid samples of {smallest:g} to {largest:g} us: expected times from 0 to {MAX_SAMPLE_US:g} us"
        )
    if series.probes:
        check_probes(samples, series.probes)
    if series.slope and not abs(series.slope) <= MAX_SLOPE:
        raise ValueError(f"invalid slope {series.slope}: expected from {-MAX_SLOPE:g} to {MAX_SLOPE:g}")
    turns = series.turns or ()
    if turns and (
        len(turns) != len(counts)
        or any(sum(sizes) != count or min(sizes, default=0) < 0 for sizes, count in zip(turns, counts, strict=True))
    ):
        raise ValueError(f"invalid turns {turns}: expected sums of {list(counts)} samples by process")
