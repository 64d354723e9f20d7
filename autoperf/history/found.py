"""What is found in comparable series: steps and drifts of times, changed counts, and last nights that differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from autoperf.comparison.comparison import COUNT_THRESHOLD
from autoperf.history.drifts import with_drifts
from autoperf.history.steps import Floats, LevelStep, follow, told_once, with_cases

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
    """What is found in logarithms (series x nights), whose cases are numbered from 0.

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
