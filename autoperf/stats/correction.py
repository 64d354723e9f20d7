"""Confidence intervals of medians; samples corrected to the machine's reference speed, by the probe's readings."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, compress, pairwise
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from autoperf.core.clocks import KERNEL, Metric
from autoperf.core.machine import Probes, Reference

LEVEL = 0.95
MIN_INTERVAL_SAMPLES = 6
"""Minimum number of samples of a 95% interval of the median: the range of five encloses it in 93.75%."""
_EXACT_UP_TO = 512
# Quantiles at 0.975 of Student's t with 1 to 10 degrees of freedom.
_STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)
_NORMAL = NormalDist().inv_cdf((1 + LEVEL) / 2)


def median(ordered: Sequence[float]) -> float:
    """The median of ascending samples."""
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


@lru_cache(maxsize=1024)
def rank(count: int) -> int:
    """The largest r for which the r-th smallest and r-th largest of `count` samples enclose the median in 95%, or 0.

    For any distribution, the number of samples below the median is binomial with 1/2, so the interval misses with
    2 P(B < r) (David and Nagaraja, "Order Statistics", 2003, section 7.1). Above 512 samples it is approximated by a
    normal distribution with the correction for continuity.
    """
    if count > _EXACT_UP_TO:
        return int((count - _NORMAL * math.sqrt(count)) / 2 + 0.5)
    tail, largest = 0, 0
    allowed = (1 - LEVEL) / 2 * 2**count
    for below in range(count // 2 + 1):
        tail += math.comb(count, below)
        if tail > allowed:
            break
        largest = below + 1
    return largest


def median_interval(ordered: Sequence[float]) -> tuple[float, float] | None:
    """The 95% interval of the median of ascending samples; None for fewer than six."""
    position = rank(len(ordered))
    return (ordered[position - 1], ordered[-position]) if position else None


def half_width(samples: Sequence[float]) -> float:
    """Half of the median's 95% interval as a share of the median; infinite without an interval or a median."""
    ordered = sorted(samples)
    bounds = median_interval(ordered)
    middle = median(ordered) if ordered else 0.0
    return (bounds[1] - bounds[0]) / 2 / middle if bounds and middle > 0 else math.inf


def process_interval(medians: Sequence[float]) -> tuple[float, float] | None:
    """The 95% interval of the median over processes, from their medians; None for fewer than two, or for zeros.

    Student's t on their logarithms, since more samples in a process don't show the variation between processes
    (Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013, with medians for means).
    """
    if len(medians) < 2 or min(medians) <= 0:
        return None
    logs = [math.log(value) for value in medians]
    centre = math.fsum(logs) / len(logs)
    variance = math.fsum((log - centre) ** 2 for log in logs) / (len(logs) - 1)
    half = student(len(logs) - 1) * math.sqrt(variance / len(logs))
    return math.exp(centre - half), math.exp(centre + half)


def interval(parts: Sequence[Sequence[float]]) -> tuple[float, float] | None:
    """The 95% interval of the median of samples from one or more processes; None for too few samples.

    It encloses the interval of the pooled samples and that of the processes' medians, which alone would be too narrow
    if a few medians are equal by chance.
    """
    pooled = sorted(sample for part in parts for sample in part)
    within = median_interval(pooled)
    between = process_interval([median(sorted(part)) for part in parts if part])
    intervals = [bounds for bounds in (within, between) if bounds is not None]
    return (min(low for low, _ in intervals), max(high for _, high in intervals)) if intervals else None


def student(freedom: int) -> float:
    """The quantile at 0.975 of Student's t (beyond ten degrees: Abramowitz and Stegun, 26.7.5)."""
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    z = _NORMAL
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


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
    """Samples at reference speed by process: those taken at it (`is_steady`), or if too few are, all, corrected."""

    samples: list[float]
    processes: tuple[int, ...]
    is_steady: bool

    @property
    def parts(self) -> list[list[float]]:
        """The samples of each process."""
        return [list(part) for part in split(self.samples, self.processes)]


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
    sizes = tuple(sum(part) for part in split(steady, counts))
    return AtReference(list(compress(samples, steady)), sizes, is_steady=True)


def not_longer(corrected_samples: Sequence[float], samples: Sequence[float]) -> list[float]:
    """Each corrected sample, or the sample itself if that is shorter."""
    return [min(pair) for pair in zip(corrected_samples, samples, strict=True)]


def steady_samples(speeds_beside: Sequence[float], processes: Sequence[int], reference: Reference) -> list[bool] | None:
    """Flags for the samples at reference speed, by the probe at each; None if they are too few."""
    at_speed = [speed <= MAX_SLOWDOWN * reference.us for speed in speeds_beside]
    steady: list[bool] = []
    for part in split(at_speed, processes):
        has_enough = sum(part) >= min(MIN_STEADY_OF_PROCESS, len(part))
        steady += part if has_enough else [False] * len(part)
    present = [sum(part) for part in split(steady, processes) if part]
    needed = max(min(2, len(present)), (len(present) + 1) // 2)
    are_enough = sum(steady) >= min(MIN_STEADY, len(steady)) and sum(map(bool, present)) >= needed
    return steady if are_enough else None


def speeds(probes: Probes, processes: Sequence[int]) -> list[float]:
    """The probe at each sample in microseconds: the geometric mean of both readings, smoothed within each process."""
    return [speed for part in split(_means(probes), processes) for speed in smoothed(part)]


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


def split(values: Sequence[T], counts: Sequence[int]) -> Iterator[Sequence[T]]:
    """The values of each process, of so many (default: all of one)."""
    return (values[begin:end] for begin, end in pairwise(accumulate(counts or (len(values),), initial=0)))


# Median slopes of 939 figures of a shared machine, by clock and microseconds (docs/method/measurement.md); between them
# linear in the logarithm.
_KERNEL_SLOPES = ((3, 1.3), (7, 1.1), (15, 1.05), (30, 0.9), (300, 0.7), (700, 0.45), (2000, 0.4), (6000, 0.2))
_WALL_SLOPES = ((15, 1.1), (30, 1.3), (70, 1.15), (150, 1.0), (300, 0.8), (700, 0.45), (2000, 0.4), (6000, 0.2))
# The standard deviation of the slopes of one class.
TYPICAL_ERROR = 0.25
# Errors of neighbouring samples are correlated, as are smoothed readings: the number of samples that count as one
# independent sample.
ALIKE = 4.0
MIN_SAMPLES = 4
MIN_TIME_US = 0.05
_ROUNDS = 3
# Standard deviations of noise beyond which the covariance of readings is a change of the machine's speed.
_CHANCE = 3.0
_DIGITS = 3
# Robust standard deviations beyond which deviations have less weight (Huber).
_TUNING = 2.0
_TO_DEVIATION = 1.4826

_Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


class Slope(NamedTuple):
    """The power of the probe by which a figure changes, and its standard error."""

    value: float
    error: float


class ProbedSamples(NamedTuple):
    """Samples of one build in microseconds, the readings beside them, and the number of samples of each process."""

    samples: Sequence[float]
    probes: Probes
    processes: Sequence[int] = ()


class _Deviations(NamedTuple):
    """Logarithms of the samples and of both halves of the readings, relative to the middle of their build."""

    samples: _Array
    even: _Array
    odd: _Array


def typical_slope(clock: Metric, us: float) -> float:
    """The slope of figures of this clock and duration. Raises ValueError for a clock that reads no time."""
    if not clock.is_time:
        raise ValueError(f"invalid clock {clock.name}: expected one that reads a time")
    durations, slopes = zip(*(_KERNEL_SLOPES if clock == KERNEL else _WALL_SLOPES), strict=True)
    return float(np.interp(np.log(max(us, MIN_TIME_US)), np.log(durations), slopes))


def slope_of_figure(clock: Metric, samples: ProbedSamples, reference: Reference) -> float:
    """One build's slope: the typical one if enough samples are at the reference, whose speeds differ too little."""
    counts = samples.processes or (len(samples.samples),)
    if steady_samples(speeds(samples.probes, counts), counts, reference) is None:
        return fitted_slope(clock, [samples]).value
    return round(typical_slope(clock, float(np.median(samples.samples))), _DIGITS)


def fitted_slope(clock: Metric, builds: Sequence[ProbedSamples]) -> Slope:
    """The slope of one figure in one build, or the common one in several builds.

    A linear regression of the time's logarithm on the probe's, by differences within and between the processes of a
    build, not between builds. The prior is a normal distribution around the typical slope, which remains if the machine
    kept its speed. Outliers have less weight (Huber, "Robust Estimation of a Location Parameter", 1964). Errors of the
    readings would make an ordinary regression underestimate the slope, so the variance of the probe is estimated by the
    covariance of the readings at even and at odd positions (instrumental variables: Durbin, "Errors in Variables",
    1954).
    """
    middle = float(np.median(np.concatenate([np.asarray(build.samples) for build in builds])))
    prior = typical_slope(clock, middle)
    usable = [
        _deviations(build) for build in builds if len(build.samples) >= max(MIN_SAMPLES, len(build.processes) + 1)
    ]
    if not usable:
        return Slope(round(prior, _DIGITS), TYPICAL_ERROR)
    return _posterior(_Deviations(*map(np.concatenate, zip(*usable, strict=True))), prior)


def _posterior(deviations: _Deviations, prior: float) -> Slope:
    probe = (deviations.even + deviations.odd) / 2
    # The covariance of both halves that chance explains while the machine keeps its speed.
    halves_noise = float(np.var(deviations.even - deviations.odd)) / 2
    least = _CHANCE * math.sqrt(ALIKE * deviations.samples.size) * halves_noise
    slope, error = prior, TYPICAL_ERROR
    for _ in range(_ROUNDS):
        residuals = np.abs(deviations.samples - slope * probe)
        scale = _TO_DEVIATION * float(np.median(residuals)) + sys.float_info.min
        weights = np.minimum(1.0, _TUNING * scale / np.maximum(residuals, scale))
        variance = float(weights @ (deviations.even * deviations.odd))
        if variance <= least:
            return Slope(round(prior, _DIGITS), TYPICAL_ERROR)
        noise = ALIKE * scale**2
        # A variance that chance nearly explains has less weight: otherwise a slope of noise would count as known.
        share = 1 - (least / variance) ** 2
        certainty = noise / TYPICAL_ERROR**2 + share * variance
        slope = (noise / TYPICAL_ERROR**2 * prior + share * float(weights @ (probe * deviations.samples))) / certainty
        error = math.sqrt(noise / certainty)
    return Slope(round(slope, _DIGITS), error)


def _deviations(build: ProbedSamples) -> _Deviations:
    samples = np.log(np.maximum(np.asarray(build.samples), MIN_TIME_US))
    # Readings before and after a sample aren't independent: the latter is often the former of the next sample.
    even, odd = (np.log(list(_smoothed(build.probes.before, build.processes, parity))) for parity in (0, 1))
    return _Deviations(samples - np.median(samples), even - even.mean(), odd - odd.mean())


def _smoothed(readings: Sequence[float], processes: Sequence[int], parity: int) -> Iterator[float]:
    """The probe at each sample by the readings at even or odd positions, smoothed within each process."""
    for part in split(readings, processes):
        for position in range(len(part)):
            first = max(0, position - WINDOW // 2)
            chosen = part[first + (first + parity) % 2 : position + WINDOW // 2 + 1 : 2]
            yield median(sorted(chosen or part))
