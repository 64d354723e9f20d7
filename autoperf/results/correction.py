"""Brings samples to the reference speed of the machine, by the probe's readings beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, compress, pairwise
from typing import NamedTuple, TypeVar

from autoperf.core.probe import Probes, Reference
from autoperf.results.intervals import median

T = TypeVar("T")

PROBE_DIGITS = 3
"""Readings of the probe are kept in nanoseconds."""
MAX_SLOWDOWN = 1.15
"""The machine is at its reference speed while the probe takes at most so many times as long as at the reference."""
MIN_STEADY = 8
MIN_STEADY_OF_PROCESS = 3
"""So many samples at reference speed make a figure, in at least half of its processes with so many each."""
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
    return brought_to(reference, samples, speeds(probes, processes), slope) if slope else list(samples)


def brought_to(
    reference: Reference, samples: Sequence[float], speeds_beside: Sequence[float], slope: float
) -> list[float]:
    """As `corrected`, by the probe at each sample as `speeds` returns it."""
    return [sample / (speed / reference.us) ** slope for sample, speed in zip(samples, speeds_beside, strict=True)]


class AtReference(NamedTuple):
    """Samples at reference speed, and how many of them are of each process.

    `is_steady`: they were taken at that speed, others were left out. If not, all samples are brought to it.
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
    """The samples that were taken at reference speed, as measured; where these are too few, all, corrected.

    Those at reference speed stay as they are: an operator leaves the caches in a state in which the probe takes some
    percent longer, a constant of the case. Divided by it, kernels would be 3% shorter than in a plain loop.

    A machine that others use has two states, or few: the neighbour on the core works or rests. How much slower a case
    is beside it is known by a slope with an error, and differs between neighbours; how long it takes without one is
    measured. `processes` has the number of samples of each process; without them all are of one.
    A correction takes away what slowed a sample down, and never makes one longer: no call took that time.
    Raises ValueError as `corrected` does.
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
    """Which samples were taken at reference speed, by the probe at each; None if they are too few for a figure."""
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
    """The median of each reading and its neighbours, `window` together; fewer at the ends."""
    half = window // 2
    return [median(sorted(readings[max(0, at - half) : at + half + 1])) for at in range(len(readings))]


def probe_median(probes: Probes) -> float:
    """The median of the probe over all samples, in microseconds."""
    return median(sorted(_means(probes)))


def _means(probes: Probes) -> list[float]:
    return [math.sqrt(before * after) for before, after in zip(probes.before, probes.after, strict=True)]


def _split(values: Sequence[T], counts: Sequence[int]) -> Iterator[Sequence[T]]:
    return (values[begin:end] for begin, end in pairwise(accumulate(counts or (len(values),), initial=0)))
