"""Adding runs to a history, and the series of some operators in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from autoperf.analysis.history_series import SeriesSet, process_times, series_sets
from autoperf.analysis.steps import MIN_RUNS
from autoperf.core.outcome import Outcome
from autoperf.reports.row_filter import RowFilter
from autoperf.reports.units import describe_case
from autoperf.results.history import History, HistoryRun
from autoperf.results.provenance import provenance_of
from autoperf.results.run_reader import RunReader


def add_run(history: History, run: RunReader) -> HistoryRun | None:
    """Adds a run, with the times of its processes while runs are too few for steps; None if it is there already."""
    is_short = history.comparable_runs(provenance_of(run.header, run.machines)) < MIN_RUNS

    def times(outcome: Outcome) -> Mapping[tuple[str, str], Sequence[float]]:
        return process_times(run.machine(outcome), outcome)

    return history.add(run, describe_case, times if is_short else None)


def operator_series(path: Path, operators: Sequence[str]) -> list[SeriesSet]:
    """The series of operators, named as in the runs or by globs. Raises UnknownNameError for a name that none has."""
    with History(path) as history:
        cases = history.cases()
        chosen = RowFilter(tuple(operators)).positions(cases, "history")
        return list(series_sets(history, [cases[position] for position in chosen]))
