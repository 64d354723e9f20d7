"""The samples of a series at the reference speed, together and by process."""

from __future__ import annotations

from collections.abc import Sequence

from autoperf.core.outcome import Series
from autoperf.core.probe import Reference
from autoperf.results.correction import AtReference, at_reference, corrected, not_longer
from autoperf.results.intervals import median


def reference_samples(series: Series, reference: Reference | None) -> Sequence[float]:
    """The samples of which the statistics of the series are, at their speed, in microseconds."""
    return _used(series, reference).samples


def process_medians(series: Series, reference: Reference | None) -> list[float]:
    """The median of each process at the reference speed, in microseconds; that of the series without samples."""
    return [median(sorted(part)) for part in _used(series, reference).parts if part] or [series.median]


def _used(series: Series, reference: Reference | None) -> AtReference:
    counts = series.processes or (len(series.samples),)
    if not (series.probes and reference):
        return AtReference(list(series.samples), counts, is_steady=False)
    slope = series.slope or 0.0
    if series.steady:
        return at_reference(series.samples, series.probes, counts, reference, slope)
    values = corrected(series.samples, series.probes, counts, reference, slope)
    return AtReference(not_longer(values, series.samples), counts, is_steady=False)
