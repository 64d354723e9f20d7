"""Confidence intervals of medians, from order statistics and from the variation between processes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

LEVEL = 0.95
MIN_SAMPLES = 6
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
