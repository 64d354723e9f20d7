"""How much longer a call takes through MXNet's Python package, from pairs of samples that were taken side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from autoperf.core.outcome import Difference, Series
from autoperf.core.probe import Probes, Reference
from autoperf.executor.messages import PassSamples
from autoperf.results.correction import MAX_SLOWDOWN, MIN_STEADY, brought_to, speeds
from autoperf.results.intervals import median, median_interval


class Pair(NamedTuple):
    """How much the second of two samples is longer in microseconds, and whether both were taken at reference speed."""

    difference: float
    is_steady: bool


def python_cost(
    parts: Sequence[PassSamples], wall: Series, python: Series, reference: Reference | None
) -> Difference | msgspec.UnsetType:
    """What Python adds to a pass: the samples of all processes in pairs, each beside the C API's of the same turn.

    What differs between processes, or over time, is in both samples of a pair. Unset without a pair.
    """
    processes = [list(_pairs(part, wall, python, reference)) for part in parts]
    steady = [[pair for pair in pairs if pair.is_steady] for pairs in processes]
    used = steady if sum(map(len, steady)) >= MIN_STEADY else processes
    return median_difference([[pair.difference for pair in pairs] for pairs in used if pairs]) or msgspec.UNSET


def median_difference(processes: Sequence[Sequence[float]]) -> Difference | None:
    """The median of differences by process, with its interval; None for none.

    The interval encloses the 95% interval of the pooled median and the median of each process: where these differ in
    their sign, it has zero inside. Fewer than six differences have none.
    """
    pooled = sorted(difference for process in processes for difference in process)
    if not pooled:
        return None
    bounds = median_interval(pooled)
    if bounds is None:
        return Difference(median(pooled))
    medians = [median(sorted(process)) for process in processes]
    return Difference(median(pooled), min(bounds[0], *medians), max(bounds[1], *medians))


def _pairs(part: PassSamples, wall: Series, python: Series, reference: Reference | None) -> Iterator[Pair]:
    """The pairs of one process."""
    if part.python is None:
        return
    first = _at_reference(part.wall, part.wall_probes, wall, reference)
    second = _at_reference(part.python.wall, part.python.probes, python, reference)
    for (one, at_one), (other, at_other) in zip(first, second, strict=False):
        yield Pair(other - one, at_one and at_other)


def _at_reference(
    samples: Sequence[float], probes: Probes | None, figure: Series, reference: Reference | None
) -> list[tuple[float, bool]]:
    """The samples at reference speed, and which were taken there; without readings of the probe, as they are."""
    if probes is None or reference is None or figure.slope is msgspec.UNSET:
        return [(sample, False) for sample in samples]
    beside = speeds(probes, (len(samples),))
    values = brought_to(reference, samples, beside, figure.slope)
    return [(value, speed <= MAX_SLOWDOWN * reference.us) for value, speed in zip(values, beside, strict=True)]
