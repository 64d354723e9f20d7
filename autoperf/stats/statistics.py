"""Statistics of samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import Difference, FigureWarning, Series
from autoperf.stats.correction import (
    MAX_SLOWDOWN,
    MIN_STEADY,
    AtReference,
    at_reference,
    brought_to,
    corrected,
    interval,
    median,
    median_interval,
    not_longer,
    probe_median,
    speeds,
    split,
)


def paired_difference(first: Series, second: Series, reference: Reference | None) -> Difference | None:
    """The second call's time minus the first's, by the samples of each process in pairs, in order.

    Both samples of a pair share the differences between processes and over time. None if the numbers of samples of the
    processes differ.
    """
    counts = _sizes(first)
    if counts != _sizes(second):
        return None
    both = zip(_at_reference(first, reference), _at_reference(second, reference), strict=True)
    # Each difference, and whether both samples are at reference speed.
    pairs = [(new - base, is_steady and is_other) for (base, is_steady), (new, is_other) in both]
    processes = list(split(pairs, counts))
    steady = [[difference for difference, is_steady in process if is_steady] for process in processes]
    used = steady if sum(map(len, steady)) >= MIN_STEADY else [[pair[0] for pair in process] for process in processes]
    return median_difference([process for process in used if process])


def median_difference(processes: Sequence[Sequence[float]]) -> Difference:
    """The median of differences by process, with its interval; fewer than six differences have none.

    The interval encloses the 95% interval of the pooled median and the median of each process, so it contains zero if
    these differ in their sign.
    """
    pooled = sorted(difference for process in processes for difference in process)
    bounds = median_interval(pooled)
    if bounds is None:
        return Difference(median(pooled))
    medians = [median(sorted(process)) for process in processes]
    return Difference(median(pooled), min(bounds[0], *medians), max(bounds[1], *medians))


def _sizes(figure: Series) -> tuple[int, ...]:
    return figure.processes or (len(figure.samples),)


def _at_reference(figure: Series, reference: Reference | None) -> list[tuple[float, bool]]:
    """The samples at reference speed, each with whether it was taken there, as far as that is known."""
    if reference is None or not figure.probes or not isinstance(figure.slope, float):
        return [(sample, False) for sample in figure.samples]
    beside = speeds(figure.probes, _sizes(figure))
    values = not_longer(brought_to(reference, figure.samples, beside, figure.slope), figure.samples)
    is_steady = [speed <= MAX_SLOWDOWN * reference.us for speed in beside]
    return [
        (sample if steady else value, steady)
        for sample, value, steady in zip(figure.samples, values, is_steady, strict=True)
    ]


@dataclass(frozen=True)
class Correction:
    """A correction of samples to reference speed: the readings beside them, the reference, and the slope."""

    probes: Probes
    reference: Reference
    slope: float


def summarise(
    samples: Sequence[float],
    loops: int = 1,
    processes: Sequence[int] = (),
    warnings: Sequence[FigureWarning] = (),
    correction: Correction | None = None,
    *,
    used: AtReference | None = None,
) -> Series:
    """The statistics of samples in microseconds, each of `loops` calls; no outliers are dropped.

    `processes` has the number of samples of each process in order (default: all from one). With a correction, all
    statistics are of samples at reference speed (`used`, if they are known); `samples` stay as measured. `std` has
    n - 1 in the denominator. Raises ValueError for no or infinite samples, and for readings or processes that don't fit
    them.
    """
    raw = _finite(samples)
    counts = _counts(processes, len(raw))
    used = used or used_samples(raw, counts, correction)
    ordered, used_size = sorted(used.samples), len(used.samples)
    low, high = interval(used.parts) or (None, None)
    p50, p90, p99 = (percentile(ordered, share) for share in (0.5, 0.9, 0.99))
    mean = math.fsum(ordered) / used_size
    return Series(
        count=len(raw), mean=mean, median=p50, p50=p50, p90=p90, p99=p99, min=ordered[0], max=ordered[-1],
        std=math.sqrt(math.fsum((value - mean) ** 2 for value in ordered) / (used_size - 1)) if used_size > 1 else 0.0,
        samples=tuple(raw),
        loops=loops,
        processes=tuple(processes) if len(counts) > 1 else (),
        low=low,
        high=high,
        warnings=tuple(warnings),
        probes=correction.probes if correction else msgspec.UNSET,
        slope=correction.slope if correction else msgspec.UNSET,
        uncorrected=percentile(sorted(raw), 0.5) if correction else msgspec.UNSET,
        speed=round(correction.reference.us / probe_median(correction.probes), 4) if correction else msgspec.UNSET,
        steady=used_size * used.is_steady if correction else msgspec.UNSET,
    )  # fmt: skip


def used_samples(raw: list[float], counts: Sequence[int], correction: Correction | None) -> AtReference:
    """The samples of which statistics are: with a correction, those at reference speed."""
    if correction is None:
        return AtReference(raw, tuple(counts), is_steady=False)
    return at_reference(raw, correction.probes, counts, correction.reference, correction.slope)


def _finite(samples: Sequence[float]) -> list[float]:
    """The samples. Raises ValueError unless there is one and all are finite."""
    raw = [float(sample) for sample in samples]
    if not raw or not all(map(math.isfinite, raw)):
        raise ValueError(f"invalid samples {list(samples)[:5]}: expected at least one, all of them finite")
    return raw


def _counts(processes: Sequence[int], size: int) -> tuple[int, ...]:
    """The samples of each process, all of one by default. Raises ValueError for counts that don't add up to `size`."""
    counts = tuple(processes) or (size,)
    if sum(counts) != size or min(counts) < 0:
        raise ValueError(f"invalid counts {counts} of samples by process: expected a sum of {size}")
    return counts


def percentile(ordered: Sequence[float], share: float) -> float:
    """A percentile of ascending samples, linear (Hyndman and Fan's definition 7), faster than NumPy for a hundred."""
    position = (len(ordered) - 1) * share
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def reference_samples(series: Series, reference: Reference | None) -> Sequence[float]:
    """The samples behind the statistics of the series, at their speed, in microseconds."""
    return _used(series, reference).samples


def process_medians(series: Series, reference: Reference | None) -> dict[int, float]:
    """The median of each process at the reference speed in us, by its number; none without samples at that speed."""
    return {at: median(sorted(part)) for at, part in enumerate(_used(series, reference).parts) if part}


def _used(series: Series, reference: Reference | None) -> AtReference:
    counts = series.processes or (len(series.samples),)
    if not (series.probes and reference):
        return AtReference(list(series.samples), counts, is_steady=False)
    slope = series.slope or 0.0
    if series.steady:
        return at_reference(series.samples, series.probes, counts, reference, slope)
    values = corrected(series.samples, series.probes, counts, reference, slope)
    return AtReference(not_longer(values, series.samples), counts, is_steady=False)
