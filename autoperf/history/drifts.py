"""Finds drifts: levels that change by a little each night, which is too slow for a step or looks like several.

The medians of weeks of nights are compared over some weeks. Where they differ by more than their noise, and not by one
jump, a line between two levels is fitted by least squares (its first and last night are found by trial), and so are
constant levels between steps. A drift is what the line fits better. `found_in` joins drifts, steps and changed counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autoperf.comparison.comparison import COUNT_THRESHOLD
from autoperf.history.steps import MIN_SPREAD, Floats, LevelStep, follow, masked_median, told_once, with_cases

WEEK = 7
SPANS = (4, 8)
"""The numbers of weeks over which a drift is looked for."""
MIN_SIZE = 0.02
"""Logarithm: the smallest change over these weeks."""
DEVIATIONS = 6.5
"""The smallest change, in standard errors."""
MAX_JUMP = 0.6
"""The largest part of the change that may happen from one week to the next."""
MARGIN = 14
"""The nights before and after these weeks that are fitted too."""
MIN_DURATION = 14
"""Nights: a shorter drift is a step."""
BETTER = 0.8
"""The squares of the line's residuals, relative to those of the levels, below which it is a drift."""
_TRIALS = 20
"""The nights that are tried as the line's ends."""
_EDGE = 6
"""The slope is that of the nights but a sixth at either end, where the line bends."""
_BOUND = 3.0
_NORMAL = 1.96
_OF_MEDIAN = 1.2533
_TO_DEVIATION = 1.4826


class _Line(NamedTuple):
    """A level, a change a night from the night `begin` on, up to the night `end`, and the sum of squares."""

    level: float
    slope: float
    begin: int
    end: int
    squares: float


class _Weeks(NamedTuple):
    """The first and the last night of weeks that look like a drift, the night that decides, and the direction."""

    first: int
    last: int
    decided: int
    sign: int


def with_drifts(steps: Sequence[LevelStep], values: Floats) -> list[LevelStep]:
    """The steps and the drifts, without the steps that are parts of these; `values` are without the machine's part."""
    by_row: dict[int, list[LevelStep]] = {}
    for step in steps:
        by_row.setdefault(step.series, []).append(step)
    for row, weeks in _drifting(values).items():
        own = by_row.get(row, [])
        drifts = [drift for each in _merged(weeks) if (drift := _drift(row, own, values[row], each))]
        by_row[row] = [*drifts, *(step for step in own if not any(_is_part(step, each) for each in drifts))]
    found = [step for members in by_row.values() for step in members]
    return sorted(found, key=lambda step: (step.decided, step.series))


def _drifting(values: Floats) -> dict[int, list[_Weeks]]:
    """The weeks in which each series looks like a drift."""
    count = values.shape[1] // WEEK
    weeks = values[:, : count * WEEK].reshape(len(values), count, WEEK)
    medians = masked_median(weeks.reshape(-1, WEEK))[0].reshape(len(values), count)
    jumps = masked_median(np.abs(np.diff(values, axis=1)))[0] * _TO_DEVIATION / np.sqrt(2)
    error = _OF_MEDIAN * np.maximum(np.nan_to_num(jumps, nan=1.0), MIN_SPREAD) / np.sqrt(WEEK)
    found: dict[int, list[_Weeks]] = {}
    for end in range(min(SPANS), count + 1):
        for span in (each for each in SPANS if each <= end):
            signs = _signs(medians[:, end - span : end], error)
            for row in np.flatnonzero(signs):
                night = end * WEEK - 1
                found.setdefault(int(row), []).append(_Weeks((end - span) * WEEK, night, night, int(signs[row])))
    return found


def _signs(medians: Floats, error: Floats) -> npt.NDArray[np.int64]:
    """The direction in which the last medians differ from the first by more than noise and by no single jump, or 0."""
    side = max(1, medians.shape[1] * 3 // 8)
    size = medians[:, -side:].mean(axis=1) - medians[:, :side].mean(axis=1)
    jump = np.abs(np.diff(medians, axis=1)).max(axis=1)
    least = np.maximum(MIN_SIZE, DEVIATIONS * error * np.sqrt(2 / side))
    drifts = (np.abs(size) > least) & (jump < MAX_JUMP * np.abs(size))
    return np.where(drifts, np.sign(np.nan_to_num(size)), 0).astype(np.int64)


def _merged(weeks: Sequence[_Weeks]) -> list[_Weeks]:
    """Weeks of one direction that overlap, as one."""
    merged: list[_Weeks] = []
    for each in sorted(weeks, key=lambda each: (each.sign, each.decided, each.first)):
        if merged and merged[-1].sign == each.sign and each.first <= merged[-1].last:
            former = merged.pop()
            each = former._replace(first=min(former.first, each.first), last=each.last)  # noqa: PLW2901
        merged.append(each)
    return merged


def _is_part(step: LevelStep, drift: LevelStep) -> bool:
    end = drift.first + (drift.after - drift.before) / (drift.nightly or 1.0)
    is_near = drift.first - WEEK <= step.first <= end + WEEK
    return is_near and (step.after > step.before) == (drift.after > drift.before)


def _drift(row: int, steps: Sequence[LevelStep], values: Floats, weeks: _Weeks) -> LevelStep | None:
    """The drift of a series within these nights, if a line fits them better than levels; else None."""
    low = max(0, weeks.first - MARGIN, *(step.first for step in steps if step.first <= weeks.first))
    high = min(len(values), weeks.last + MARGIN)
    nights = low + np.flatnonzero(np.isfinite(values[low:high]))
    smooth = _smoothed(values[nights])
    line = _fitted(nights, smooth)
    cuts = np.searchsorted(nights, [step.first for step in steps if low < step.first < high])
    if line is None or line.squares > BETTER * min(_squares(smooth, cuts), _one_step(smooth)):
        return None
    slope, error = _slope(nights, values[nights], line)
    size, reach = (each * (line.end - line.begin) for each in (slope, _NORMAL * error))
    return LevelStep(row, line.begin, weeks.decided, line.level, line.level + size, reach, "drift", slope)


def _squares(values: Floats, cuts: npt.NDArray[np.int64]) -> float:
    parts = np.split(values, cuts)
    return sum(float(np.sum((part - part.mean()) ** 2)) for part in parts if len(part))


def _one_step(values: Floats) -> float:
    before = np.arange(1, len(values))
    sums = np.cumsum(values)[:-1]
    means = sums**2 / before + (values.sum() - sums) ** 2 / (len(values) - before)
    return float(np.sum(values**2) - means.max())


def _smoothed(values: Floats) -> Floats:
    """The running median of five nights, which leaves out single disturbances."""
    padded = np.pad(values, 2, mode="edge")
    return masked_median(np.lib.stride_tricks.sliding_window_view(padded, 5))[0]


def _fitted(nights: npt.NDArray[np.int64], values: Floats) -> _Line | None:
    """The line of the least squares among those that begin and end at the nights of a grid; None for few nights."""
    if len(nights) < 2 * MIN_DURATION:
        return None
    grid = np.unique(np.linspace(nights[0], nights[-1], _TRIALS).round().astype(int))
    begins, ends = (each.ravel() for each in np.meshgrid(grid, grid, indexing="ij"))
    begins, ends = (each[ends - begins >= MIN_DURATION] for each in (begins, ends))
    rise = np.clip(nights - begins[:, None], 0, (ends - begins)[:, None]).astype(float)
    centred, level = rise - rise.mean(axis=1, keepdims=True), values.mean()
    spans = np.sum(centred**2, axis=1)
    slopes = centred @ (values - level) / np.maximum(spans, 1e-9)
    squares = np.sum((values - level) ** 2) - slopes**2 * spans
    best = int(np.argmin(squares))
    begin, end = int(begins[best]), int(ends[best])
    at_begin = float(level - slopes[best] * rise[best].mean())
    return _Line(at_begin, float(slopes[best]), begin, end, float(squares[best]))


def _slope(nights: npt.NDArray[np.int64], values: Floats, line: _Line) -> tuple[float, float]:
    """The slope of the nights within a line and its standard error, by least squares; disturbed nights are bounded."""
    margin = (line.end - line.begin) // _EDGE
    within = (nights >= line.begin + margin) & (nights <= line.end - margin)
    at = nights[within] - nights[within].mean()
    fitted = line.level + line.slope * (nights[within] - line.begin)
    residuals = values[within] - fitted
    middle = np.median(residuals)
    spread = max(_TO_DEVIATION * float(np.median(np.abs(residuals - middle))), MIN_SPREAD)
    bounded = middle + np.clip(residuals - middle, -_BOUND * spread, _BOUND * spread)
    return line.slope + float(at @ bounded / (at @ at)), spread / float(np.sqrt(at @ at))


Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Found:
    """The changes by night, the series of which the last night alone differs, and whether each is judged in it.

    Their rows are those of the series; behind them stand the joint times of each case.
    """

    changes: Sequence[LevelStep]
    suspects: Sequence[LevelStep]
    judged: Mask


def found_in(
    logs: Floats, cases: npt.NDArray[np.int64], kinds: tuple[Mask, Mask], machine: tuple[Floats | None, Floats | None]
) -> Found:
    """The changes in logarithms of medians (series x nights), whose cases are numbered from 0.

    `kinds` are masks of the times and of the exact counts; other counts have steps. `machine` is the logarithm of how
    much longer than usual the probe and a control took each night.
    """
    timed, exact = kinds
    times, counts, counted = (np.flatnonzero(each) for each in (timed, ~timed & ~exact, exact))
    rows = np.concatenate([times, len(logs) + np.arange(int(cases.max(initial=-1)) + 1)])
    probe, control = machine
    of_times = follow(with_cases(logs[times], cases[times]), probe, control)
    of_counts = follow(logs[counts])
    told = told_once(with_drifts(of_times.steps, of_times.values), cases[times])
    placed = ((told, rows), (of_counts.steps, counts), (count_changes(logs[counted]), counted))
    changes = [replace(step, series=int(places[step.series])) for steps, places in placed for step in steps]
    judged = exact.copy()
    judged[times], judged[counts] = of_times.judged[: len(times)], of_counts.judged
    suspects = [replace(each, series=int(rows[each.series])) for each in of_times.suspects]
    return Found(sorted(changes, key=lambda step: (step.decided, step.series)), suspects, judged)


def count_changes(logs: Floats) -> list[LevelStep]:
    """The changes of exact counts (logarithms; series x nights, NaN for nights without a count), by night.

    Each count is compared with the first at its level, so that many small changes are found too.
    """
    level = np.full(len(logs), np.nan)
    found: list[LevelStep] = []
    for night, counts in enumerate(logs.T):
        changed = np.abs(counts - level) >= np.log1p(COUNT_THRESHOLD)
        for row in np.flatnonzero(changed):
            before, after = float(level[row]), float(counts[row])
            found.append(LevelStep(int(row), night, night, before, after, 0.0, "count"))
        level = np.where(changed | np.isnan(level), counts, level)
    return found
