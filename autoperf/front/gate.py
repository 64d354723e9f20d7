"""The answer of `autoperf gate` on the terminal, and its reports in files; Markdown is a comment on a pull request."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autoperf.comparison.comparison import Comparison
from autoperf.comparison.report import ComparisonReport
from autoperf.core.errors import UsageError
from autoperf.front.output import check_report, show_report, tell, tolerating_closed_pipe, write_report
from autoperf.reports.columns import View
from autoperf.reports.formats import Kind, form_of, names, usual_suffixes


def check_reports(paths: Sequence[Path], kind: Kind = "comparison") -> None:
    """Raises UsageError for a file whose suffix names no format, OutputError for one that can't be written."""
    for path in paths:
        if form_of(path, names(kind)) is None:
            suffixes = ", ".join(usual_suffixes(names(kind)))
            raise UsageError(f"invalid --report {path}: expected one of the suffixes {suffixes}")
        check_report(path)


def show_gate(comparison: Comparison, reports: Sequence[Path]) -> None:
    """Writes the reports, each in the format that its suffix names; prints what changed, and the answer.

    Markdown is a comment of what changed; other formats have all measurements.
    """
    brief, whole = (ComparisonReport(comparison, brief=is_brief, view=View()) for is_brief in (True, False))
    for path in reports:
        form = form_of(path, names("comparison")) or "table"
        if form == "md":
            write_report(path, "comparison", "comment", brief)
        else:
            write_report(path, "comparison", form, whole)
    tell(f"report: {path}" for path in reports)
    with tolerating_closed_pipe():
        show_report("comparison", "table", brief)
