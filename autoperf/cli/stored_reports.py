"""The reports of stored results: one run, several side by side, two compared, or a hunt."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from autoperf.cli.output import check_view, report_in, show_report, tell
from autoperf.cli.run_output import check_run_view, run_report, show_releases, show_run_report
from autoperf.core.errors import UsageError
from autoperf.core.releases import unique_labels
from autoperf.reports.columns import View
from autoperf.reports.formats import load
from autoperf.reports.side_by_side import ReleaseRun
from autoperf.results.run_reader import RunReader


def show_run(path: Path, form: str, view: View, output: Path | None) -> None:
    """Shows a run file."""
    check_run_view(form, view)
    samples = not view.group_by and load("run", form).samples
    with RunReader(path) as reader:
        with report_in(output):
            show_run_report(form, run_report(reader, view, samples=samples))
        tell(reader.notices)


def show_side_by_side(paths: Sequence[Path], form: str, view: View, output: Path | None) -> None:
    """Shows several run files, labelled by their releases, in columns."""
    with ExitStack() as stack:
        readers = [stack.enter_context(RunReader(path)) for path in paths]
        labels = unique_labels([reader.header.mxnet for reader in readers])
        check_run_view(form, view, len(paths), labels)
        samples = load("runs", form).samples
        shown = [run_report(reader, view, samples=samples) for reader in readers]
        with report_in(output):
            show_releases(form, [ReleaseRun(*pair) for pair in zip(labels, shown, strict=True)])
        tell(notice for reader in readers for notice in reader.notices)


def show_comparison(base: Path, new: Path, form: str, view: View, output: Path | None) -> None:
    """Shows a run file compared with another one."""
    from autoperf.analysis.comparison import ComparisonOptions
    from autoperf.pipeline.file_comparison import compare_files
    from autoperf.reports import comparison

    check_view("comparison", form, view, comparison.known_columns())
    compared = comparison.filtered(compare_files(base, new, ComparisonOptions()), view.rows)
    report = comparison.ComparisonReport(compared, view=view)
    with report_in(output):
        show_report("comparison", form, report)


def show_history(database: Path, operators: Sequence[str], form: str, output: Path | None) -> None:
    """Shows operators over time. Raises UsageError without an operator, as a history has too many for one report."""
    from autoperf.pipeline.history import operator_series
    from autoperf.reports.history import series_report

    if not operators:
        raise UsageError("--history needs an operator: --operator softmax, or a glob; `history changes` has all steps")
    load("history", form)
    report = series_report(operator_series(database, operators))
    with report_in(output):
        show_report("history", form, report)


def show_hunt(folder: Path, form: str, view: View, weights: Path | None, output: Path | None) -> None:
    """Shows the findings in the folder of a hunt, ranked by the calls in the file `weights` if there is one."""
    from autoperf.cli.hunt_output import stored_hunt

    if view != View():
        raise UsageError("options of rows and columns don't apply to a hunt: leave them out")
    load("hunt", form)
    report = stored_hunt(folder, weights)
    with report_in(output):
        show_report("hunt", form, report)
