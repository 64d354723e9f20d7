"""What of an outcome's figures can't be, as edited and damaged files have them."""

from __future__ import annotations

from autoperf.core.outcome import Outcome, Series

# A month, in microseconds.
MAX_SAMPLE_US = 2.7e12


def check_outcome(outcome: Outcome) -> None:
    """Raises ValueError for samples that can't be."""
    for run in (outcome.forward, outcome.backward):
        for series in run.all_series() if run else ():
            if series.samples:
                check_series(series)


def check_series(series: Series) -> None:
    """Raises ValueError for processes or turns that don't add up to the samples, and for samples that are no times."""
    samples, counts = series.samples, series.processes or (len(series.samples),)
    if sum(counts) != len(samples) or min(counts) < 0:
        raise ValueError(f"{len(samples)} samples can't come from processes with {counts}")
    if series.loops < 1:
        raise ValueError(f"samples can't be of {series.loops} calls each")
    least, most = min(samples), max(samples)
    # Of NaN no comparison holds.
    if not (least >= 0 and most <= MAX_SAMPLE_US):
        raise ValueError(f"a sample of {least:g} to {most:g} us is no time")
    turns = series.turns or ()
    if turns and (
        len(turns) != len(counts)
        or any(sum(sizes) != count or min(sizes, default=0) < 0 for sizes, count in zip(turns, counts, strict=True))
    ):
        raise ValueError(f"turns with {turns} samples can't come from processes with {list(counts)}")
