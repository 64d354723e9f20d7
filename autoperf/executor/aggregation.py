"""Merges the samples of several processes into the passes of a case, with intervals and quality warnings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from autoperf.core.outcome import FigureWarning, Pass, Series
from autoperf.executor.messages import CaseFailure, Conditions, Measured, PassSamples
from autoperf.executor.sampling import TRACE_STEP_US
from autoperf.executor.stopping_rules import RESOLUTION, averaged, loops_for
from autoperf.results.intervals import MIN_SAMPLES, half_width, median, median_interval
from autoperf.results.statistics import summarise

DISAGREEMENT = 0.05
LONGER = 0.05
DRIFT = 2.0
OTHERS = 0.25
OTHERS_SECONDS = 0.05
PREEMPTED_A_SECOND = 50.0
MIN_PREEMPTED = 5
MIN_GROUPS = 3


Passes: TypeAlias = tuple[Pass, Pass | None]


def merge_processes(measured: Sequence[Measured], precision: float, *, averaging: bool = True) -> Passes:
    """The forward and backward pass from the results of at least one process; `precision` is the target of sampling.

    Without `averaging` every call is a sample, whatever the resolution of the clock, since the user set their number.
    """
    external = tuple(_external_warnings([result.conditions for result in measured]))
    backward = [result.backward for result in measured if result.backward is not None]
    return (
        _pass([result.forward for result in measured], precision, external, averaging),
        _pass(backward, precision, external, averaging) if backward else None,
    )


def missing_processes(asked: int, present: int, failures: Sequence[CaseFailure]) -> tuple[str, ...]:
    """A note about processes that gave no samples of a case that other processes have measured."""
    if present == asked:
        return ()
    reasons = "; ".join(dict.fromkeys(f"{failure.status.value}: {failure.reason}" for failure in failures))
    return (f"{asked - present} of {asked} processes gave no samples: {reasons}",)


def with_notes(passes: Passes, notes: tuple[str, ...]) -> Passes:
    """The passes, with these notes put before those of the forward pass."""
    forward, backward = passes
    return msgspec.structs.replace(forward, notes=(*notes, *forward.notes)), backward


def _pass(parts: Sequence[PassSamples], precision: float, external: tuple[FigureWarning, ...], averaging: bool) -> Pass:
    wall = series([part.wall for part in parts], precision, external=external, turns=[part.turns for part in parts])
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    traced = [part for part in parts if part.kernel]
    if any(part.kernel is None for part in parts):
        return Pass(wall_us=wall, notes=notes)
    kernel = None
    if traced:
        samples, turns = [part.kernel or () for part in traced], [part.kernel_turns for part in traced]
        kernel = series(samples, precision, TRACE_STEP_US, external, averaging=averaging, turns=turns)
    weights = [len(part.wall) for part in parts]
    helpers = _means([part.helpers for part in parts], weights)
    running = _median([part.spans for part in parts], TRACE_STEP_US)
    dispatch = wall.median - running
    if kernel and _exceeds_wall_time(running, wall, kernel):
        share = 100 * (running / wall.median - 1)
        notes = (*notes, f"kernels took {share:.0f}% longer than the wall time, beyond the intervals of both")
    return Pass(
        kernel_us=kernel,
        wall_us=wall,
        kernels=_means([part.kernels for part in parts], weights),
        helpers=helpers,
        helpers_us=sum(helpers.values()),
        dispatch_us=dispatch if dispatch >= 0 else None,
        notes=notes,
    )


def _exceeds_wall_time(running: float, wall: Series, kernel: Series) -> bool:
    """Whether kernel time exceeds wall time by more than the noise of both clocks."""
    if running <= (1 + LONGER) * wall.median:
        return False
    reach = kernel.median / (kernel.low or kernel.median) if kernel.median else 1.0
    return running / reach > (wall.high or wall.median)


def series(
    parts: Sequence[Sequence[float]],
    precision: float,
    step: float = 0.0,
    external: tuple[FigureWarning, ...] = (),
    *,
    averaging: bool = True,
    turns: Sequence[Sequence[int]] = (),
) -> Series:
    """Statistics and quality warnings of the samples of all processes; `step` is the resolution of their clock.

    With `averaging`, samples of a coarse clock are means over enough calls for its resolution. `turns` has the number
    of samples of each turn of each process; no mean spans two turns.
    """
    loops = _loops(parts, step, turns) if averaging else 1
    groups = [averaged(part, loops) for part in parts]
    samples = [sample for group in groups for sample in group]
    warnings = [*sample_warnings(groups, precision), *external]
    if step and step / loops >= RESOLUTION * sum(samples) / len(samples):
        warnings.append(FigureWarning.RESOLUTION)
    ordered = tuple(warning for warning in FigureWarning if warning in warnings)
    result = summarise(samples, loops, [len(group) for group in groups], ordered)
    if not any(turns):
        return result
    return msgspec.structs.replace(result, turns=tuple(tuple(size // loops for size in sizes) for sizes in turns))


def _median(parts: Sequence[Sequence[float]], step: float) -> float:
    """The median as `series` computes it."""
    loops = _loops(parts, step)
    return median(sorted(sample for part in parts for sample in averaged(part, loops)))


def _loops(parts: Sequence[Sequence[float]], step: float, turns: Sequence[Sequence[int]] = ()) -> int:
    """The number of calls in a sample: as many as the resolution needs, with no call left over and enough samples."""
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
    """Whether the medians of two processes differ by more than 5% and their intervals don't overlap."""
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


def _external_warnings(conditions: Sequence[Conditions]) -> Iterator[FigureWarning]:
    """Quality warnings about the machine while the samples were taken.

    Load of other programs counts from a quarter of a processor and 50 ms (five ticks of Linux's accounting) on, or
    from 50 preemptions a second.
    """
    elapsed = math.fsum(reading.elapsed for reading in conditions)
    others = math.fsum(reading.others for reading in conditions)
    preempted = sum(reading.preempted for reading in conditions)
    busy = others > max(OTHERS * elapsed, OTHERS_SECONDS)
    if busy or preempted > max(PREEMPTED_A_SECOND * elapsed, MIN_PREEMPTED):
        yield FigureWarning.LOAD
    if any(reading.throttled for reading in conditions):
        yield FigureWarning.THROTTLED


def _means(parts: Sequence[Mapping[str, float]], weights: Sequence[int]) -> dict[str, float]:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: _mean([part.get(name, 0.0) for part in parts], weights) for name in names}


def _mean(values: Iterable[float], weights: Sequence[int]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
