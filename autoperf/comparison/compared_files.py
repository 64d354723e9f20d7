"""Compares two stored runs. Reports of other results don't import it, since it needs SciPy."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import msgspec

from autoperf.comparison.compare import compare
from autoperf.comparison.comparison import Comparison, ComparisonOptions
from autoperf.comparison.comparison_notices import lost_notices
from autoperf.comparison.report import filtered
from autoperf.reports.row_filter import RowFilter
from autoperf.reports.units import describe_case
from autoperf.runs.run_reader import RunReader

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
