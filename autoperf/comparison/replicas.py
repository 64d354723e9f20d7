"""How machines differ: the spread of a case's times between runs of one build on several machines."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np

from autoperf.core.outcome import PASSES, Outcome
from autoperf.runs.run_reader import RunReader


class Spread(NamedTuple):
    """The number of figures that all runs have, and their relative ranges: the median and the 90th percentile."""

    figures: int
    median: float
    high: float


def spread_between(paths: Sequence[Path]) -> Spread | None:
    """The spread of the first clock's medians between run files of the same cases: (highest - lowest) / median.

    None without a figure that all have. Raises CaseFileError.
    """
    ranges: list[float] = []
    with ExitStack() as stack:
        first, *others = (stack.enter_context(RunReader(path)) for path in paths)
        for outcome in first:
            if all(outcome.case in other for other in others):
                ranges += _ranges([outcome, *(other.outcome(outcome.case) for other in others)])
    if not ranges:
        return None
    return Spread(len(ranges), float(np.median(ranges)), float(np.quantile(ranges, 0.9)))


def _ranges(outcomes: Sequence[Outcome]) -> list[float]:
    """The relative range of each pass that all outcomes have."""
    found = []
    for name in PASSES:
        passes = [run for outcome in outcomes if (run := outcome.passes.get(name))]
        series = [ranking for run in passes if (ranking := run.ranking_series())]
        medians = [each.median for each in series]
        if len(medians) == len(outcomes) and min(medians) > 0:
            found.append((max(medians) - min(medians)) / float(np.median(medians)))
    return found
