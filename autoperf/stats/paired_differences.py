"""The difference of two calls, from pairs of samples that were taken side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from autoperf.core.machine import Reference
from autoperf.core.outcome import Difference, Series
from autoperf.stats.correction import MAX_SLOWDOWN, MIN_STEADY, brought_to, not_longer, speeds
from autoperf.stats.intervals import median, median_interval


class PairedSample(NamedTuple):
    """The second sample minus the first in microseconds, and whether both are at reference speed."""

    difference: float
    is_steady: bool


def paired_difference(first: Series, second: Series, reference: Reference | None) -> Difference | None:
    """The second call's time minus the first's, by the samples of each process in pairs, in order.

    Both samples of a pair share the differences between processes and over time. None if the numbers of samples of the
    processes differ.
    """
    counts = _counts(first)
    if counts != _counts(second):
        return None
    pairs = list(_pairs(first, second, reference))
    processes = [pairs[begin:end] for begin, end in pairwise(accumulate(counts, initial=0))]
    steady = [[pair for pair in process if pair.is_steady] for process in processes]
    used = steady if sum(map(len, steady)) >= MIN_STEADY else processes
    return median_difference([[pair.difference for pair in process] for process in used if process])


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


def _counts(figure: Series) -> tuple[int, ...]:
    """The number of samples of each process."""
    return figure.processes or (len(figure.samples),)


def _pairs(first: Series, second: Series, reference: Reference | None) -> Iterator[PairedSample]:
    both = zip(_at_reference(first, reference), _at_reference(second, reference), strict=True)
    for (sample, is_steady), (other, is_other_steady) in both:
        yield PairedSample(other - sample, is_steady and is_other_steady)


def _at_reference(figure: Series, reference: Reference | None) -> list[tuple[float, bool]]:
    """The samples at reference speed, each with whether it was taken there and is as measured.

    Without readings, all are as measured.
    """
    if reference is None or not figure.probes or not isinstance(figure.slope, float):
        return [(sample, False) for sample in figure.samples]
    beside = speeds(figure.probes, _counts(figure))
    values = not_longer(brought_to(reference, figure.samples, beside, figure.slope), figure.samples)
    is_steady = [speed <= MAX_SLOWDOWN * reference.us for speed in beside]
    return [
        (sample if steady else value, steady)
        for sample, value, steady in zip(figure.samples, values, is_steady, strict=True)
    ]
