"""Histograms of the samples of a series."""

from __future__ import annotations

from collections.abc import Sequence

from autoperf.core.outcome import Series
from autoperf.core.probe import Reference
from autoperf.reports.html.page import Distribution
from autoperf.reports.units import duration
from autoperf.results.samples import reference_samples

BINS = 24
MIN_SAMPLES = 5
TAIL_SHARE = 0.99
"""The range ends at this percentile; the last bin has the samples above too."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def distribution(label: str, series: Series, reference: Reference | None) -> Distribution | None:
    """The histogram of a series at the reference speed, in microseconds; None for too few samples."""
    samples = sorted(reference_samples(series, reference))
    if len(samples) < MIN_SAMPLES:
        return None
    low, high = samples[0], samples[int(TAIL_SHARE * (len(samples) - 1))]
    more = "" if samples[-1] == high else " and more"
    return Distribution(label, _bins(samples, low, high), (duration(low), f"{duration(high)}{more}"))


def _bins(samples: Sequence[float], low: float, high: float) -> str:
    """The counts as digits to base 36: the fullest bin has the largest digit, and only an empty one has 0."""
    counts = [0] * BINS
    for sample in samples:
        counts[min(BINS - 1, int(BINS * (sample - low) / (high - low))) if high > low else BINS // 2] += 1
    fullest = max(counts)
    return "".join(_DIGITS[-(-count * (len(_DIGITS) - 1) // fullest)] for count in counts)
