"""Merges the samples of several processes into passes, and makes the outcome of a case of them or of its failure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from autoperf.backends.lookup import backend_of
from autoperf.backends.protocol import TrialResult
from autoperf.core.clocks import COUNTERS, KERNEL, PYTHON, WALL, Clock
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import NO_SAMPLES, PASSES, VIEW, FigureWarning, Outcome, Pass, Series, Status
from autoperf.measurement.batches import Job, TriedCase, outcome
from autoperf.measurement.messages import CaseCounts, CaseFailure, ClockSamples, Measured, PassSamples
from autoperf.measurement.sampling import TRACE_STEP_US
from autoperf.measurement.settings import Settings
from autoperf.measurement.stopping_rules import RESOLUTION, averaged, loops_for
from autoperf.measurement.trial_client import with_counts
from autoperf.runs.run_reader import check_passes
from autoperf.stats.correction import (
    MIN_INTERVAL_SAMPLES,
    PROBE_DIGITS,
    ProbedSamples,
    half_width,
    median,
    median_interval,
    slope_of_figure,
)
from autoperf.stats.statistics import Correction, paired_difference, summarise, used_samples

DISAGREEMENT = 0.03
DRIFT = 2.0
MIN_GROUPS = 3
FAULT_DIGITS = 2


class Speed(NamedTuple):
    """The reference speed of the machine, and the clock by which samples are taken."""

    reference: Reference
    clock: Clock


def series(
    parts: Sequence[ClockSamples],
    precision: float,
    speed: Speed | None = None,
    step: float = 0.0,
    external: tuple[FigureWarning, ...] = (),
    *,
    averaging: bool = True,
) -> Series:
    """Statistics and quality warnings of the samples of all processes; `step` is the resolution of their clock.

    With `averaging`, samples of a coarse clock are means over enough calls for its resolution, in which disturbed calls
    count as little; no mean spans two turns.
    """
    loops = _loops([part.samples for part in parts], step, [part.turns for part in parts]) if averaging else 1
    groups = [averaged(part.samples, loops, step) for part in parts]
    samples = [float(sample) for group in groups for sample in group]
    counts = [len(group) for group in groups]
    correction = _correction(parts, loops, speed, samples, counts)
    used = used_samples(samples, counts, correction)
    warnings = [*sample_warnings([part for part in used.parts if part], precision), *external]
    if step and step / loops >= RESOLUTION * sum(samples) / len(samples):
        warnings.append(FigureWarning.RESOLUTION)
    ordered = tuple(warning for warning in FigureWarning if warning in warnings)
    figure = summarise(samples, loops, counts, ordered, correction, used=used)
    turns = tuple(tuple(size // loops for size in part.turns) for part in parts)
    taken = [part.faults or (0,) * len(part.samples) for part in parts] if any(part.faults for part in parts) else []
    faults = tuple(round(mean, FAULT_DIGITS) for each in taken for mean in averaged(each, loops))
    return msgspec.structs.replace(figure, faults=faults or msgspec.UNSET, turns=turns if any(turns) else msgspec.UNSET)


def series_median(parts: Sequence[Sequence[float]], step: float) -> float:
    """The median as `series` computes it."""
    loops = _loops(parts, step)
    return median(sorted(sample for part in parts for sample in averaged(part, loops, step)))


def _correction(
    parts: Sequence[ClockSamples], loops: int, speed: Speed | None, samples: Sequence[float], counts: Sequence[int]
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
    min_samples = MIN_GROUPS if len(parts) > 1 else MIN_INTERVAL_SAMPLES
    sizes = [size for process in turns for size in process]
    while loops > 1 and (
        any(len(part) % loops or len(part) < min_samples * loops for part in parts)
        or any(size % loops for size in sizes)
    ):
        loops //= 2
    return loops


def sample_warnings(parts: Sequence[Sequence[float]], precision: float) -> Iterator[FigureWarning]:
    """Quality warnings that follow from the samples alone."""
    if sum(map(len, parts)) < MIN_INTERVAL_SAMPLES:
        yield FigureWarning.SHORT
    else:
        # With too few samples in a process, the interval of all samples counts.
        pooled = [[sample for part in parts for sample in part]]
        judged = parts if min(map(len, parts)) >= MIN_INTERVAL_SAMPLES else pooled
        if any(half_width(part) > precision for part in judged):
            yield FigureWarning.NOISY
    if _disagree([sorted(part) for part in parts if part]):
        yield FigureWarning.DISAGREE
    if any(_drifts(part, precision) for part in parts):
        yield FigureWarning.DRIFT


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


LONGER = 0.05
OTHERS = 0.25
OTHERS_SECONDS = 0.05
# The share of samples beside which another program had the processor, from which it is in the median.
CROWDED = 0.25

Passes: TypeAlias = tuple[Pass, Pass | None]
UNTRIED = TrialResult((), None, (), (), None)
"""The result of a case that was not tried: nothing is known but its samples."""


class _Rules(NamedTuple):
    """How the samples of a case are merged: see `merge_processes`; `external` are warnings about the machine."""

    precision: float
    reference: Reference | None
    averaging: bool
    external: tuple[FigureWarning, ...]


def merge_processes(
    measured: Sequence[Measured],
    precision: float,
    reference: Reference | None = None,
    *,
    averaging: bool = True,
    trial: TrialResult = UNTRIED,
    notes: tuple[str, ...] = (),
) -> Passes:
    """The forward and backward pass from the results of at least one process; `precision` is the target of sampling.

    With `reference`, times are at that speed. Without `averaging` every call is a sample, whatever the resolution of
    the clock, since the user set their number. `notes` precede those of the forward pass.
    """
    elapsed = math.fsum(result.conditions.elapsed for result in measured)
    others = math.fsum(result.conditions.others for result in measured)
    # Load of other programs counts from a quarter of a processor and 50 ms (five ticks of Linux's accounting) on.
    external = (FigureWarning.LOAD,) if others > max(OTHERS * elapsed, OTHERS_SECONDS) else ()
    if any(result.conditions.throttled for result in measured):
        external = (*external, FigureWarning.THROTTLED)
    rules = _Rules(precision, reference, averaging, external)
    forward_us, backward_us = trial.compile_us or (msgspec.UNSET, msgspec.UNSET)
    views = {name: (VIEW,) if name in trial.views else () for name in PASSES}
    forward = _pass([result.forward for result in measured], rules, (*notes, *views["forward"]), forward_us)
    parts = [result.backward for result in measured if result.backward is not None]
    if not parts:
        return forward, None
    request = trial.backward_request
    gradients = request.inputs if request and not request.sparse else msgspec.UNSET
    return forward, msgspec.structs.replace(_pass(parts, rules, views["backward"], backward_us), gradients=gradients)


def _pass(
    parts: Sequence[PassSamples], rules: _Rules, notes: tuple[str, ...], compile_us: float | msgspec.UnsetType
) -> Pass:
    samples = sum(len(part.wall.samples) + len(part.kernel.samples if part.kernel else ()) for part in parts)
    found = {
        FigureWarning.UNSETTLED: not all(part.settled for part in parts),
        FigureWarning.RECOMPILED: any(part.recompiled and part.recompiled[1] for part in parts),
        FigureWarning.CROWDED: sum(part.waited for part in parts) > CROWDED * samples,
    }
    rules = rules._replace(external=(*rules.external, *(warning for warning, holds in found.items() if holds)))
    wall = _with_retaken(_time(WALL, [part.wall for part in parts], rules), parts)
    in_python = [part.python for part in parts if part.python]
    python = _time(PYTHON, in_python, rules) if in_python else msgspec.UNSET
    # Counts aren't corrected by the reference speed.
    counts: dict[str, Any] = {}
    for counter in COUNTERS:
        if counted := [part.counts[counter.name] for part in parts if counter.name in part.counts]:
            counts[counter.key] = series(counted, rules.precision)
    run = Pass(
        wall_us=wall,
        python_us=python,
        python_function=next((part.function for part in parts if part.python), msgspec.UNSET),
        front_end_us=(python and paired_difference(wall, python, rules.reference)) or msgspec.UNSET,
        first_us=_median_of([part.first_us for part in parts if part.first_us is not None]),
        faults=_median_of(wall.faults or (0.0,)),
        compile_us=compile_us,
        recompiles=max((sum(part.recompiled) for part in parts if part.recompiled), default=msgspec.UNSET),
        notes=(*notes, *dict.fromkeys(note for part in parts for note in part.notes)),
        **counts,
    )
    return _with_kernels(run, wall, parts, rules) if all(part.kernel for part in parts) else run


def _median_of(values: Sequence[float]) -> float | msgspec.UnsetType:
    return median(sorted(values)) if values else msgspec.UNSET


def _time(clock: Clock, samples: Sequence[ClockSamples], rules: _Rules) -> Series:
    speed = Speed(rules.reference, clock) if rules.reference else None
    step = TRACE_STEP_US if clock == KERNEL else 0.0
    return series(samples, rules.precision, speed, step, rules.external, averaging=rules.averaging)


def _with_kernels(run: Pass, wall: Series, parts: Sequence[PassSamples], rules: _Rules) -> Pass:
    """The pass with the profiler's times, at reference speed; an operator may have no kernel of its own."""
    samples = [part.kernel for part in parts if part.kernel and part.kernel.samples]
    kernel = _with_retaken(_time(KERNEL, samples, rules), parts) if samples else None
    weights = [len(part.wall.samples) for part in parts]
    # The times of helpers are corrected by the same factor as the operator's own.
    figure = kernel or wall
    factor = figure.median / figure.uncorrected if figure.uncorrected else 1.0
    own = _means([part.kernels for part in parts], weights)
    helpers = {name: mean * factor for name, mean in _means([part.helpers for part in parts], weights).items()}
    running = series_median([part.spans for part in parts], TRACE_STEP_US) * factor
    total, together = kernel.median if kernel else 0.0, math.fsum(own.values())
    notes = run.notes
    if kernel and running > (1 + LONGER) * wall.median:
        # A note only beyond the noise of both clocks.
        reach = kernel.median / (kernel.low or kernel.median) if kernel.median else 1.0
        if running / reach > (wall.high or wall.median):
            share = 100 * (running / wall.median - 1)
            notes = (*notes, f"kernels took {share:.0f}% longer than the wall time, beyond the intervals of both")
    return msgspec.structs.replace(
        run,
        kernel_us=kernel,
        kernels={name: total * time / together if together else total / len(own) for name, time in own.items()},
        helpers=helpers,
        helpers_us=sum(helpers.values()),
        dispatch_us=wall.median - running if wall.median >= running else None,
        notes=notes,
    )


def _with_retaken(figure: Series, parts: Sequence[PassSamples]) -> Series:
    return msgspec.structs.replace(figure, retaken=sum(part.retaken for part in parts)) if figure.probes else figure


def _means(parts: Sequence[Mapping[str, float]], weights: Sequence[int]) -> dict[str, float]:
    names = dict.fromkeys(name for part in parts for name in part)
    means = {name: [part.get(name, 0.0) for part in parts] for name in names}
    return {
        name: sum(mean * weight for mean, weight in zip(each, weights, strict=True)) / sum(weights)
        for name, each in means.items()
    }


def outcome_of(
    tried: TriedCase,
    settings: Settings,
    reference: Reference | None = None,
    refused_dtype: str = "",
    *,
    processes: int | None = None,
) -> Outcome:
    """The outcome of a case. Every case that was tried ends here, however its processes took turns.

    With `reference`, times are at that speed. `refused_dtype` is the dtype that the framework refuses for this call, if
    that is why it failed. So many `processes` at least were to time it (default: as many as the settings say).
    """
    trial = tried.trial_result if isinstance(tried.trial_result, TrialResult) else None
    failure, seconds = tried.failure, tried.trial_seconds + tried.timing_seconds
    passes: Passes | None = None
    if trial and not failure:
        try:
            needed = settings.processes if processes is None else processes
            passes = _passes(tried, settings, reference, trial, needed)
        except ValueError as error:
            # A process whose memory an operator has overwritten may answer anything.
            failure = CaseFailure(Status.FAILED, f"its processes gave invalid samples: {error}", broken=True)
    status, reason = _status(failure, tried.job, settings, refused_dtype) if failure else (Status.MEASURED, "")
    return outcome(
        tried.job.case,
        status,
        seconds,
        reason=reason,
        trial_result=trial,
        passes=passes,
        refused_dtype=refused_dtype,
        difference=tried.found,
    )


def _passes(
    tried: TriedCase, settings: Settings, reference: Reference | None, trial: TrialResult, needed: int
) -> Passes:
    """The passes of a case with its times and counts. Raises ValueError for invalid samples."""
    passes: Passes = Pass(notes=trial.notes), None
    if tried.measured:
        notes, averaging = trial.notes, settings.runs is None
        present, asked = len(tried.measured), max(needed, tried.asked)
        if present < asked:
            reasons = "; ".join(dict.fromkeys(f"{each.status.value}: {each.reason}" for each in tried.failures))
            notes = (*notes, f"{asked - present} of {asked} {NO_SAMPLES}{reasons}")
        passes = merge_processes(
            tried.measured, settings.precision, reference, averaging=averaging, trial=trial, notes=notes
        )
    forward, backward = passes
    if failure := tried.uncounted:
        forward = msgspec.structs.replace(forward, notes=(*forward.notes, f"not counted: {failure.reason}"))
    else:
        counts = tried.counts.passes if isinstance(tried.counts, CaseCounts) else {}
        # A case that has no times has the passes that were counted.
        has_backward = backward if tried.measured else PASSES[1] in counts
        forward = with_counts(forward, counts.get(PASSES[0]))
        backward = with_counts(backward or Pass(), counts.get(PASSES[1])) if has_backward else None
    libraries = [trial.libraries.get(name, msgspec.UNSET) for name in PASSES]
    forward = msgspec.structs.replace(forward, library=libraries[0])
    backward = backward and msgspec.structs.replace(backward, library=libraries[1])
    check_passes(run for run in (forward, backward) if run)
    return forward, backward


def _status(failure: CaseFailure, job: Job, settings: Settings, refused_dtype: str) -> tuple[Status, str]:
    """The status of a failure with its reason: skipped where an input can't be measured for a known cause."""
    cause = None
    if refused_dtype:
        framework = backend_of(settings.framework).title
        cause = f"{framework} refuses {refused_dtype} at run time, but accepts {job.default_dtype}"
    elif failure.status is Status.FAILED:
        known = (text for words, text in job.limits.items() if words in failure.reason)
        cause = next((f"a known limit on this processor: {text}" for text in known), None)
    return (Status.SKIPPED, f"{cause}: {failure.reason}") if cause else (failure.status, failure.reason)
