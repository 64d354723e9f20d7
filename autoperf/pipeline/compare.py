"""Compares two run files, with an A/A run beside them if there is one."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from autoperf.analysis.compare import compare
from autoperf.analysis.comparison import Comparison, ComparisonOptions
from autoperf.reports.units import describe_case
from autoperf.results.run_reader import RunReader


def compare_files(
    base: Path, new: Path, question: ComparisonOptions, calibration: tuple[Path, Path] | None = None
) -> Comparison:
    """NEW against BASE. Raises CaseFileError for a file that can't be read, UsageError if nothing is in both."""
    with ExitStack() as stack:

        def opened(path: Path) -> RunReader:
            return stack.enter_context(RunReader(path))

        known = (opened(calibration[0]), opened(calibration[1])) if calibration else None
        return compare(opened(base), opened(new), question, describe_case, known)
