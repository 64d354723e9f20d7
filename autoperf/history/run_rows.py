"""What a history stores of a run: rows of its figures, its new cases, and the fingerprints of its results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from autoperf.core.outcome import FigureWarning, Outcome, Series
from autoperf.runs.run_reader import LazyOutcomes, RunReader

FIGURE_FIELDS = ("run", "number", "pass", "clock", "median", "times")
CASE_FIELDS = ("number", "id", "operator", "category", "profile", "inputs")
FigureRow: TypeAlias = tuple[int, int, str, str, float, list[float] | None, bool]
"""A figure: its run, its case, pass and clock by name, the median, the times of its processes, and whether it has the
warning `crowded`."""
CaseRow: TypeAlias = tuple[int, str, str, str, str, str]
Describe: TypeAlias = Callable[[Outcome], str]
"""The text of a case."""
ProcessTimes: TypeAlias = Callable[[Outcome], Mapping[tuple[str, str], Sequence[float]]]
"""The times of the processes of each figure of an outcome, by the names of pass and clock."""


@dataclass(frozen=True)
class RunRows:
    """The rows of a run; `cases` are new ones. `prints` are JSON by case; `counted`: whether instructions are exact."""

    figures: Sequence[FigureRow]
    cases: Sequence[CaseRow]
    prints: Mapping[int, str]
    counted: bool


def run_rows(
    number: int, run: RunReader, known: Mapping[str, int], describe: Describe, times: ProcessTimes | None
) -> RunRows:
    """The rows of a run of this number; `known` are the numbers of the cases that are stored, by id."""
    numbers = dict(known)
    cases: list[CaseRow] = []
    figures: list[FigureRow] = []
    prints: dict[int, str] = {}
    counted = False
    for outcome in LazyOutcomes(run, samples=times is not None):
        of_outcome = list(_measured(outcome))
        if not of_outcome:
            continue
        case = numbers.setdefault(outcome.case, len(numbers))
        if case == len(known) + len(cases):
            texts = (outcome.case, outcome.operator, outcome.category, outcome.profile, describe(outcome))
            cases.append((case, *texts))
        if outcome.results:
            prints[case] = msgspec.json.encode(outcome.results).decode()
        counted = counted or any(each.code for each in outcome.passes.values())
        processes = times(outcome) if times else {}
        for pass_, clock, series in of_outcome:
            of_figure = list(processes.get((pass_, clock), ())) or None
            is_crowded = FigureWarning.CROWDED in series.warnings
            figures.append((number, case, pass_, clock, series.median, of_figure, is_crowded))
    return RunRows(figures, cases, prints, counted)


def _measured(outcome: Outcome) -> Iterator[tuple[str, str, Series]]:
    for pass_, run in outcome.passes.items():
        for metric, series in run.metrics.items():
            if series.median > 0:
                yield pass_, metric.name, series


def columns_of(fields: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, npt.NDArray[Any]]:
    """The rows as arrays that DuckDB reads, by the names of their first fields; empty without rows."""
    return {name: _array(values) for name, values in zip(fields, zip(*rows, strict=True), strict=False)}


def _array(values: Sequence[Any]) -> npt.NDArray[Any]:
    """The values in an array that DuckDB reads: of numbers, or of objects such as texts and lists."""
    if isinstance(values[0], int | float):
        return np.asarray(values)
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects
