"""The series of one pass by one clock from the samples of several processes: statistics and quality warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from autoperf.core.clocks import Clock
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import FigureWarning, Series
from autoperf.measurement.stopping_rules import RESOLUTION, averaged, loops_for
from autoperf.stats.correction import PROBE_DIGITS, ProbedSamples, slope_of_figure
from autoperf.stats.intervals import MIN_SAMPLES, half_width, median, median_interval
from autoperf.stats.statistics import Correction, summarise, used_samples

DISAGREEMENT = 0.03
DRIFT = 2.0
MIN_GROUPS = 3
FAULT_DIGITS = 2


class Speed(NamedTuple):
    """The reference speed of the machine, and the clock by which samples are taken."""

    reference: Reference
    clock: Clock


class ProcessSamples(NamedTuple):
    """The samples by one clock in one process in microseconds, the readings of the probe beside them, the number of
    samples of each turn, and the page faults in each sample, empty if there were none."""

    samples: Sequence[float]
    probes: Probes | None = None
    turns: Sequence[int] = ()
    faults: Sequence[int] = ()


def series(
    parts: Sequence[ProcessSamples],
    precision: float,
    speed: Speed | None = None,
    step: float = 0.0,
    external: tuple[FigureWarning, ...] = (),
    *,
    averaging: bool = True,
) -> Series:
    """Statistics and quality warnings of the samples of all processes; `step` is the resolution of their clock.

    With `averaging`, samples of a coarse clock are means over enough calls for its resolution; no mean spans two turns.
    """
    loops = _loops([part.samples for part in parts], step, [part.turns for part in parts]) if averaging else 1
    groups = [averaged(part.samples, loops) for part in parts]
    samples = [float(sample) for group in groups for sample in group]
    counts = [len(group) for group in groups]
    correction = _correction(parts, loops, speed, samples, counts)
    used = used_samples(samples, counts, correction)
    warnings = [*sample_warnings([part for part in used.parts if part], precision), *external]
    if step and step / loops >= RESOLUTION * sum(samples) / len(samples):
        warnings.append(FigureWarning.RESOLUTION)
    ordered = tuple(warning for warning in FigureWarning if warning in warnings)
    figure = summarise(samples, loops, counts, ordered, correction, used=used)
    figure = msgspec.structs.replace(figure, faults=_faults(parts, loops) or msgspec.UNSET)
    if not any(part.turns for part in parts):
        return figure
    turns = tuple(tuple(size // loops for size in part.turns) for part in parts)
    return msgspec.structs.replace(figure, turns=turns)


def _faults(parts: Sequence[ProcessSamples], loops: int) -> tuple[float, ...]:
    """The page faults in each sample of all processes; empty if no process had any."""
    if not any(part.faults for part in parts):
        return ()
    counts = (part.faults or (0,) * len(part.samples) for part in parts)
    return tuple(round(faults, FAULT_DIGITS) for part in counts for faults in averaged(part, loops))


def series_median(parts: Sequence[Sequence[float]], step: float) -> float:
    """The median as `series` computes it."""
    loops = _loops(parts, step)
    return median(sorted(sample for part in parts for sample in averaged(part, loops)))


def _correction(
    parts: Sequence[ProcessSamples], loops: int, speed: Speed | None, samples: Sequence[float], counts: Sequence[int]
) -> Correction | None:
    """The readings of all processes, averaged as the samples are, and the slope; None if a process has no readings."""
    probes = [part.probes for part in parts if part.probes is not None]
    if speed is None or len(probes) < len(parts):
        return None
    before, after = (
        tuple(round(mean, PROBE_DIGITS) for each in side for mean in averaged(each, loops))
        for side in ([each.before for each in probes], [each.after for each in probes])
    )
    readings = Probes(before, after)
    slope = slope_of_figure(speed.clock, ProbedSamples(samples, readings, counts), speed.reference)
    return Correction(readings, speed.reference, slope)


def _loops(parts: Sequence[Sequence[float]], step: float, turns: Sequence[Sequence[int]] = ()) -> int:
    """The number of calls in a sample: enough for the resolution, with no call left over and enough samples."""
    loops = loops_for([sample for part in parts for sample in part], step)
    min_samples = MIN_GROUPS if len(parts) > 1 else MIN_SAMPLES
    sizes = [size for process in turns for size in process]
    while loops > 1 and (
        any(len(part) % loops or len(part) < min_samples * loops for part in parts)
        or any(size % loops for size in sizes)
    ):
        loops //= 2
    return loops


def sample_warnings(parts: Sequence[Sequence[float]], precision: float) -> Iterator[FigureWarning]:
    """Quality warnings that follow from the samples alone."""
    if sum(map(len, parts)) < MIN_SAMPLES:
        yield FigureWarning.SHORT
    elif _noisy(parts, precision):
        yield FigureWarning.NOISY
    if _disagree([sorted(part) for part in parts if part]):
        yield FigureWarning.DISAGREE
    if any(_drifts(part, precision) for part in parts):
        yield FigureWarning.DRIFT


def _noisy(parts: Sequence[Sequence[float]], precision: float) -> bool:
    """Whether the interval of a process is too wide; with too few samples in a process, the interval of all samples."""
    if min(map(len, parts)) < MIN_SAMPLES:
        parts = [[sample for part in parts for sample in part]]
    return any(half_width(part) > precision for part in parts)


def _disagree(parts: Sequence[Sequence[float]]) -> bool:
    """Whether the medians of two processes differ by more than 3% and their intervals don't overlap."""
    if len(parts) < 2:
        return False
    by_median = sorted(parts, key=median)
    low, high = by_median[0], by_median[-1]
    if median(high) <= (1 + DISAGREEMENT) * median(low):
        return False
    below, above = median_interval(low), median_interval(high)
    return below is None or above is None or below[1] < above[0]


def _drifts(part: Sequence[float], precision: float) -> bool:
    """Whether the two halves of a process's samples differ by more than twice the precision and their intervals."""
    half = len(part) // 2
    before, after = sorted(part[:half]), sorted(part[half:])
    first, second = median_interval(before), median_interval(after)
    if first is None or second is None:
        return False
    apart = first[1] < second[0] or second[1] < first[0]
    middle = min(median(before), median(after))
    return apart and abs(median(after) - median(before)) > DRIFT * precision * middle
