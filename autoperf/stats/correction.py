"""Corrects samples to the reference speed of the machine, by the probe's readings beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, compress, pairwise
from typing import NamedTuple, TypeVar

from autoperf.core.machine import Probes, Reference
from autoperf.stats.intervals import median

T = TypeVar("T")

PROBE_DIGITS = 3
"""The digits of readings, which are stored in nanoseconds."""
MAX_SLOWDOWN = 1.15
"""Maximum time of the probe, relative to the reference, of a machine that is at reference speed."""
MIN_STEADY = 8
MIN_STEADY_OF_PROCESS = 3
"""Minimum numbers of samples at reference speed: in total, and in each of at least half of the processes."""
WINDOW = 9
"""The number of neighbouring samples over which readings are smoothed: one reading is as noisy as a sample."""


def corrected(
    samples: Sequence[float], probes: Probes, processes: Sequence[int], reference: Reference, slope: float
) -> list[float]:
    """Each sample divided by (probe / reference) ** slope; the order stays.

    `processes` has the number of samples of each process, in order. The probe at a sample is the median over a window
    of neighbouring samples of the geometric mean of both readings; no window spans two processes.
    Raises ValueError for readings that don't fit the samples.
    """
    check_probes(samples, probes)
    return brought_to(reference, samples, speeds(probes, processes), slope) if slope else list(samples)


def brought_to(
    reference: Reference, samples: Sequence[float], speeds_beside: Sequence[float], slope: float
) -> list[float]:
    """As `corrected`, by the smoothed readings that `speeds` returns."""
    return [sample / (speed / reference.us) ** slope for sample, speed in zip(samples, speeds_beside, strict=True)]


class AtReference(NamedTuple):
    """Samples at reference speed, and the number of them from each process.

    `is_steady`: they were taken at that speed, and others are left out. If not, all samples are corrected to it.
    """

    samples: list[float]
    processes: tuple[int, ...]
    is_steady: bool

    @property
    def parts(self) -> list[list[float]]:
        """The samples of each process."""
        return [list(part) for part in _split(self.samples, self.processes)]


def at_reference(
    samples: Sequence[float], probes: Probes, processes: Sequence[int], reference: Reference, slope: float
) -> AtReference:
    """The samples that were taken at reference speed, as measured; all samples, corrected, if these are too few.

    Samples at reference speed aren't corrected: an operator leaves the caches in a state in which the probe takes some
    percent longer, a constant of the case. A correction would make kernels 3% shorter than in a plain loop.

    A shared machine has few states, mostly two: the neighbour on the core works or rests. The slowdown by a neighbour
    is estimated with an error and differs between neighbours; the time without one is measured. `processes` has the
    number of samples of each process (default: all from one). A correction removes a slowdown and never makes a sample
    longer, since no call took that time. Raises ValueError as `corrected` does.
    """
    counts = tuple(processes) or (len(samples),)
    check_probes(samples, probes)
    beside = speeds(probes, counts)
    steady = steady_samples(beside, counts, reference)
    if steady is None:
        values = not_longer(brought_to(reference, samples, beside, slope), samples)
        return AtReference(values, counts, is_steady=False)
    sizes = tuple(sum(part) for part in _split(steady, counts))
    return AtReference(list(compress(samples, steady)), sizes, is_steady=True)


def not_longer(corrected_samples: Sequence[float], samples: Sequence[float]) -> list[float]:
    """Each corrected sample, or the sample itself if that is shorter."""
    return [min(pair) for pair in zip(corrected_samples, samples, strict=True)]


def steady_samples(speeds_beside: Sequence[float], processes: Sequence[int], reference: Reference) -> list[bool] | None:
    """Flags for the samples at reference speed, by the probe at each; None if they are too few."""
    at_speed = [speed <= MAX_SLOWDOWN * reference.us for speed in speeds_beside]
    steady: list[bool] = []
    for part in _split(at_speed, processes):
        has_enough = sum(part) >= min(MIN_STEADY_OF_PROCESS, len(part))
        steady += part if has_enough else [False] * len(part)
    present = [sum(part) for part in _split(steady, processes) if part]
    needed = max(min(2, len(present)), (len(present) + 1) // 2)
    are_enough = sum(steady) >= min(MIN_STEADY, len(steady)) and sum(map(bool, present)) >= needed
    return steady if are_enough else None


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
    """The running median of readings over `window` of them, fewer at the ends."""
    half = window // 2
    return [median(sorted(readings[max(0, at - half) : at + half + 1])) for at in range(len(readings))]


def probe_median(probes: Probes) -> float:
    """The median of the probe over all samples, in microseconds."""
    return median(sorted(_means(probes)))


def _means(probes: Probes) -> list[float]:
    return [math.sqrt(before * after) for before, after in zip(probes.before, probes.after, strict=True)]


def _split(values: Sequence[T], counts: Sequence[int]) -> Iterator[Sequence[T]]:
    return (values[begin:end] for begin, end in pairwise(accumulate(counts or (len(values),), initial=0)))
