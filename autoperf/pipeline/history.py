"""The series of some operators of a history."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autoperf.analysis.history_series import SeriesSet, series_sets
from autoperf.reports.row_filter import RowFilter
from autoperf.results.history import History


def operator_series(path: Path, operators: Sequence[str]) -> list[SeriesSet]:
    """The series of operators, named as in the runs or by globs. Raises UnknownNameError for a name that none has."""
    with History(path) as history:
        cases = history.cases()
        chosen = RowFilter(tuple(operators)).positions(cases, "history")
        return list(series_sets(history, [cases[position] for position in chosen]))
