"""Figures of an outcome that are compared: one median for each process, with its resolution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
import numpy as np

from autoperf.core.clocks import CLOCKS, Clock
from autoperf.core.outcome import PASSES, Outcome, PassName, Series
from autoperf.results.validity import check_series

MIN_TIME_US = 0.01

_Samples: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


class Figure(msgspec.Struct, frozen=True):
    """The medians of a figure's processes, and the step of its clock, both in microseconds.

    `turns` has the medians of each process's turns in an interleaved comparison; a turn without samples has NaN.
    """

    medians: tuple[float, ...]
    step: float
    turns: tuple[tuple[float, ...], ...] = ()

    @property
    def median(self) -> float:
        """The median over the processes."""
        ordered = sorted(self.medians)
        return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2

    @property
    def logs(self) -> list[float]:
        """Logarithms of the medians, which are at least MIN_TIME_US."""
        return [float(np.log(max(median, MIN_TIME_US))) for median in self.medians]


def figures(
    outcome: Outcome, passes: tuple[PassName, ...] = PASSES, clocks: tuple[Clock, ...] = CLOCKS
) -> Iterator[tuple[PassName, Clock, Figure]]:
    """Every figure of the outcome. Raises ValueError for processes that don't add up to the samples."""
    for name in passes:
        run = outcome.forward if name == "forward" else outcome.backward
        for clock in clocks if run else ():
            series = run.series(clock) if run else None
            if series is not None and series.samples:
                yield name, clock, figure(series)


def figure(series: Series) -> Figure:
    """The figure of a series. Raises ValueError for processes that don't add up to its samples, or no calls."""
    check_series(series)
    counts = series.processes or (len(series.samples),)
    samples = np.asarray(series.samples)
    step = 1.0 / series.loops if np.array_equal(samples * series.loops, np.round(samples * series.loops)) else 0.0
    parts = np.split(samples, np.cumsum(counts)[:-1])
    turns = _turns(parts, series.turns) if series.turns else ()
    return Figure(tuple(_median(part, step) for part in parts if part.size), step, turns)


def _turns(parts: list[_Samples], sizes: tuple[tuple[int, ...], ...]) -> tuple[tuple[float, ...], ...]:
    """The median of each turn of each process."""
    return tuple(
        tuple(map(_middle, np.split(part, np.cumsum(turns)[:-1]))) for turns, part in zip(sizes, parts, strict=True)
    )


def _middle(samples: _Samples) -> float:
    """The median; np.median takes several times as long, and a case has hundreds of turns."""
    if not samples.size:
        return float("nan")
    ordered = np.sort(samples)
    return float(ordered[(ordered.size - 1) // 2] + ordered[ordered.size // 2]) / 2


def _median(samples: _Samples, step: float) -> float:
    """The median; for a coarse clock that of grouped data: equal readings are spread over their step."""
    ordered = np.sort(samples)
    if step:
        values, groups, counts = np.unique(ordered, return_inverse=True, return_counts=True)
        first = np.cumsum(counts) - counts
        position = np.arange(ordered.size) - first[groups]
        ordered = values[groups] + step * ((position + 0.5) / counts[groups] - 0.5)
    return _middle(ordered)
