"""Merges the samples of several processes into the passes of a case, with intervals and quality warnings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from autoperf.backends.protocol import BackwardRequest
from autoperf.core.clocks import COUNTERS, KERNEL, PYTHON, WALL, Clock
from autoperf.core.machine import Reference
from autoperf.core.outcome import NO_SAMPLES, VIEW, FigureWarning, Pass, PassName, Series
from autoperf.executor.figure_series import ProcessSamples, Speed, series, series_median
from autoperf.executor.messages import CaseFailure, Conditions, Measured, PassSamples
from autoperf.executor.sampling import TRACE_STEP_US
from autoperf.results.intervals import median
from autoperf.results.paired_differences import paired_difference

LONGER = 0.05
OTHERS = 0.25
OTHERS_SECONDS = 0.05
# The share of samples beside which another program had the processor, from which it is in the median.
CROWDED = 0.25

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

    With `reference`, times are at that speed. Without `averaging` every call is a sample, whatever the resolution of
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
    return (f"{asked - present} of {asked} {NO_SAMPLES}{reasons}",)


def with_notes(passes: Passes, notes: tuple[str, ...]) -> Passes:
    """The passes, with these notes put before those of the forward pass."""
    forward, backward = passes
    return msgspec.structs.replace(forward, notes=(*notes, *forward.notes)), backward


def with_views(passes: Passes, views: Sequence[PassName]) -> Passes:
    """The passes; those that return views have a note."""
    forward, backward = passes
    if "forward" in views:
        forward = msgspec.structs.replace(forward, notes=(VIEW, *forward.notes))
    if backward and "backward" in views:
        backward = msgspec.structs.replace(backward, notes=(VIEW, *backward.notes))
    return forward, backward


def with_gradients(passes: Passes, request: BackwardRequest | None) -> Passes:
    """The passes; a backward pass names the inputs whose gradients it writes, if these are dense."""
    forward, backward = passes
    if backward is None or request is None or request.sparse:
        return passes
    return forward, msgspec.structs.replace(backward, gradients=request.inputs)


def with_compilation(passes: Passes, compile_us: tuple[float, float] | None) -> Passes:
    """The passes with the microseconds in which each was compiled from nothing, if they are compiled."""
    if compile_us is None:
        return passes
    forward, backward = passes
    return (
        msgspec.structs.replace(forward, compile_us=compile_us[0]),
        backward and msgspec.structs.replace(backward, compile_us=compile_us[1]),
    )


def _pass(parts: Sequence[PassSamples], rules: _Rules) -> Pass:
    rules = rules._replace(external=(*rules.external, *_pass_warnings(parts)))
    wall, python = _wall(parts, rules), _python(parts, rules)
    result = Pass(
        wall_us=wall,
        python_us=python,
        python_function=next((part.python.function for part in parts if part.python), msgspec.UNSET),
        front_end_us=(python and paired_difference(wall, python, rules.reference)) or msgspec.UNSET,
        first_us=_median_of([part.first_us for part in parts if part.first_us is not None]),
        faults=_median_of(wall.faults or (0.0,)),
        recompiles=max((sum(part.recompiled) for part in parts if part.recompiled), default=msgspec.UNSET),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )
    result = msgspec.structs.replace(result, **dict(_counts(parts, rules.precision)))
    if any(part.kernel is None for part in parts):
        return result
    return _with_kernels(result, parts, wall, _kernel(parts, rules))


def _pass_warnings(parts: Sequence[PassSamples]) -> Iterator[FigureWarning]:
    """Quality warnings from the observations beside the samples of a pass."""
    if not all(part.settled for part in parts):
        yield FigureWarning.UNSETTLED
    if any(part.recompiled and part.recompiled[1] for part in parts):
        yield FigureWarning.RECOMPILED
    samples = sum(len(part.wall) + len(part.kernel or ()) for part in parts)
    if sum(part.waited for part in parts) > CROWDED * samples:
        yield FigureWarning.CROWDED


def _median_of(values: Sequence[float]) -> float | msgspec.UnsetType:
    return median(sorted(values)) if values else msgspec.UNSET


def _wall(parts: Sequence[PassSamples], rules: _Rules) -> Series:
    samples = [ProcessSamples(part.wall, part.wall_probes, part.turns, part.faults) for part in parts]
    speed = _speed(WALL, rules)
    return _with_retaken(series(samples, rules.precision, speed, external=rules.external), parts)


def _kernel(parts: Sequence[PassSamples], rules: _Rules) -> Series | None:
    """The time of the operator's own kernels; None if it has none."""
    samples = [
        ProcessSamples(part.kernel, part.kernel_probes, part.kernel_turns, part.kernel_faults)
        for part in parts
        if part.kernel
    ]
    if not samples:
        return None
    speed = _speed(KERNEL, rules)
    figure = series(samples, rules.precision, speed, TRACE_STEP_US, rules.external, averaging=rules.averaging)
    return _with_retaken(figure, parts)


def _with_kernels(result: Pass, parts: Sequence[PassSamples], wall: Series, kernel: Series | None) -> Pass:
    """The pass with the profiler's times of its kernels, at reference speed."""
    weights = [len(part.wall) for part in parts]
    # The times of helpers are corrected by the same factor as the operator's own.
    factor = _factor(kernel or wall)
    own = _means([part.kernels for part in parts], weights)
    helpers = {name: mean * factor for name, mean in _means([part.helpers for part in parts], weights).items()}
    running = series_median([part.spans for part in parts], TRACE_STEP_US) * factor
    return msgspec.structs.replace(
        result,
        kernel_us=kernel,
        kernels=_shares(own, kernel.median if kernel else 0.0),
        helpers=helpers,
        helpers_us=sum(helpers.values()),
        dispatch_us=wall.median - running if wall.median >= running else None,
        notes=(*result.notes, *_longer_than_wall_time(running, wall, kernel)),
    )


def _longer_than_wall_time(running: float, wall: Series, kernel: Series | None) -> Iterator[str]:
    if kernel and _exceeds_wall_time(running, wall, kernel):
        share = 100 * (running / wall.median - 1)
        yield f"kernels took {share:.0f}% longer than the wall time, beyond the intervals of both"


def _counts(parts: Sequence[PassSamples], precision: float) -> Iterator[tuple[str, Series]]:
    """The counts of all processes, by the fields of Pass; the reference speed doesn't correct them."""
    for counter in COUNTERS:
        samples = [(part.counts[counter.name], part.count_turns) for part in parts if part.counts.get(counter.name)]
        if samples:
            yield counter.key, series([ProcessSamples(counts, None, turns) for counts, turns in samples], precision)


def _python(parts: Sequence[PassSamples], rules: _Rules) -> Series | msgspec.UnsetType:
    """The wall times by Python of all processes that have a function for the call."""
    timed = [ProcessSamples(part.python.wall, part.python.probes, part.python.turns) for part in parts if part.python]
    return series(timed, rules.precision, _speed(PYTHON, rules), external=rules.external) if timed else msgspec.UNSET


def _with_retaken(figure: Series, parts: Sequence[PassSamples]) -> Series:
    retaken = sum(part.retaken for part in parts)
    return msgspec.structs.replace(figure, retaken=retaken) if figure.probes else figure


def _factor(figure: Series) -> float:
    """The factor by which correction multiplies the times of this series."""
    return figure.median / figure.uncorrected if figure.uncorrected else 1.0


def _exceeds_wall_time(running: float, wall: Series, kernel: Series) -> bool:
    """Whether kernel time exceeds wall time by more than the noise of both clocks."""
    if running <= (1 + LONGER) * wall.median:
        return False
    reach = kernel.median / (kernel.low or kernel.median) if kernel.median else 1.0
    return running / reach > (wall.high or wall.median)


def _speed(clock: Clock, rules: _Rules) -> Speed | None:
    return Speed(rules.reference, clock) if rules.reference else None


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


def _shares(times: Mapping[str, float], total: float) -> dict[str, float]:
    """These times in proportion, so that they add up to `total`."""
    together = math.fsum(times.values())
    return {name: total * time / together if together else total / len(times) for name, time in times.items()}


def _mean(values: Iterable[float], weights: Sequence[int]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
