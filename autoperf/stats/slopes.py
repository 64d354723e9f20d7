"""The dependence of times on the probe: a regression on a figure's samples, with the typical slope as the prior."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from autoperf.core.clocks import KERNEL, Metric
from autoperf.core.machine import Probes, Reference
from autoperf.stats.correction import WINDOW, speeds, steady_samples
from autoperf.stats.intervals import median

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
    """The slope by which one build's figure is corrected at this reference speed.

    The typical slope, if enough samples were taken there: their speeds differ by a few percent, too little for a fit.
    """
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
    least = _least_variance(deviations)
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


def _least_variance(deviations: _Deviations) -> float:
    """The covariance of both halves that chance explains while the machine keeps its speed."""
    noise = float(np.var(deviations.even - deviations.odd)) / 2
    return _CHANCE * math.sqrt(ALIKE * deviations.samples.size) * noise


def _deviations(build: ProbedSamples) -> _Deviations:
    samples = np.log(np.maximum(np.asarray(build.samples), MIN_TIME_US))
    # Readings before and after a sample aren't independent: the latter is often the former of the next sample.
    even, odd = (np.log(list(_smoothed(build.probes.before, build.processes, parity))) for parity in (0, 1))
    return _Deviations(samples - np.median(samples), even - even.mean(), odd - odd.mean())


def _smoothed(readings: Sequence[float], processes: Sequence[int], parity: int) -> Iterator[float]:
    """The probe at each sample by the readings at even or odd positions, smoothed within each process."""
    for begin, end in pairwise(accumulate(processes or (len(readings),), initial=0)):
        part = readings[begin:end]
        for position in range(len(part)):
            first = max(0, position - WINDOW // 2)
            chosen = part[first + (first + parity) % 2 : position + WINDOW // 2 + 1 : 2]
            yield median(sorted(chosen or part))
