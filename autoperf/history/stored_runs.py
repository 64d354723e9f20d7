"""Stored runs: two compared, with an optional A/A run, and runs added to a history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from autoperf.comparison.compare import compare
from autoperf.comparison.comparison import Comparison, ComparisonOptions
from autoperf.comparison.comparison_notices import lost_notices
from autoperf.comparison.report import filtered
from autoperf.core.outcome import Outcome
from autoperf.history.last_run import process_times
from autoperf.history.series import SeriesSet, series_sets
from autoperf.history.steps import MIN_RUNS
from autoperf.history.store import History, HistoryRun
from autoperf.reports.row_filter import RowFilter
from autoperf.reports.units import describe_case
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import provenance_of

ALL_ROWS = RowFilter()


def compare_files(
    base: Path, new: Path, options: ComparisonOptions, aa: tuple[Path, Path] | None = None, rows: RowFilter = ALL_ROWS
) -> Comparison:
    """Compares NEW with BASELINE, and keeps the selected rows.

    Raises CaseFileError for an unreadable file, UsageError if no case is in both, UnknownNameError for a selected name
    that no row has.
    """
    with ExitStack() as stack:

        def reader(path: Path) -> RunReader:
            return stack.enter_context(RunReader(path))

        calibration = (reader(aa[0]), reader(aa[1])) if aa else None
        comparison = filtered(compare(reader(base), reader(new), options, describe_case, calibration), rows)
    notices = (*lost_notices(comparison.lost), *comparison.notices)
    return msgspec.structs.replace(comparison, notices=notices)


def add_run(history: History, run: RunReader, control: RunReader | None = None) -> HistoryRun | None:
    """Adds a run, with the times of its processes while runs are too few for steps; None if it is there already.

    The `control` is the run of a build that never changes, measured beside.
    """
    is_short = history.comparable_runs(provenance_of(run.header, run.machines)) < MIN_RUNS

    def times(outcome: Outcome) -> Mapping[tuple[str, str], Sequence[float]]:
        return process_times(run.machine(outcome), outcome)

    return history.add(run, describe_case, times if is_short else None, control)


def operator_series(history: History, operators: Sequence[str]) -> list[SeriesSet]:
    """The series of operators, named as in the runs or by globs. Raises UnknownNameError for a name that none has."""
    cases = history.cases()
    chosen = RowFilter(tuple(operators)).positions(cases, "history")
    return list(series_sets(history, [cases[position] for position in chosen]))
