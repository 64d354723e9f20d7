"""Merges the samples of several processes into the passes of a case, with intervals and quality warnings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeAlias

import msgspec

from autoperf.core.clocks import KERNEL, PYTHON, WALL, Clock
from autoperf.core.outcome import FigureWarning, Pass, Series
from autoperf.core.probe import Probes, Reference
from autoperf.executor.messages import BackwardRequest, CaseFailure, Conditions, Measured, PassSamples
from autoperf.executor.sampling import TRACE_STEP_US
from autoperf.executor.stopping_rules import RESOLUTION, averaged, loops_for
from autoperf.results.correction import PROBE_DIGITS, at_reference
from autoperf.results.intervals import MIN_SAMPLES, half_width, median, median_interval
from autoperf.results.paired_differences import paired_difference
from autoperf.results.slopes import ProbedSamples, slope_of_figure
from autoperf.results.statistics import Correction, summarise

DISAGREEMENT = 0.03
LONGER = 0.05
DRIFT = 2.0
OTHERS = 0.25
OTHERS_SECONDS = 0.05
MIN_GROUPS = 3


Passes: TypeAlias = tuple[Pass, Pass | None]


class _Rules(NamedTuple):
    """How the samples of a case are merged: see `merge_processes`; `external` are warnings about the machine."""

    precision: float
    reference: Reference | None
    averaging: bool
    external: tuple[FigureWarning, ...]


def merge_processes(
    measured: Sequence[Measured], precision: float, reference: Reference | None = None, *, averaging: bool = True
) -> Passes:
    """The forward and backward pass from the results of at least one process; `precision` is the target of sampling.

    With `reference`, figures are at that speed. Without `averaging` every call is a sample, whatever the resolution of
    the clock, since the user set their number.
    """
    external = tuple(_external_warnings([result.conditions for result in measured]))
    rules = _Rules(precision, reference, averaging, external)
    backward = [result.backward for result in measured if result.backward is not None]
    return _pass([result.forward for result in measured], rules), _pass(backward, rules) if backward else None


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


def with_gradients(passes: Passes, request: BackwardRequest | None) -> Passes:
    """The passes; a backward pass names the inputs whose gradients it writes, if these are dense."""
    forward, backward = passes
    if backward is None or request is None or request.sparse:
        return passes
    return forward, msgspec.structs.replace(backward, gradients=request.inputs)


def _pass(parts: Sequence[PassSamples], rules: _Rules) -> Pass:
    wall, python = _wall(parts, rules), _python(parts, rules)
    result = Pass(
        wall_us=wall,
        instructions=_instructions(parts, rules.precision),
        python_us=python,
        python_function=next((part.python.function for part in parts if part.python), msgspec.UNSET),
        front_end_us=(python and paired_difference(wall, python, rules.reference)) or msgspec.UNSET,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )
    if any(part.kernel is None for part in parts):
        return result
    return _with_kernels(result, parts, wall, _kernel(parts, rules))


def _wall(parts: Sequence[PassSamples], rules: _Rules) -> Series:
    samples = [ProcessSamples(part.wall, part.wall_probes, part.turns) for part in parts]
    speed = _speed(WALL, rules)
    return _with_retaken(series(samples, rules.precision, speed, external=rules.external), parts)


def _kernel(parts: Sequence[PassSamples], rules: _Rules) -> Series | None:
    """The time of the operator's own kernels; None if it has none."""
    samples = [ProcessSamples(part.kernel, part.kernel_probes, part.kernel_turns) for part in parts if part.kernel]
    if not samples:
        return None
    speed = _speed(KERNEL, rules)
    figure = series(samples, rules.precision, speed, TRACE_STEP_US, rules.external, averaging=rules.averaging)
    return _with_retaken(figure, parts)


def _with_kernels(result: Pass, parts: Sequence[PassSamples], wall: Series, kernel: Series | None) -> Pass:
    """The pass with what MXNet's profiler tells of its kernels, at reference speed."""
    weights = [len(part.wall) for part in parts]
    # The means of kernels by name are brought to reference speed as the sum of the operator's own is.
    factor = _factor(kernel or wall)
    helpers = {name: mean * factor for name, mean in _means([part.helpers for part in parts], weights).items()}
    running = _median([part.spans for part in parts], TRACE_STEP_US) * factor
    return msgspec.structs.replace(
        result,
        kernel_us=kernel,
        kernels={name: mean * factor for name, mean in _means([part.kernels for part in parts], weights).items()},
        helpers=helpers,
        helpers_us=sum(helpers.values()),
        dispatch_us=wall.median - running if wall.median >= running else None,
        notes=(*result.notes, *_longer_than_wall_time(running, wall, kernel)),
    )


def _longer_than_wall_time(running: float, wall: Series, kernel: Series | None) -> Iterator[str]:
    if kernel and _exceeds_wall_time(running, wall, kernel):
        share = 100 * (running / wall.median - 1)
        yield f"kernels took {share:.0f}% longer than the wall time, beyond the intervals of both"


def _instructions(parts: Sequence[PassSamples], precision: float) -> Series | msgspec.UnsetType:
    """The counts of all processes; neither the speed of the machine nor other programs change them."""
    counted = [ProcessSamples(part.instructions, None, part.instruction_turns) for part in parts if part.instructions]
    return series(counted, precision) if counted else msgspec.UNSET


def _python(parts: Sequence[PassSamples], rules: _Rules) -> Series | msgspec.UnsetType:
    """The wall times by Python of all processes that have a function for the call."""
    timed = [ProcessSamples(part.python.wall, part.python.probes, part.python.turns) for part in parts if part.python]
    return series(timed, rules.precision, _speed(PYTHON, rules), external=rules.external) if timed else msgspec.UNSET


def _with_retaken(figure: Series, parts: Sequence[PassSamples]) -> Series:
    retaken = sum(part.retaken for part in parts)
    return msgspec.structs.replace(figure, retaken=retaken) if figure.probes else figure


def _factor(figure: Series) -> float:
    """What correction multiplies a time of this figure by."""
    return figure.median / figure.uncorrected if figure.uncorrected else 1.0


def _exceeds_wall_time(running: float, wall: Series, kernel: Series) -> bool:
    """Whether kernel time exceeds wall time by more than the noise of both clocks."""
    if running <= (1 + LONGER) * wall.median:
        return False
    reach = kernel.median / (kernel.low or kernel.median) if kernel.median else 1.0
    return running / reach > (wall.high or wall.median)


def _speed(clock: Clock, rules: _Rules) -> Speed | None:
    return Speed(rules.reference, clock) if rules.reference else None


class Speed(NamedTuple):
    """The reference speed of the machine, and the clock by which samples are taken."""

    reference: Reference
    clock: Clock


class ProcessSamples(NamedTuple):
    """The samples of one figure in one process in microseconds, the readings of the probe beside them, and the number
    of samples of each turn."""

    samples: Sequence[float]
    probes: Probes | None = None
    turns: Sequence[int] = ()


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
    samples = [sample for group in groups for sample in group]
    counts = [len(group) for group in groups]
    correction = _correction(parts, loops, speed, samples, counts)
    figure = summarise(samples, loops, counts, (), correction)
    warnings = [*sample_warnings(_at_reference(samples, counts, correction), precision), *external]
    if step and step / loops >= RESOLUTION * sum(samples) / len(samples):
        warnings.append(FigureWarning.RESOLUTION)
    ordered = tuple(warning for warning in FigureWarning if warning in warnings)
    figure = msgspec.structs.replace(figure, warnings=ordered)
    if not any(part.turns for part in parts):
        return figure
    turns = tuple(tuple(size // loops for size in part.turns) for part in parts)
    return msgspec.structs.replace(figure, turns=turns)


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


def _at_reference(
    samples: Sequence[float], counts: Sequence[int], correction: Correction | None
) -> list[Sequence[float]]:
    """The samples of each process at reference speed; a process without such samples is left out."""
    if correction is None:
        ends = list(accumulate(counts, initial=0))
        return [samples[begin:end] for begin, end in pairwise(ends)]
    used = at_reference(samples, correction.probes, counts, correction.reference, correction.slope)
    return [part for part in used.parts if part]


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


def _external_warnings(conditions: Sequence[Conditions]) -> Iterator[FigureWarning]:
    """Quality warnings about the machine while the samples were taken.

    Load of other programs counts from a quarter of a processor and 50 ms (five ticks of Linux's accounting) on.
    """
    elapsed = math.fsum(reading.elapsed for reading in conditions)
    others = math.fsum(reading.others for reading in conditions)
    if others > max(OTHERS * elapsed, OTHERS_SECONDS):
        yield FigureWarning.LOAD
    if any(reading.throttled for reading in conditions):
        yield FigureWarning.THROTTLED


def _means(parts: Sequence[Mapping[str, float]], weights: Sequence[int]) -> dict[str, float]:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: _mean([part.get(name, 0.0) for part in parts], weights) for name in names}


def _mean(values: Iterable[float], weights: Sequence[int]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
