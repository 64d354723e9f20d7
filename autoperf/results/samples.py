"""The samples of a series at the reference speed, together and by process."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from autoperf.core.outcome import Series
from autoperf.core.probe import Reference
from autoperf.results.correction import corrected
from autoperf.results.intervals import median


def reference_samples(series: Series, reference: Reference | None) -> Sequence[float]:
    """The samples at the speed at which the statistics of the series are, in microseconds."""
    if not (series.probes and reference):
        return series.samples
    counts = series.processes or (len(series.samples),)
    return corrected(series.samples, series.probes, counts, reference, series.slope or 0.0)


def process_medians(series: Series, reference: Reference | None) -> list[float]:
    """The median of each process at the reference speed, in microseconds; that of the series without samples."""
    samples = reference_samples(series, reference)
    ends = accumulate(series.processes or (len(samples),), initial=0)
    parts = [sorted(samples[begin:end]) for begin, end in pairwise(ends)]
    return [median(part) for part in parts if part] or [series.median]
