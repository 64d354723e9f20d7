"""The figures of an outcome for comparisons: one time for each process, with its resolution; and baseline files."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

import msgspec
import numpy as np

from autoperf.core.clocks import METRICS, Metric
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import PASSES, Outcome, Pass, PassName, ProbedTimes, Series, Status
from autoperf.runs.run_reader import RunReader, check_series
from autoperf.stats import correction
from autoperf.stats.correction import median
from autoperf.stats.statistics import percentile

MIN_TIME_US = 0.01
MEDIAN = 0.5
LOWER_DECILE = 0.1
"""The quantile of a process's samples by which two runs are compared, if the machine's speed is known for each sample.

The effect of other programs on memory and caches only adds time, and the probe doesn't detect it. So the lower end of
the samples repeats better than their middle (docs/method/comparing.md, "Noise").
"""

_Samples: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Turns: TypeAlias = tuple[tuple[float, ...], ...]
"""A value of each turn of each process."""


class Figure(msgspec.Struct, frozen=True):
    """The times of a figure's processes, and the step of its clock, both in microseconds.

    A time is a quantile of the process's samples: their median, or their lower decile. The step is 0 for means over
    several calls: they begin anywhere in a step, so rounding errors average out. `turns` holds the medians of each
    process's turns in an interleaved comparison; a turn without samples has NaN.
    """

    times: tuple[float, ...]
    step: float
    turns: Turns = ()

    @property
    def median(self) -> float:
        """The median over the processes."""
        return median(sorted(self.times))

    @property
    def logs(self) -> list[float]:
        """Logarithms of the times, which are at least MIN_TIME_US."""
        return [float(np.log(max(time, MIN_TIME_US))) for time in self.times]


class Scale(msgspec.Struct, frozen=True):
    """The speed at which figures are compared: `own` is the run's reference, `common` the comparison's.

    Without a common reference, times are compared as measured. With `in_turn` both sides were interleaved, and their
    turns are compared, not their processes.
    """

    own: Reference | None = None
    common: Reference | None = None
    in_turn: bool = False


AS_MEASURED = Scale()


def sampled_series(
    outcome: Outcome, passes: tuple[PassName, ...] = PASSES, metrics: tuple[Metric, ...] = METRICS
) -> Iterator[tuple[PassName, Metric, Series]]:
    """Every series of the outcome that has samples."""
    for name in passes:
        run = outcome.passes.get(name)
        for metric, series in run.metrics.items() if run else ():
            if metric in metrics and series.samples:
                yield name, metric, series


def common_slope(clock: Metric, builds: Sequence[Series], scale: Scale) -> correction.Slope | None:
    """The slope by which a figure of all these builds is corrected; None if there is nothing to correct, or no speed.

    Raises ValueError for readings or processes that don't fit the samples.
    """
    if scale.common is None:
        return None
    probed = []
    for series in builds:
        if not series.probes:
            return None
        check_series(series)
        probed.append(correction.ProbedSamples(series.samples, series.probes, series.processes))
    return correction.fitted_slope(clock, probed)


class FigureSamples:
    """The samples of a series, prepared once for figures by any slope; `exact` samples are counts without a step."""

    def __init__(self, series: Series, scale: Scale = AS_MEASURED, *, exact: bool = False) -> None:
        """Raises ValueError for processes that don't add up to its samples, or no calls."""
        check_series(series, exact=exact)
        self._series = series
        self._scale = scale
        self._counts = series.processes or (len(series.samples),)
        raw = np.asarray(series.samples)
        is_coarse = not exact and np.array_equal(raw * series.loops, np.round(raw * series.loops))
        self._step = 1.0 / series.loops if is_coarse else 0.0
        if self._step and series.probes:
            # This precedes the correction, which makes equal readings differ.
            raw = np.concatenate([_ungrouped(part, self._step) for part in _by_process(raw, self._counts)])
        self._raw = raw
        self._beside = correction.speeds(series.probes, self._counts) if series.probes else None
        self._steady: list[bool] | None = None
        """Flags for the samples at the common speed, by the probe beside each; None if they are too few."""
        if self._beside is not None and scale.common is not None and not (series.turns or series.quantile):
            self._steady = correction.steady_samples(self._beside, self._counts, scale.common)

    @property
    def is_steady(self) -> bool:
        """Whether enough samples were taken at the common speed."""
        return self._steady is not None or bool(self._series.at_reference and self._scale.common)

    def figure(self, slope: float | None = None, *, of_all: bool = False, quantile: float = MEDIAN) -> Figure:
        """The figure, corrected by this slope (default: its own).

        The times are this quantile of each process's samples at the common speed, or of all if these are too few.
        """
        series, counts = self._series, self._counts
        power = (series.slope or 0.0) if slope is None else slope
        if series.at_reference and self._scale.common and not of_all:
            stated = series.at_reference
            return Figure(tuple(correction.brought_to(self._scale.common, stated.samples, stated.probe, power)), 0.0)
        samples = _scaled(self._raw, series, self._beside, self._scale, power)
        # Otherwise equal readings are spread already, or are one time of their process.
        times_step = self._step if series.slope is msgspec.UNSET else 0.0
        chosen = np.ones(samples.size, dtype=bool) if of_all or self._steady is None else np.asarray(self._steady)
        both = zip(_by_process(samples, counts), _by_process(chosen, counts), strict=True)
        parts = [part[flags] for part, flags in both]
        spread = (_ungrouped(part, times_step) if times_step else part for part in parts if part.size)
        times = tuple(percentile(np.sort(part).tolist(), quantile) for part in spread)
        turns = _turns(parts, series.turns) if series.turns else ()
        return Figure(times, self._step if series.loops == 1 else 0.0, turns)

    @cached_property
    def turns_as_measured(self) -> tuple[Turns, Turns] | None:
        """The median of each turn as measured, and of the readings beside it; None unless turns at a known speed count.

        Turns count where both sides were interleaved.
        """
        sizes = self._series.turns
        if not sizes or self._beside is None or not (self._scale.common and self._scale.in_turn):
            return None
        times, readings = (_by_process(each, self._counts) for each in (self._raw, np.asarray(self._beside)))
        return _turns(times, sizes), _turns(readings, sizes)


def _by_process(values: _Samples, counts: Sequence[int]) -> list[_Samples]:
    return np.split(values, np.cumsum(counts)[:-1])


def common_quantile(clock: Metric, builds: Sequence[Series], scale: Scale) -> float:
    """The quantile by which a figure of all these builds is compared.

    It is the median for counts, for interleaved samples, and where the machine's speed isn't known for each sample. A
    baseline file has one time for each process, and states its quantile.
    """
    quantiles = {
        series.quantile or (LOWER_DECILE if series.probes and not series.turns else MEDIAN) for series in builds
    }
    is_common = clock.is_time and scale.common is not None and len(quantiles) == 1
    return quantiles.pop() if is_common else MEDIAN


def _scaled(samples: _Samples, series: Series, beside: Sequence[float] | None, scale: Scale, slope: float) -> _Samples:
    """The samples corrected to the common speed by the probe beside each, or as measured."""
    if beside is not None:
        if scale.common is None:
            return samples
        return np.asarray(correction.brought_to(scale.common, samples.tolist(), beside, slope))
    if series.slope is msgspec.UNSET:
        return samples
    # The samples of a baseline file are at the speed of its run, without readings.
    if scale.common is None:
        return samples * ((series.uncorrected or series.median) / series.median)
    return samples if scale.own is None else np.asarray(samples * (scale.common.us / scale.own.us) ** slope)


def have_equal_turns(base: Figure, new: Figure) -> bool:
    """Whether both figures have turns, and as many of them in each process."""
    return bool(base.turns) and [*map(len, base.turns)] == [*map(len, new.turns)]


def in_one_state(
    figures: tuple[Figure, Figure], sides: Sequence[FigureSamples], reference: Reference, slope: float
) -> tuple[Figure, Figure]:
    """Both figures, whose turns at one speed of the machine are brought to the reference by one factor.

    A probe takes some percent longer beside one process than beside another, and readings are noisy: corrected each by
    its own, turns that the machine took at one speed differ by more than as measured. Turns whose readings differ by
    more than MAX_SLOWDOWN were taken in two states, and keep their own corrections.
    """
    base, new = (side.turns_as_measured for side in sides)
    if not (base and new and have_equal_turns(*figures)):
        return figures
    turns: tuple[list[tuple[float, ...]], list[tuple[float, ...]]] = [], []
    for place, both in enumerate(zip(base[1], new[1], strict=True)):
        first, second = map(np.asarray, both)
        is_one = np.maximum(first, second) <= correction.MAX_SLOWDOWN * np.minimum(first, second)
        factor = (reference.us / np.sqrt(first * second)) ** slope
        for figure, (measured, _), chosen in zip(figures, (base, new), turns, strict=True):
            values = np.where(is_one, np.asarray(measured[place]) * factor, figure.turns[place])
            chosen.append(tuple(values.tolist()))
    of_base, of_new = map(tuple, turns)
    return msgspec.structs.replace(figures[0], turns=of_base), msgspec.structs.replace(figures[1], turns=of_new)


def _turns(parts: list[_Samples], sizes: tuple[tuple[int, ...], ...]) -> Turns:
    """The median of each turn of each process, NaN without samples."""
    medians = []
    # Plain lists: a comparison has millions of turns of few samples each.
    for turns, samples in zip(sizes, (part.tolist() for part in parts), strict=True):
        ordered = (sorted(samples[end - size : end]) for size, end in zip(turns, accumulate(turns), strict=True))
        medians.append(tuple(percentile(turn, MEDIAN) if turn else math.nan for turn in ordered))
    return tuple(medians)


def _ungrouped(samples: _Samples, step: float) -> _Samples:
    """The samples in their order, with equal readings spread evenly over their step."""
    order = np.argsort(samples, kind="stable")
    values, groups, counts = np.unique(samples[order], return_inverse=True, return_counts=True)
    first = np.cumsum(counts) - counts
    position = np.arange(samples.size) - first[groups]
    spread = np.empty_like(samples)
    spread[order] = values[groups] + step * ((position + 0.5) / counts[groups] - 0.5)
    return spread


DIGITS = 5
_STEP = 0.1
"""The change of the slope by which the sensitivity of a time is computed."""


def baseline_lines(run: RunReader, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The lines of a run file that is small enough to commit and gives the same comparison.

    Its times are lower deciles of a process's samples with a reading of the probe, or medians without a known speed.
    """
    statuses: Counter[str] = Counter()
    yield from map(_line, (run.header, *run.machines))
    for outcome in outcomes:
        statuses[outcome.status.value] += 1
        reference, passes = run.machine(outcome).reference or None, {}
        for name, timed in outcome.passes.items():
            times = {clock.key: _times(series, reference, clock) for clock, series in timed.metrics.items()}
            passes[name] = msgspec.structs.replace(Pass(notes=timed.notes), **times)
        yield _line(msgspec.structs.replace(outcome, **passes))
    if run.end:
        # Lines that can't be read are left out.
        counts = {status.value: statuses[status.value] for status in Status}
        yield _line(msgspec.structs.replace(run.end, asked=statuses.total(), **counts))


def _line(record: msgspec.Struct) -> str:
    return msgspec.json.encode(record).decode() + "\n"


def _times(series: Series, reference: Reference | None, clock: Metric) -> Series:
    if not series.samples or series.quantile:
        return series
    scale = Scale(reference, reference)
    quantile = common_quantile(clock, [series], scale)
    samples = FigureSamples(series, scale, exact=not clock.is_time)
    if quantile == MEDIAN or reference is None:
        return _with_times(series, [max(0.0, time) for time in samples.figure(quantile=quantile).times])
    whole = _probed(series, samples, quantile, reference, of_all=True)
    return msgspec.structs.replace(
        _with_times(series, whole.samples),
        probes=Probes(whole.probe, whole.probe),
        quantile=quantile,
        at_reference=_probed(series, samples, quantile, reference) if samples.is_steady else msgspec.UNSET,
    )


def _with_times(series: Series, times: Sequence[float]) -> Series:
    return msgspec.structs.replace(
        series, samples=_rounded(times), processes=(1,) * len(times), turns=msgspec.UNSET, probes=msgspec.UNSET
    )


def _probed(
    series: Series, samples: FigureSamples, quantile: float, reference: Reference, *, of_all: bool = False
) -> ProbedTimes:
    """The times as measured, each with the reading of the probe equivalent to its samples.

    A comparison corrects both sides to one speed by one slope with an error: the reading states how a time follows it.
    """
    slope = series.slope or 0.0
    # Times of few steps of the clock, spread over their step, may begin below 0.
    lower, middle, higher = (
        [max(0.0, time) for time in samples.figure(slope + step, of_all=of_all, quantile=quantile).times]
        for step in (-_STEP, 0.0, _STEP)
    )
    readings = tuple(
        round(
            reference.us * (max(less, MIN_TIME_US) / max(more, MIN_TIME_US)) ** (1 / (2 * _STEP)),
            correction.PROBE_DIGITS,
        )
        for less, more in zip(lower, higher, strict=True)
    )
    measured = [time * (reading / reference.us) ** slope for time, reading in zip(middle, readings, strict=True)]
    return ProbedTimes(_rounded(measured), readings)


def _rounded(times: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(f"{time:.{DIGITS}g}") for time in times)
