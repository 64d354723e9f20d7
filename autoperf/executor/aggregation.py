"""Puts together what several processes took of a case: its passes, with intervals, and reasons not to trust them."""

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


def merged(measured: Sequence[Measured], precision: float, *, averaging: bool = True) -> Passes:
    """Forward and backward, from at least one process; `precision` is what their samples were meant to reach.

    Unless `averaging`, every call is a sample, however coarse the clock: its user has counted them.
    """
    around = tuple(_around([one.conditions for one in measured]))
    backward = [one.backward for one in measured if one.backward is not None]
    return (
        _pass([one.forward for one in measured], precision, around, averaging),
        _pass(backward, precision, around, averaging) if backward else None,
    )


def missing_processes(asked: int, there: int, refused: Sequence[CaseFailure]) -> tuple[str, ...]:
    """A note for processes that gave no samples of a case that others have measured."""
    if there == asked:
        return ()
    reasons = "; ".join(dict.fromkeys(f"{one.status.value}: {one.reason}" for one in refused))
    return (f"{asked - there} of {asked} processes gave no samples: {reasons}",)


def noted(passes: Passes, notes: tuple[str, ...]) -> Passes:
    """The passes, the first with these notes before its own."""
    forward, backward = passes
    return msgspec.structs.replace(forward, notes=(*notes, *forward.notes)), backward


def _pass(taken: Sequence[PassSamples], precision: float, around: tuple[FigureWarning, ...], averaging: bool) -> Pass:
    wall = series([one.wall for one in taken], precision, around=around, turns=[one.turns for one in taken])
    notes = tuple(dict.fromkeys(note for one in taken for note in one.notes))
    traced = [one for one in taken if one.kernel]
    if any(one.kernel is None for one in taken):
        return Pass(wall_us=wall, notes=notes)
    kernel = None
    if traced:
        samples, turns = [one.kernel or () for one in traced], [one.kernel_turns for one in traced]
        kernel = series(samples, precision, TRACE_STEP_US, around, averaging=averaging, turns=turns)
    weights = [len(one.wall) for one in taken]
    helpers = _means([one.helpers for one in taken], weights)
    running = _median([one.spans for one in taken], TRACE_STEP_US)
    dispatch = wall.median - running
    if kernel and _longer(running, wall, kernel):
        share = 100 * (running / wall.median - 1)
        notes = (*notes, f"kernels took {share:.0f}% longer than the wall time, beyond the intervals of both")
    return Pass(
        kernel_us=kernel,
        wall_us=wall,
        kernels=_means([one.kernels for one in taken], weights),
        helpers=helpers,
        helpers_us=sum(helpers.values()),
        dispatch_us=dispatch if dispatch >= 0 else None,
        notes=notes,
    )


def _longer(running: float, wall: Series, kernel: Series) -> bool:
    """Whether kernels ran longer than the wall time by more than the noise of both clocks explains."""
    if running <= (1 + LONGER) * wall.median:
        return False
    reach = kernel.median / (kernel.low or kernel.median) if kernel.median else 1.0
    return running / reach > (wall.high or wall.median)


def series(
    parts: Sequence[Sequence[float]],
    precision: float,
    step: float = 0.0,
    around: tuple[FigureWarning, ...] = (),
    *,
    averaging: bool = True,
    turns: Sequence[Sequence[int]] = (),
) -> Series:
    """The statistics of every process's samples, read from a clock with this step, and what there is to doubt in them.

    If `averaging`, samples of a coarse clock are of as many calls as its step needs, or as there are; `turns`, of
    processes that took some, says how many samples each had, and none goes across two.
    """
    loops = _loops(parts, step, turns) if averaging else 1
    groups = [averaged(part, loops) for part in parts]
    together = [sample for group in groups for sample in group]
    found = [*doubts(groups, precision), *around]
    if step and step / loops >= RESOLUTION * sum(together) / len(together):
        found.append(FigureWarning.RESOLUTION)
    ordered = tuple(doubt for doubt in FigureWarning if doubt in found)
    made = summarise(together, loops, [len(group) for group in groups], ordered)
    if not any(turns):
        return made
    return msgspec.structs.replace(made, turns=tuple(tuple(size // loops for size in sizes) for sizes in turns))


def _median(parts: Sequence[Sequence[float]], step: float) -> float:
    """The median that `series` would give."""
    loops = _loops(parts, step)
    return median(sorted(sample for part in parts for sample in averaged(part, loops)))


def _loops(parts: Sequence[Sequence[float]], step: float, turns: Sequence[Sequence[int]] = ()) -> int:
    """As many as are needed, but so that no call is left over and enough samples remain."""
    loops = loops_for([sample for part in parts for sample in part], step)
    least = MIN_GROUPS if len(parts) > 1 else MIN_SAMPLES
    sizes = [size for process in turns for size in process]
    while loops > 1 and (
        any(len(part) % loops or len(part) < least * loops for part in parts) or any(size % loops for size in sizes)
    ):
        loops //= 2
    return loops


def doubts(parts: Sequence[Sequence[float]], precision: float) -> Iterator[FigureWarning]:
    """What the samples of each process themselves give reason to doubt."""
    if sum(map(len, parts)) < MIN_SAMPLES:
        yield FigureWarning.SHORT
    elif _noisy(parts, precision):
        yield FigureWarning.NOISY
    if _disagree([sorted(part) for part in parts if part]):
        yield FigureWarning.DISAGREE
    if any(_drifts(part, precision) for part in parts):
        yield FigureWarning.DRIFT


def _noisy(parts: Sequence[Sequence[float]], precision: float) -> bool:
    """Whether a process's interval stayed too wide; where a process has too few samples for one, that of all."""
    if min(map(len, parts)) < MIN_SAMPLES:
        parts = [[sample for part in parts for sample in part]]
    return any(half_width(part) > precision for part in parts)


def _disagree(parts: Sequence[Sequence[float]]) -> bool:
    """Whether two processes are further apart than 5%, and than their own intervals explain."""
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


def _around(conditions: Sequence[Conditions]) -> Iterator[FigureWarning]:
    """What else went on while the samples were taken.

    Others' load: a quarter of a processor and 50 ms of it (five ticks of Linux's account, which is no finer), or being
    put aside 50 times a second.
    """
    elapsed = math.fsum(one.elapsed for one in conditions)
    others = math.fsum(one.others for one in conditions)
    preempted = sum(one.preempted for one in conditions)
    busy = others > max(OTHERS * elapsed, OTHERS_SECONDS)
    if busy or preempted > max(PREEMPTED_A_SECOND * elapsed, MIN_PREEMPTED):
        yield FigureWarning.LOAD
    if any(one.throttled for one in conditions):
        yield FigureWarning.THROTTLED


def _means(found: Sequence[Mapping[str, float]], weights: Sequence[int]) -> dict[str, float]:
    names = dict.fromkeys(name for one in found for name in one)
    return {name: _mean([one.get(name, 0.0) for one in found], weights) for name in names}


def _mean(values: Iterable[float], weights: Sequence[int]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
