"""Comparison of two run files, with an optional A/A run."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from autoperf.analysis.compare import compare
from autoperf.analysis.comparison import Comparison, ComparisonOptions
from autoperf.reports.units import describe_case
from autoperf.results.run_reader import RunReader


def compare_files(base: Path, new: Path, options: ComparisonOptions, aa: tuple[Path, Path] | None = None) -> Comparison:
    """Compares NEW with BASE. Raises CaseFileError for an unreadable file, UsageError if no case is in both."""
    with ExitStack() as stack:

        def reader(path: Path) -> RunReader:
            return stack.enter_context(RunReader(path))

        calibration = (reader(aa[0]), reader(aa[1])) if aa else None
        return compare(reader(base), reader(new), options, describe_case, calibration)
