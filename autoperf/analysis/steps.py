"""Finds steps in series of medians: levels that changed and stayed.

Page's cumulative sums (Page, "Continuous inspection schemes", Biometrika 41, 1954) of residuals that are bounded
(Huber, "Robust statistics", 1981), so that a night or two of disturbance is no step. The level of a series is the
median of its last nights, its spread their median absolute deviation, shrunk towards the spread of all series. What
most series have in common in a night is the machine's, and is subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

WINDOW = 60
MIN_NIGHTS = 30
"""The nights that a level is estimated from, and how many it needs before a series is judged."""
ALLOWANCE = 1.5
CAP = 4.5
DECISION = 8.8
"""In units of the spread: what each night's residual exceeds, its bound, and the sum that decides. Two nights at the
bound have 6, so that a step needs three."""
MIN_DEVIATIONS = 4.0
"""The smallest step that is reported, in units of the spread."""
AGREEMENT = 3.0
MIN_AGREEING = 3
"""So many nights must be this near to the new level, in units of the spread. Those of a step are; those of some
disturbances one after the other are not."""
MIN_STEP = 0.02
MIN_SPREAD = 0.004
"""Logarithms: the smallest step that is reported, and the least spread of a series."""
PRIOR_NIGHTS = 15.0
"""How many nights the spread of all series counts for beside those of one."""
BOUND = 5.0
"""How far a figure may be from the median of its case's figures, in units of its spread."""
UNCERTAINTY = 12.0
"""By how much the spread of few nights is widened: by 8% with 30 of them, by 2% with 60."""
MAX_EXCLUDED = 6
"""The last nights that are left out of a level while a sum grows."""
MIN_COMMON = 20
"""The series that must be judged in a night before what they have in common is subtracted."""
MIN_RUNS = MIN_NIGHTS + MIN_AGREEING
"""The runs from which on a step can be found: those of the level before it, and those that agree after it."""
_TO_DEVIATION = 1.4826


@dataclass(frozen=True)
class LevelStep:
    """A step of a series (its row): the first night at the new level, the night that decided, and both levels.

    The levels are logarithms.
    """

    series: int
    first: int
    decided: int
    before: float
    after: float


@dataclass
class _Sums:
    """The cumulative sums of all series, upwards and downwards, and the nights at which they began."""

    value: Floats
    begin: npt.NDArray[np.int64]

    def update(self, residuals: Floats, night: int) -> None:
        """Adds the residuals of a night."""
        self.value = np.maximum(0.0, self.value + np.where(np.isnan(residuals), 0.0, residuals - ALLOWANCE))
        self.begin = np.where(self.value > 0, self.begin, night + 1)

    def reset(self, rows: npt.NDArray[np.int64], night: int) -> None:
        """Begins anew after a decision."""
        self.value[rows] = 0.0
        self.begin[rows] = night + 1


def find_steps(logs: Floats) -> list[LevelStep]:
    """The steps of series of logarithms (series x nights, NaN where a night has no figure), by night."""
    values = np.array(logs, dtype=np.float64)
    _correct_first_nights(values)
    series, nights = values.shape
    start = np.zeros(series, dtype=np.int64)
    up, down = (_Sums(np.zeros(series), np.zeros(series, dtype=np.int64)) for _ in range(2))
    steps: list[LevelStep] = []
    for night in range(1, nights):
        clean = np.maximum(np.minimum(up.begin, down.begin), night - MAX_EXCLUDED)
        level, spread = _levels(values, night, start, np.minimum(clean, night))
        bounded = np.clip(_own_residuals(values, night, level) / spread, -CAP, CAP)
        up.update(bounded, night)
        down.update(-bounded, night)
        for row in np.flatnonzero(np.maximum(up.value, down.value) > DECISION):
            first = int((up if up.value[row] > down.value[row] else down).begin[row])
            after = values[row, first : night + 1]
            if not _agree(after, spread[row]):
                continue
            step = LevelStep(int(row), first, night, float(level[row]), float(np.nanmedian(after)))
            if abs(step.after - step.before) >= max(MIN_STEP, MIN_DEVIATIONS * spread[row]):
                steps.append(step)
                start[row] = first
            for sums in (up, down):
                sums.reset(np.array([row]), night)
    return steps


def _correct_first_nights(values: Floats) -> None:
    """Subtracts what most series have in common in the nights before any is judged, about their medians in them."""
    first = values[:, : MIN_NIGHTS + MAX_EXCLUDED]
    first -= common_of_nights(first)


def common_of_nights(logs: Floats) -> Floats:
    """By how much most series of each night are off their own medians; 0 for a night of few series."""
    centred = logs - masked_median(logs)[0][:, None]
    common, counts = masked_median(centred.T)
    return np.where(counts >= MIN_COMMON, common, 0.0)


def _own_residuals(values: Floats, night: int, level: Floats) -> Floats:
    """The night's residuals. What most series have in common is subtracted, also from `values`."""
    residuals = values[:, night] - level
    if np.count_nonzero(~np.isnan(residuals)) >= MIN_COMMON:
        common = np.nanmedian(residuals)
        values[:, night] -= common
        residuals -= common
    return residuals


def _agree(after: Floats, spread: float) -> bool:
    """Whether enough nights have one level. Disturbed nights in a row differ by more than the noise."""
    distance = np.abs(after - np.nanmedian(after))
    return int(np.count_nonzero(distance <= AGREEMENT * spread)) >= MIN_AGREEING


def find_case_steps(logs: Floats, cases: npt.NDArray[np.int64]) -> list[LevelStep]:
    """The steps of series, and those that only the figures of a case together show, by night.

    `cases` has the case of each series, numbered from 0. A step of a case has the row `len(logs) + case`; its levels
    are those of the weighted mean. One that a figure of the case shows as early is left out.
    """
    together, size = _together(logs, cases), len(logs)
    steps = find_steps(np.concatenate([logs, together]))
    shown = {(int(cases[step.series]), night) for step in steps if step.series < size for night in _about(step)}
    return [step for step in steps if step.series < size or (step.series - size, step.decided) not in shown]


def _about(step: LevelStep) -> range:
    """The nights in which a step of the case that is decided is the same as this one."""
    return range(step.decided, step.decided + MAX_EXCLUDED)


def _together(logs: Floats, cases: npt.NDArray[np.int64]) -> Floats:
    """The mean of each case's figures, each about its own median, weighted by its precision; NaN without figures.

    A figure that is disturbed alone is bounded about the median of the case's figures.
    """
    centred = logs - masked_median(logs)[0][:, None]
    # The spread of differences between nights, which a step hardly changes.
    jumps = masked_median(np.abs(np.diff(centred, axis=1)))[0] * _TO_DEVIATION / np.sqrt(2)
    spread = np.maximum(np.nan_to_num(jumps, nan=1.0), MIN_SPREAD)[:, None]
    middle = _middle(centred, cases)[cases]
    bounded = middle + np.clip(centred - middle, -BOUND * spread, BOUND * spread)
    weights = np.where(np.isnan(bounded), 0.0, 1 / spread**2)
    sums, totals = (np.zeros((int(cases.max(initial=-1)) + 1, logs.shape[1])) for _ in range(2))
    np.add.at(sums, cases, weights * np.nan_to_num(bounded))
    np.add.at(totals, cases, weights)
    return np.divide(sums, totals, out=np.full_like(sums, np.nan), where=totals > 0)


def _middle(centred: Floats, cases: npt.NDArray[np.int64]) -> Floats:
    """The median of each case's figures in each night (cases x nights)."""
    order = np.argsort(cases, kind="stable")
    counts = np.bincount(cases)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    stack = np.full((len(counts), centred.shape[1], int(counts.max(initial=1))), np.nan)
    stack[cases[order], :, np.arange(len(order)) - first] = centred[order]
    return masked_median(stack.reshape(-1, stack.shape[2]))[0].reshape(stack.shape[:2])


def _levels(
    values: Floats, night: int, start: npt.NDArray[np.int64], clean: npt.NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """The level and the spread of each series before a night; NaN levels where there are too few nights."""
    low = max(0, night - WINDOW)
    index = np.arange(low, night)
    usable = (index >= start[:, None]) & (index < clean[:, None])
    window = np.where(usable, values[:, low:night], np.nan)
    level, counts = masked_median(window)
    deviation = _TO_DEVIATION * masked_median(np.abs(window - level[:, None]))[0]
    judged = counts >= MIN_NIGHTS
    usual = float(np.median(deviation[judged])) if judged.any() else MIN_SPREAD
    pooled = np.sqrt((counts * deviation**2 + PRIOR_NIGHTS * usual**2) / (counts + PRIOR_NIGHTS))
    # Shrinking must not make a noisy series look steady, and a level of few nights is uncertain itself.
    spread = np.fmax(deviation, pooled) * np.hypot(1.0, UNCERTAINTY / np.maximum(counts, 1))
    return np.where(judged, level, np.nan), np.maximum(np.nan_to_num(spread, nan=usual), MIN_SPREAD)


def masked_median(rows: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The median of each row without its NaN, and how many values it has; NaN for an empty row.

    NumPy's nanmedian calls a function for each row.
    """
    if not rows.shape[1]:
        return np.full(len(rows), np.nan), np.zeros(len(rows), dtype=np.int64)
    ordered = np.sort(rows, axis=1)
    counts = np.count_nonzero(~np.isnan(ordered), axis=1)
    places = np.arange(len(rows))
    below, above = np.maximum(counts - 1, 0) // 2, counts // 2
    above = np.minimum(above, ordered.shape[1] - 1)
    return np.asarray((ordered[places, below] + ordered[places, above]) / 2), counts
