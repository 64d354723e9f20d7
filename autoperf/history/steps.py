"""Finds steps and drifts in series of medians: levels that change and stay, at once or a little each night.

The method is Page's cumulative sums ("Continuous inspection schemes", Biometrika 41, 1954) of bounded residuals (Huber,
"Robust statistics", 1981), so that a night or two of disturbance is no step. The level of a series is the median of its
last nights, and the spread their median absolute deviation, shrunk towards the spread of all series; of few nights the
standard deviation, if it is larger. A shift that most series share on one night is subtracted as far as the machine's
speed, measured beside, explains it by the nights of the most similar speed; what a control shows is subtracted before.

For drifts, the medians of weeks of nights are compared over some weeks. Where they differ by more than their noise, and
not by one jump, a line between two levels is fitted by least squares (its first and last night are found by trial), and
so are constant levels between steps. A drift is what the line fits better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from autoperf.comparison.comparison import COUNT_THRESHOLD

Floats = npt.NDArray[np.float64]
Evidence: TypeAlias = Literal["step", "drift", "count", "last run"]

WINDOW = 60
MIN_NIGHTS = 7
"""The nights from which a level is estimated: their maximum, and the minimum for judging a series."""
FEW_NIGHTS = 30
"""With fewer, the median absolute deviation is often far too small: the standard deviation is the least spread."""
TRIMMED = 2.5
"""The farthest night, which may be disturbed, is left out, and the rest widened by this over their number."""
ALLOWANCE = 1.5
CAP = 4.5
DECISION = 8.8
"""In units of the spread: the allowance subtracted from each night's residual, its bound, and the sum that decides. Two
nights at the bound sum to 6, so a step needs three."""
MIN_DEVIATIONS = 4.0
"""The smallest reported step, in units of the spread."""
AGREEMENT = 3.0
MIN_AGREEING = 3
"""At least MIN_AGREEING nights lie within AGREEMENT spreads of the new level, which separates a step from several
disturbances in a row."""
NEAR, KNOWN, MIN_KNOWN = 0.25, 0.1, 2
"""A level isn't new if this share of the nights before, and at least two, were within a quarter of its distance."""
MIN_STEP = 0.02
MIN_SPREAD = 0.004
"""Logarithms: the smallest reported step, and the minimum spread of a series."""
PRIOR_NIGHTS = 15.0
"""The weight of the spread of all series, in nights of one series."""
BOUND = 5.0
"""The bound on a figure's distance from the median of its case's figures, in units of its spread."""
UNCERTAINTY = 12.0
"""The widening of the spread of few nights: twofold with 7 nights, by 8% with 30, by 2% with 60."""
MAX_EXCLUDED = 6
"""The maximum number of last nights that are left out of a level while a sum grows."""
MIN_COMMON = 20
"""The minimum number of judged series in a night for subtracting their common shift."""
SIMILAR = 7
"""The nights of the most similar speed of the machine that bound this shift: one of four may be disturbed."""
MIN_RUNS = MIN_NIGHTS + MIN_AGREEING
"""The minimum number of runs for a step: runs of the level before it, and agreeing runs after it."""
MIN_LAST = 0.05
"""Logarithm: the smallest change of a last night without a step that is told, as a suspicion."""
_TO_DEVIATION = 1.4826
_NORMAL = 1.96
_OF_MEDIAN = float(np.sqrt(np.pi / 2))
"""The standard error of a median, relative to that of a mean."""


@dataclass(frozen=True)
class LevelStep:
    """A step of a series (its row): the first night at the new level, the night that decided, and both levels.

    The levels are logarithms as measured. `size` is their difference without the machine's part, and `reach` the
    distance to either end of its 95% interval, beside what the machine's speed has `explained`. `nightly` is the change
    of a drift each night, which is at the level before up to its first night.
    """

    series: int
    first: int
    decided: int
    before: float
    after: float
    size: float
    reach: float
    evidence: Evidence = "step"
    nightly: float | None = None
    explained: float = 0.0

    @property
    def ratios(self) -> tuple[float, float, float]:
        """The ratio of the levels without the machine's part, and the ends of its interval."""
        low, high = min(self.explained, 0.0) - self.reach, max(self.explained, 0.0) + self.reach
        ratio, *ends = (float(np.exp(self.size + end)) for end in (0.0, low, high))
        return ratio, ends[0], ends[1]


class Followed(NamedTuple):
    """The steps of series, which of them are judged in the last night, and which differ in it without a step yet.

    `values` are the logarithms without what is the machine's.
    """

    steps: list[LevelStep]
    judged: npt.NDArray[np.bool_]
    suspects: list[LevelStep]
    values: Floats


@dataclass
class _Sums:
    """The cumulative sums of all series in one direction, and the nights at which they began."""

    value: Floats
    begin: npt.NDArray[np.int64]

    def update(self, residuals: Floats, night: int) -> None:
        self.value = np.maximum(0.0, self.value + np.where(np.isnan(residuals), 0.0, residuals - ALLOWANCE))
        self.begin = np.where(self.value > 0, self.begin, night + 1)


def follow(logs: Floats, slower: Floats | None = None, control: Floats | None = None) -> Followed:
    """The steps of series of logarithms (series x nights, NaN for nights without a figure), by night.

    `slower` has the logarithm of how long the machine's probe took each night. What most series share on a night is the
    machine's up to its change; without it nothing is. What a `control` took longer than usual is the machine's wholly.
    """
    series, nights = logs.shape
    values = np.array(logs, dtype=np.float64) - (0.0 if control is None else control)
    speed, shifts = np.zeros(nights) if slower is None else slower, np.zeros(nights)
    _correct_first_nights(values, speed, shifts)
    start = np.zeros(series, dtype=np.int64)
    up, down = (_Sums(np.zeros(series), np.zeros(series, dtype=np.int64)) for _ in range(2))
    level, spread, residuals = (np.full(series, np.nan) for _ in range(3))
    steps: list[LevelStep] = []
    for night in range(1, nights):
        clean = np.maximum(np.minimum(up.begin, down.begin), night - MAX_EXCLUDED)
        level, spread = _levels(values, night, start, np.minimum(clean, night))
        residuals = _own_residuals(values[:, night], level, speed[: night + 1], shifts[: night + 1])
        bounded = np.clip(residuals / spread, -CAP, CAP)
        up.update(bounded, night)
        down.update(-bounded, night)
        for row in np.flatnonzero(np.maximum(up.value, down.value) > DECISION):
            first = int((up if up.value[row] > down.value[row] else down).begin[row])
            if not _agree(values[row, first : night + 1], spread[row]):
                continue
            courses, known = (logs[row], values[row], shifts), (start[row], level[row], spread[row])
            step = _decided(int(row), courses, slice(first, night + 1), known)
            if step:
                steps.append(step)
                start[row] = step.first
            for sums in (up, down):
                sums.value[row], sums.begin[row] = 0.0, night + 1
    decided = {step.series for step in steps if step.decided == nights - 1}
    far = np.abs(residuals) >= np.maximum(MIN_LAST, CAP * spread)
    last = [(int(row), float(logs[row, -1]), float(residuals[row]), spread[row]) for row in np.flatnonzero(far)]
    suspects = [
        LevelStep(row, nights - 1, nights - 1, after - size, after, size, _NORMAL * float(noise))
        for row, after, size, noise in last
    ]
    return Followed(steps, ~np.isnan(level), [each for each in suspects if each.series not in decided], values)


def _decided(
    row: int, courses: tuple[Floats, Floats, Floats], nights: slice, known: tuple[int, float, float]
) -> LevelStep | None:
    """The step of the nights whose sum decided; None if it is too small. `known` are start, level and spread.

    `courses` are the values as measured and without the machine's part, and what its speed explains.
    """
    (_, values, _), (start, level, spread) = courses, known
    summed = values[nights]
    # The first night that is nearer to the new level: noise may begin a sum earlier.
    first = nights.start + int(np.argmax(np.abs(summed - np.nanmedian(summed)) <= np.abs(summed - level)))
    earlier, later = slice(max(start, first - WINDOW), first), slice(first, nights.stop)
    size = float(np.nanmedian(values[later]) - level)
    # Earlier nights at the new level: such a series changes to and fro between the two.
    near = int(np.count_nonzero(np.abs(values[earlier] - level - size) < abs(size) * NEAR))
    is_known = near >= max(MIN_KNOWN, KNOWN * len(values[earlier]))
    if abs(size) < max(MIN_STEP, MIN_DEVIATIONS * spread) or is_known:
        return None
    before, after = ([float(np.nanmedian(course[each])) for course in courses] for each in (earlier, later))
    own, explained = after[1] - before[1], after[2] - before[2]
    # The difference of two medians, to the ends of its 95% interval.
    numbers = [np.count_nonzero(~np.isnan(values[each])) for each in (earlier, later)]
    reach = _NORMAL * _OF_MEDIAN * float(np.sqrt(sum(1 / number for number in numbers)))
    reach = reach * float(spread) + abs(own - size)
    return LevelStep(row, first, nights.stop - 1, before[0], after[0], own, reach, explained=explained)


def _correct_first_nights(values: Floats, slower: Floats, shifts: Floats) -> None:
    """Subtracts the machine's shift of the nights before any series is judged, about the medians in these nights."""
    first, longer = values[:, :MIN_NIGHTS], slower[:MIN_NIGHTS] - np.median(slower[:MIN_NIGHTS])
    common, counts = masked_median((first - masked_median(first)[0][:, None]).T)
    within = np.clip(common, np.minimum(longer, 0.0), np.maximum(longer, 0.0))
    shifts[:MIN_NIGHTS] = np.where(counts >= MIN_COMMON, within, 0.0)
    first -= shifts[:MIN_NIGHTS]


def _own_residuals(values: Floats, level: Floats, slower: Floats, shifts: Floats) -> Floats:
    """The residuals of the last of these nights; the machine's shift is subtracted, also from its `values`.

    It is the part of the shift that most series share which the machine's speed explains: up to it, in its direction.
    Each of the nights before of the most similar speed, the last ones first, bounds it by its own shift and the change
    of speed since. With few residuals it is as in the first of these.
    """
    if len(shifts) > MIN_NIGHTS:
        residuals, apart = values - level, (slower[-1] - slower[:-1])[::-1]
        near = np.argsort(np.abs(apart), kind="stable")[:SIMILAR]
        known, longer = shifts[:-1][::-1][near], apart[near]
        if np.count_nonzero(~np.isnan(residuals)) < MIN_COMMON:
            shifts[-1] = known[0]
        else:
            low, high = (np.median(known + end(longer, 0.0)) for end in (np.minimum, np.maximum))
            shifts[-1] = np.clip(np.nanmedian(residuals), low, high)
        values -= shifts[-1]
    return values - level


def _agree(after: Floats, spread: float) -> bool:
    """Whether enough nights share one level; disturbed nights in a row differ by more than the noise."""
    return int(np.count_nonzero(np.abs(after - np.nanmedian(after)) <= AGREEMENT * spread)) >= MIN_AGREEING


def with_cases(logs: Floats, cases: npt.NDArray[np.int64]) -> Floats:
    """The series, and below them the joint figures of each case.

    `cases` has the case of each series, numbered from 0. A step of a case has the row `len(logs) + case`, and levels of
    the mean of its figures about their own medians, weighted by precision. A figure's distance from the median of the
    case's figures is bounded, which limits a disturbance of it alone.
    """
    centred = logs - masked_median(logs)[0][:, None]
    # The spread of differences between nights, which a step hardly changes.
    jumps = masked_median(np.abs(np.diff(centred, axis=1)))[0] * _TO_DEVIATION / np.sqrt(2)
    spread = np.maximum(np.nan_to_num(jumps, nan=1.0), MIN_SPREAD)[:, None]
    # The median of each case's figures in each night.
    order, counts = np.argsort(cases, kind="stable"), np.bincount(cases)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    stack = np.full((len(counts), centred.shape[1], int(counts.max(initial=1))), np.nan)
    stack[cases[order], :, np.arange(len(order)) - first] = centred[order]
    middle = masked_median(stack.reshape(-1, stack.shape[2]))[0].reshape(stack.shape[:2])[cases]
    bounded = middle + np.clip(centred - middle, -BOUND * spread, BOUND * spread)
    weights = np.where(np.isnan(bounded), 0.0, 1 / spread**2)
    sums, totals = (np.zeros((int(cases.max(initial=-1)) + 1, logs.shape[1])) for _ in range(2))
    np.add.at(sums, cases, weights * np.nan_to_num(bounded))
    np.add.at(totals, cases, weights)
    return np.concatenate([logs, np.divide(sums, totals, out=np.full_like(sums, np.nan), where=totals > 0)])


def told_once(steps: Sequence[LevelStep], cases: npt.NDArray[np.int64]) -> list[LevelStep]:
    """The steps without those of a case that a figure of it shows too, which may take some nights longer to decide."""
    size = len(cases)
    near = [(step, MAX_EXCLUDED if step.nightly is None else WINDOW) for step in steps if step.series < size]
    shown = {(int(cases[step.series]), step.first + by) for step, reach in near for by in range(-reach, reach + 1)}
    return [step for step in steps if step.series < size or (step.series - size, step.first) not in shown]


def _levels(
    values: Floats, night: int, start: npt.NDArray[np.int64], clean: npt.NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """The level and the spread of each series before a night; the level of too few nights is NaN."""
    low = max(0, night - WINDOW)
    index = np.arange(low, night)
    usable = (index >= start[:, None]) & (index < clean[:, None])
    window = np.where(usable, values[:, low:night], np.nan)
    level, counts = masked_median(window)
    distance = np.abs(window - level[:, None])
    deviation = _TO_DEVIATION * masked_median(distance)[0]
    squares = np.nan_to_num(distance) ** 2
    of_few = (1 + TRIMMED / np.maximum(counts, 1)) * np.sqrt(
        (squares.sum(axis=1) - squares.max(axis=1, initial=0.0)) / np.maximum(counts - 2, 1)
    )
    deviation = np.where(counts < FEW_NIGHTS, np.fmax(deviation, of_few), deviation)
    judged = counts >= MIN_NIGHTS
    usual = float(np.median(deviation[judged])) if judged.any() else MIN_SPREAD
    pooled = np.sqrt((counts * deviation**2 + PRIOR_NIGHTS * usual**2) / (counts + PRIOR_NIGHTS))
    # Shrinking must not make a noisy series look steady, and the level of few nights is uncertain too.
    spread = np.fmax(deviation, pooled) * np.hypot(1.0, UNCERTAINTY / np.maximum(counts, 1))
    return np.where(judged, level, np.nan), np.maximum(np.nan_to_num(spread, nan=usual), MIN_SPREAD)


def masked_median(rows: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The median of each row without NaN, and its number of values; NaN for an empty row."""
    # NumPy's nanmedian calls a function for each row.
    if not rows.shape[1]:
        return np.full(len(rows), np.nan), np.zeros(len(rows), dtype=np.int64)
    ordered = np.sort(rows, axis=1)
    counts = np.count_nonzero(~np.isnan(ordered), axis=1)
    places = np.arange(len(rows))
    below, above = np.maximum(counts - 1, 0) // 2, counts // 2
    above = np.minimum(above, ordered.shape[1] - 1)
    return np.asarray((ordered[places, below] + ordered[places, above]) / 2), counts


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
    for begin, end in ((end - span, end) for end in range(count + 1) for span in SPANS if span <= end):
        within, side, last = medians[:, begin:end], max(1, (end - begin) * 3 // 8), end * WEEK - 1
        # The last medians differ from the first by more than noise, and by no single jump.
        size = within[:, -side:].mean(axis=1) - within[:, :side].mean(axis=1)
        jump = np.abs(np.diff(within, axis=1)).max(axis=1)
        least = np.maximum(MIN_SIZE, DEVIATIONS * error * np.sqrt(2 / side))
        for row in np.flatnonzero((np.abs(size) > least) & (jump < MAX_JUMP * np.abs(size))):
            found.setdefault(int(row), []).append(_Weeks(begin * WEEK, last, last, int(np.sign(size[row]))))
    return found


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
    is_near = drift.first - WEEK <= step.first <= drift.first + drift.size / (drift.nightly or 1.0) + WEEK
    return is_near and (step.size > 0) == (drift.size > 0)


def _drift(row: int, steps: Sequence[LevelStep], values: Floats, weeks: _Weeks) -> LevelStep | None:
    """The drift of a series within these nights, if a line fits them better than levels; else None."""
    low = max(0, weeks.first - MARGIN, *(step.first for step in steps if step.first <= weeks.first))
    high = min(len(values), weeks.last + MARGIN)
    nights = low + np.flatnonzero(np.isfinite(values[low:high]))
    # The running median of five nights leaves out single disturbances.
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(values[nights], 2, mode="edge"), 5)
    smooth = masked_median(windows)[0]
    line = _fitted(nights, smooth)
    if line is None:
        return None
    # The squares of the levels between the steps, and of the best two levels.
    parts = np.split(smooth, np.searchsorted(nights, [step.first for step in steps if low < step.first < high]))
    of_steps = sum(float(np.sum((part - part.mean()) ** 2)) for part in parts if len(part))
    before, sums = np.arange(1, len(smooth)), np.cumsum(smooth)[:-1]
    means = sums**2 / before + (smooth.sum() - sums) ** 2 / (len(smooth) - before)
    if line.squares > BETTER * min(of_steps, float(np.sum(smooth**2) - means.max())):
        return None
    slope, error = _slope(nights, values[nights], line)
    size, reach = (each * (line.end - line.begin) for each in (slope, _NORMAL * error))
    return LevelStep(row, line.begin, weeks.decided, line.level, line.level + size, size, reach, "drift", slope)


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
    at_begin = float(level - slopes[best] * rise[best].mean())
    return _Line(at_begin, float(slopes[best]), int(begins[best]), int(ends[best]), float(squares[best]))


def _slope(nights: npt.NDArray[np.int64], values: Floats, line: _Line) -> tuple[float, float]:
    """The slope of the nights within a line and its standard error, by least squares; disturbed nights are bounded."""
    margin = (line.end - line.begin) // _EDGE
    within = (nights >= line.begin + margin) & (nights <= line.end - margin)
    at = nights[within] - nights[within].mean()
    residuals = values[within] - (line.level + line.slope * (nights[within] - line.begin))
    middle = np.median(residuals)
    spread = max(_TO_DEVIATION * float(np.median(np.abs(residuals - middle))), MIN_SPREAD)
    bounded = middle + np.clip(residuals - middle, -_BOUND * spread, _BOUND * spread)
    return line.slope + float(at @ bounded / (at @ at)), spread / float(np.sqrt(at @ at))


Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Found:
    """The changes by night, the series that differ in the last one without a step, and whether each is judged in it.

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
    (timed, exact), (probe, control) = kinds, machine
    times, counts, counted = (np.flatnonzero(each) for each in (timed, ~timed & ~exact, exact))
    rows = np.concatenate([times, len(logs) + np.arange(int(cases.max(initial=-1)) + 1)])
    of_times = follow(with_cases(logs[times], cases[times]), probe, control)
    of_counts = follow(logs[counts])
    told = told_once(with_drifts(of_times.steps, of_times.values), cases[times])
    placed = ((told, rows), (of_counts.steps, counts), (count_changes(logs[counted]), counted))
    changes = [replace(step, series=int(places[step.series])) for steps, places in placed for step in steps]
    judged = exact.copy()
    judged[times], judged[counts] = of_times.judged[: len(times)], of_counts.judged
    suspects = [replace(each, series=int(rows[each.series])) for each in told_once(of_times.suspects, cases[times])]
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
            found.append(LevelStep(int(row), night, night, before, after, after - before, 0.0, "count"))
        level = np.where(changed | np.isnan(level), counts, level)
    return found
