"""The reports of stored results: one run, several side by side, two compared, or a hunt; the answer of a gate."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autoperf.comparison.groups import group_of_sides, grouped_run, run_group_columns
from autoperf.comparison.release_matrix import (
    answer_of_releases,
    grouped_releases,
    release_group_columns,
    requested_labels,
)
from autoperf.comparison.side_by_side import ReleaseRun
from autoperf.core.errors import Exit, UsageError
from autoperf.core.releases import unique_labels
from autoperf.front.output import (
    check_groups_view,
    check_report,
    check_view,
    report_in,
    show_report,
    tell,
    tolerating_closed_pipe,
    write_report,
)
from autoperf.hunt.report import HuntReport
from autoperf.hunt.report import answer as hunt_answer
from autoperf.hunt.stored import Hunted, read_hunt
from autoperf.reports.columns import View
from autoperf.reports.formats import Kind, form_of, load, names, usual_suffixes
from autoperf.reports.provenance import provenance_columns
from autoperf.runs.run_reader import LazyOutcomes, RunReader
from autoperf.summary.documents import run_answer
from autoperf.summary.runs import RunReport, known_columns

if TYPE_CHECKING:
    from autoperf.comparison.comparison import Comparison
    from autoperf.hunt.session import FinishedHunt
    from autoperf.measurement.resumed_run import StoredSources


def show_finished_hunt(hunt: FinishedHunt, sources: StoredSources, form: str, weights: Path | None) -> int:
    """Shows the findings, ranked by the calls in the file `weights` if there is one. Returns the exit code."""
    # Here alone: a report of a stored hunt needs no session.
    from autoperf.measurement.resumed_run import resume_command

    folder = hunt.folder
    report = _report(folder.hunted(complete=hunt.complete), weights)
    show_report("hunt", form, report)
    if not hunt.complete:
        tell([f"interrupted; resume with `{resume_command('hunt', folder.folder, sources)}`"])
    tell(hunt.rule_failures)
    if not hunt.complete:
        return Exit.INTERRUPTED
    return Exit.FINDING if folder.findings or hunt.rule_failures else Exit.FINE


def stored_hunt(path: Path, weights: Path | None = None) -> HuntReport:
    """The report of the hunt in this folder or log; reports lines that can't be read. Raises CaseFileError."""
    hunt = read_hunt(path)
    tell(f"{text}; the line is left out" for text in hunt.unreadable)
    return _report(hunt, weights)


def _report(hunt: Hunted, weights: Path | None) -> HuntReport:
    """The report of a hunt. Raises CaseFileError and UsageError for `weights` without counted calls."""
    from autoperf.hunt.registry_causes import ranking

    calls = None
    if weights:
        from autoperf.hunt.request import weighted_calls

        calls = weighted_calls(weights)
    return HuntReport(hunt, ranking(hunt.findings, calls))


@dataclass(frozen=True)
class Shown:
    """The form of a report: format, columns and order, and its file; None is standard output."""

    form: str
    view: View
    file: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The file of the report, if it has one."""
        return (self.file,) if self.file else ()

    def check(self, releases: int) -> None:
        """Raises UsageError and OutputError for a report that can't be written."""
        for file in self.files:
            check_report(file)
        self.check_view(releases)

    def check_view(self, releases: int, labels: Sequence[str] = ()) -> None:
        """Raises UsageError and UnknownNameError for an unfit view; without labels, any ratio of releases is right."""
        form, view = self.form, self.view
        kind: Kind = "run" if releases < 2 else "runs"
        if not view.group_by:
            if form not in names(kind):
                what = "several run files" if kind == "runs" else "a run file"
                raise UsageError(f"--format {form} doesn't apply to {what}: expected {', '.join(names(kind))}")
            check_view(kind, form, view, known_columns())
        elif releases > 1:
            check_groups_view(form, view, release_group_columns(group_of_sides(view), labels or requested_labels(view)))
        else:
            check_groups_view(form, view, (*run_group_columns(view.group_by), *provenance_columns(None)))


def show_runs(paths: Sequence[Path], shown: Shown, labels: Sequence[str] = ()) -> None:
    """Shows one run file, or several in columns, by their releases without labels. Raises UsageError for a view."""
    with ExitStack() as stack:
        readers = [stack.enter_context(RunReader(path)) for path in paths]
        titles = labels or unique_labels([reader.header.release for reader in readers])
        shown.check_view(len(paths), titles)
        # Reading the samples takes most of the time; groups and most formats don't show them.
        samples = not shown.view.group_by and load("run" if len(paths) < 2 else "runs", shown.form).samples
        runs = []
        for reader in readers:
            settings = reader.header.options.get("settings")
            # The rows are grouped by operator if operators were measured in turn.
            in_turn = isinstance(settings, dict) and settings.get("time_budget") is not None
            outcomes = LazyOutcomes(reader, grouped=in_turn, samples=samples)
            runs.append(RunReport(reader.header, outcomes, reader.end, view=shown.view, machines=reader.machines))
        for run in runs:
            # Before the first piece of a report: a name that no outcome has leaves none of it behind.
            _ = run.selected
        releases = [ReleaseRun(*pair) for pair in zip(titles, runs, strict=True)]
        answer = run_answer(runs[0]) if len(runs) == 1 else answer_of_releases(releases)
        with tolerating_closed_pipe(), report_in(shown.file, answer):
            if shown.view.group_by:
                grouped = grouped_run(runs[0]) if len(runs) == 1 else grouped_releases(releases)
                show_report("groups", shown.form, grouped)
            elif len(runs) == 1:
                show_report("run", shown.form, runs[0])
            else:
                show_report("runs", shown.form, releases)
        if not labels:
            tell(notice for reader in readers for notice in reader.notices)


def show_comparison(base: Path, new: Path, shown: Shown) -> None:
    """Shows a run file compared with another one."""
    from autoperf.comparison import report as comparison
    from autoperf.comparison.compare import compare_files
    from autoperf.comparison.comparison import ComparisonOptions
    from autoperf.comparison.documents import answer as comparison_answer

    check_view("comparison", shown.form, shown.view, comparison.known_columns())
    compared = compare_files(base, new, ComparisonOptions(), rows=shown.view.rows)
    with report_in(shown.file, comparison_answer(compared)):
        show_report("comparison", shown.form, comparison.ComparisonReport(compared, view=shown.view))


def show_history(database: Path, operators: Sequence[str], form: str, output: Path | None = None) -> None:
    """Shows operators over time. Raises UsageError without an operator, as a history has too many for one report."""
    from autoperf.history.report import series_report
    from autoperf.history.series import operator_series
    from autoperf.history.store import reading

    if not operators:
        raise UsageError("--history needs an operator: --operator softmax, or a glob; `history changes` has all steps")
    load("history", form)
    with reading(database, tell) as history:
        report = series_report(operator_series(history, operators))
    with report_in(output, report.answer):
        show_report("history", form, report)


def show_hunt(folder: Path, weights: Path | None, shown: Shown) -> int:
    """Shows a hunt's findings, ranked by the calls in the file `weights`; returns the exit code with which it ended."""
    if shown.view != View():
        raise UsageError("options of rows and columns don't apply to a hunt: leave them out")
    load("hunt", shown.form)
    report = stored_hunt(folder, weights)
    with report_in(shown.file, hunt_answer(report)):
        show_report("hunt", shown.form, report)
    return Exit.FINDING if report.hunt.findings else Exit.FINE


def check_reports(paths: Sequence[Path], kind: Kind = "comparison") -> None:
    """Raises UsageError for a file whose suffix names no format, OutputError for one that can't be written."""
    for path in paths:
        if form_of(path, names(kind)) is None:
            suffixes = ", ".join(usual_suffixes(names(kind)))
            raise UsageError(f"invalid --report {path}: expected one of the suffixes {suffixes}")
        check_report(path)


def show_gate(comparison: Comparison, reports: Sequence[Path]) -> None:
    """Writes reports in the formats of their suffixes (Markdown: what changed); prints what changed, and the answer."""
    from autoperf.comparison.report import ComparisonReport

    brief, whole = (ComparisonReport(comparison, brief=is_brief, view=View()) for is_brief in (True, False))
    for path in reports:
        form = form_of(path, names("comparison")) or "table"
        if form == "md":
            write_report(path, "comparison", "comment", brief)
        else:
            write_report(path, "comparison", form, whole)
    tell(f"report: {path}" for path in reports)
    show_report("comparison", "table", brief)
