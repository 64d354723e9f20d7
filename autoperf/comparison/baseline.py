"""Baseline files: a run with one time for each process instead of its samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from autoperf.comparison.figures import MEDIAN, MIN_TIME_US, FigureSamples, Scale, common_quantile
from autoperf.core.clocks import Metric
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import Outcome, Pass, ProbedTimes, Series, Status
from autoperf.runs.environment import Machine
from autoperf.runs.run_reader import RunReader
from autoperf.stats.correction import PROBE_DIGITS

DIGITS = 5
_STEP = 0.1
"""The change of the slope by which the sensitivity of a time is computed."""


def baseline_lines(run: RunReader, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The lines of a run file that is small enough to commit and gives the same comparison.

    Its times are lower deciles of a process's samples with a reading of the probe, or medians if the machine's speed is
    unknown.
    """
    statuses: Counter[str] = Counter()
    yield from map(_line, (run.header.current, *run.machines))
    for outcome in outcomes:
        statuses[outcome.status.value] += 1
        yield _line(_reduced(outcome, run.machine(outcome)))
    if run.end:
        # Lines that can't be read are left out.
        counts = {status.value: statuses[status.value] for status in Status}
        yield _line(msgspec.structs.replace(run.end, asked=statuses.total(), **counts))


def _line(record: msgspec.Struct) -> str:
    return msgspec.json.encode(record).decode() + "\n"


def _reduced(outcome: Outcome, machine: Machine) -> Outcome:
    scale = Scale(machine.reference or None, machine.reference or None)
    return msgspec.structs.replace(
        outcome, forward=_reduced_pass(outcome.forward, scale), backward=_reduced_pass(outcome.backward, scale)
    )


def _reduced_pass(run: Pass | None, scale: Scale) -> Pass | None:
    if run is None:
        return None
    times = {metric.key: _times(series, scale, metric) for metric, series in run.metrics.items()}
    return msgspec.structs.replace(Pass(notes=run.notes), **times)


def _times(series: Series, scale: Scale, clock: Metric) -> Series:
    if not series.samples or series.quantile:
        return series
    quantile = common_quantile(clock, [series], scale)
    samples = FigureSamples(series, scale, exact=not clock.is_time)
    if quantile == MEDIAN or scale.own is None:
        return _with_times(series, [max(0.0, time) for time in samples.figure(quantile=quantile).times])
    whole = _probed(series, samples, quantile, scale.own, of_all=True)
    return msgspec.structs.replace(
        _with_times(series, whole.samples),
        probes=Probes(whole.probe, whole.probe),
        quantile=quantile,
        at_reference=_probed(series, samples, quantile, scale.own) if samples.is_steady else msgspec.UNSET,
    )


def _with_times(series: Series, times: Sequence[float]) -> Series:
    return msgspec.structs.replace(
        series, samples=_rounded(times), processes=(1,) * len(times), turns=msgspec.UNSET, probes=msgspec.UNSET
    )


def _probed(
    series: Series, samples: FigureSamples, quantile: float, reference: Reference, *, of_all: bool = False
) -> ProbedTimes:
    """The times as measured, each with the reading of the probe equivalent to its samples.

    A comparison corrects both sides to one speed by one slope with an error: the reading states how the time depends on
    the slope.
    """
    slope = series.slope or 0.0
    # Times of few steps of the clock, spread over their step, may begin below 0.
    lower, middle, higher = (
        [max(0.0, time) for time in samples.figure(slope + step, of_all=of_all, quantile=quantile).times]
        for step in (-_STEP, 0.0, _STEP)
    )
    readings = tuple(
        round(reference.us * (max(less, MIN_TIME_US) / max(more, MIN_TIME_US)) ** (1 / (2 * _STEP)), PROBE_DIGITS)
        for less, more in zip(lower, higher, strict=True)
    )
    measured = [time * (reading / reference.us) ** slope for time, reading in zip(middle, readings, strict=True)]
    return ProbedTimes(_rounded(measured), readings)


def _rounded(times: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(f"{time:.{DIGITS}g}") for time in times)
