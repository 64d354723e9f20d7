"""Brings samples to the reference speed of the machine, by the probe's readings beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from autoperf.core.probe import Probes, Reference
from autoperf.results.intervals import median

PROBE_DIGITS = 3
"""Readings of the probe are kept in nanoseconds."""
WINDOW = 9
"""Over so many neighbouring samples the probe's readings are smoothed: a single reading is as noisy as a sample."""


def corrected(
    samples: Sequence[float], probes: Probes, processes: Sequence[int], reference: Reference, slope: float
) -> list[float]:
    """Each sample divided by (probe / reference) ** slope; the order stays.

    `processes` has the number of samples of each process, in order. The probe at a sample is the median over a window
    of neighbouring samples of the geometric mean of both readings; no window spans two processes.
    Raises ValueError for readings that don't fit the samples.
    """
    check_probes(samples, probes)
    if not slope:
        return list(samples)
    readings = speeds(probes, processes)
    return [sample / (speed / reference.us) ** slope for sample, speed in zip(samples, readings, strict=True)]


def speeds(probes: Probes, processes: Sequence[int]) -> list[float]:
    """The probe at each sample in microseconds: the geometric mean of both readings, smoothed within each process."""
    return [speed for part in _split(_means(probes), processes) for speed in smoothed(part)]


def check_probes(samples: Sequence[float], probes: Probes) -> None:
    """Raises ValueError for readings that are not positive, or not as many as the samples."""
    if not len(samples) == len(probes.before) == len(probes.after):
        raise ValueError(
            f"invalid readings of the probe: expected {len(samples)} before and after, "
            f"got {len(probes.before)} and {len(probes.after)}"
        )
    for reading in (*probes.before, *probes.after):
        if not (math.isfinite(reading) and reading > 0):
            raise ValueError(f"invalid reading of the probe {reading}: expected a positive number of microseconds")


def smoothed(readings: Sequence[float], window: int = WINDOW) -> list[float]:
    """The median of each reading and its neighbours, `window` together; fewer at the ends."""
    half = window // 2
    return [median(sorted(readings[max(0, at - half) : at + half + 1])) for at in range(len(readings))]


def probe_median(probes: Probes) -> float:
    """The median of the probe over all samples, in microseconds."""
    return median(sorted(_means(probes)))


def _means(probes: Probes) -> list[float]:
    return [math.sqrt(before * after) for before, after in zip(probes.before, probes.after, strict=True)]


def _split(values: Sequence[float], counts: Sequence[int]) -> Iterator[Sequence[float]]:
    return (values[begin:end] for begin, end in pairwise(accumulate(counts or (len(values),), initial=0)))
