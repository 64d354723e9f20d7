"""The final output and the exit code of `autoperf run`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from autoperf.cli.arguments import command_line
from autoperf.cli.output import (
    NoticeSink,
    check_groups_view,
    check_report,
    check_view,
    notices,
    report_in,
    show_report,
    tell,
    tolerating_closed_pipe,
)
from autoperf.cli.quiet import NoDisplay, is_quiet
from autoperf.core.errors import CaseFileError, UsageError
from autoperf.core.events import Sinks
from autoperf.core.exits import Exit
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.run_session import FinishedRun, RunMode, RunSession
from autoperf.pipeline.stored_code import StoredSources, resume_command
from autoperf.reports.columns import View
from autoperf.reports.formats import load
from autoperf.reports.groups import grouped_run, run_group_columns
from autoperf.reports.progress import progress_for
from autoperf.reports.provenance import provenance_columns
from autoperf.reports.release_matrix import grouped_releases, release_group_columns, requested_labels
from autoperf.reports.runs import RunReport, known_columns
from autoperf.reports.side_by_side import ReleaseRun
from autoperf.reports.units import count
from autoperf.results.run_reader import LazyOutcomes, RunReader
from autoperf.results.runfile import RunEnd


@dataclass(frozen=True)
class RunView:
    """The form of a run: format, columns and order, and the report's file; None is standard output."""

    form: str
    view: View
    file: Path | None = None

    def check(self, releases: int, run_file: Path | None = None) -> None:
        """Raises UsageError and OutputError for a report that can't be written, or that would replace the run file."""
        if self.file:
            check_report(self.file)
            if run_file and self.file.absolute() == run_file.absolute():
                raise UsageError(f"invalid --report {run_file}: expected a file other than the run file of --run-file")
        check_run_view(self.form, self.view, releases)


def show_finished(run: FinishedRun, shown: RunView, sources: StoredSources, *, named: bool) -> int:
    """Shows the results. Returns the exit code: 1 if a case failed, crashed or timed out, 130 after Ctrl-C.

    `named`: the user named the run files, so their paths were not printed with the first result and are printed now.
    """
    paths = [side.path for side in run.sides]
    names = [f"MXNet {side.label}: " if len(run.sides) > 1 else "" for side in run.sides]
    if named:
        tell(f"results: {name}{path}" for name, path in zip(names, paths, strict=True))
    if not run.complete:
        kept = count(run.kept, "case")
        tell([f"interrupted, {kept} kept; resume with `{resume_command('run', paths[0], sources)}`"])
    show_runs(paths, [side.label for side in run.sides], shown)
    return exit_code(side.end for side in run.sides) if run.complete else Exit.INTERRUPTED


def exit_code(ends: Iterable[RunEnd]) -> int:
    """The exit code of a complete run: a finding if a case failed, or if a release measured nothing."""
    broken = any(end.failed or end.crashed or end.timeout or not end.measured for end in ends)
    return Exit.FINDING if broken else Exit.FINE


def end_of(path: Path) -> RunEnd:
    """The last line of a complete run file. Raises CaseFileError if it is missing."""
    with RunReader(path) as run:
        if run.end is None:
            raise CaseFileError(f"{path}: the last line is missing; the file was changed while it was read")
        return run.end


def show_runs(paths: Sequence[Path], labels: Sequence[str], shown: RunView) -> None:
    """Shows the run files of one run, one per release, or writes the report.

    Raises UsageError for a view that the format does not support.
    """
    check_run_view(shown.form, shown.view, len(paths), labels)
    with ExitStack() as stack:
        stack.enter_context(tolerating_closed_pipe())
        stack.enter_context(report_in(shown.file))
        samples = load("run" if len(paths) == 1 else "runs", shown.form).samples
        runs = [run_report(stack.enter_context(RunReader(path)), shown.view, samples=samples) for path in paths]
        if len(runs) == 1:
            show_run_report(shown.form, runs[0])
        else:
            show_releases(shown.form, [ReleaseRun(*pair) for pair in zip(labels, runs, strict=True)])


def check_run_view(form: str, view: View, releases: int = 1, labels: Sequence[str] = ()) -> None:
    """Raises UsageError for a view that the format has no place for, UnknownNameError for an unknown column.

    Without the labels of several releases, a ratio of any release is accepted.
    """
    if not view.group_by:
        check_view("run" if releases < 2 else "runs", form, view, known_columns())
    elif releases > 1:
        check_groups_view(form, view, release_group_columns(view.group_by, labels or requested_labels(view)))
    else:
        check_groups_view(form, view, (*run_group_columns(view.group_by), *provenance_columns(None)))


def show_releases(form: str, runs: Sequence[ReleaseRun]) -> None:
    """Prints the runs of several releases, or their groups."""
    if runs[0].run.view.group_by:
        show_report("groups", form, grouped_releases(runs))
    else:
        show_report("runs", form, runs)


def show_run_report(form: str, report: RunReport) -> None:
    """Prints a run, or its groups."""
    if report.view.group_by:
        show_report("groups", form, grouped_run(report))
    else:
        show_report("run", form, report)


def run_report(run: RunReader, view: View, *, samples: bool) -> RunReport:
    """The report of an open run file; its rows are grouped by operator if operators were measured in turn.

    Reading the samples takes most of the time, and few formats show them.
    """
    settings = run.header.options.get("settings")
    in_turn = isinstance(settings, dict) and settings.get("time_budget") is not None
    outcomes = LazyOutcomes(run, grouped=in_turn, samples=samples)
    return RunReport(run.header.current, outcomes, run.end, view=view, machines=run.machines)


def measure(request: RunRequest, shown: RunView) -> int:
    """Measures the cases of a request, and shows the results. Returns the exit code."""
    shown.check(len(request.libraries), request.output)
    finished = run_session(request, RunMode())
    is_named = request.output is not None or request.resumed is not None
    return show_finished(finished, shown, request.sources, named=is_named)


def run_session(request: RunRequest, mode: RunMode) -> FinishedRun:
    """Measures the cases of a request, with progress and notices on standard error."""
    with NoDisplay() if is_quiet() else progress_for(notices()) as progress:
        return RunSession(request, Sinks(progress, NoticeSink()), command_line(), mode).run()
