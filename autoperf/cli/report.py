"""`autoperf report`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.command import Command, reject_options
from autoperf.cli.option_types import all_expanded, expanded
from autoperf.cli.options import weights_option
from autoperf.cli.report_options import VIEW, filter_options, quiet_option, shown_options
from autoperf.core.errors import CaseFileError, UsageError
from autoperf.front.output import check_report, put, report_in, tell
from autoperf.reports.columns import RowFilter, View

if TYPE_CHECKING:
    from autoperf.core.outcome import Outcome
    from autoperf.front.stored_reports import Shown
    from autoperf.runs.run_reader import RunReader

BASELINE = "baseline"


def _baseline(run: RunReader, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The lines of the small run file. Raises CaseFileError for invalid samples, as in an edited file."""
    from autoperf.comparison.figures import baseline_lines

    last_case: list[str] = []

    def recorded() -> Iterator[Outcome]:
        for outcome in outcomes:
            last_case[:] = [outcome.case]
            yield outcome

    try:
        yield from baseline_lines(run, recorded())
    except ValueError as error:
        raise CaseFileError(f"{run.path}: invalid samples in the outcome of {last_case[0]}: {error}") from error


@click.command(cls=Command)
@click.argument("runs", metavar="RUN.NDJSON|HUNT...", nargs=-1, callback=all_expanded)
@click.option(
    "--history",
    "database",
    metavar="FILE",
    callback=expanded,
    help="Show the operators of --operator over time, from this file of `autoperf history`.",
)
@shown_options(
    "run",
    BASELINE,
    "issue",
    help_text="The output format. baseline: a small run file with a time or two per process, for `compare`. issue: a "
    "report for a tracker of each finding of a hunt.",
)
@filter_options
@weights_option
@quiet_option
@click.pass_context
def report(
    context: click.Context,
    runs: tuple[Path, ...],
    database: Path | None,
    rows: RowFilter,
    weights: Path | None,
    shown: Shown,
) -> None:
    """Show a run file as a table, JSON, CSV, Markdown or HTML, or convert it to a small run file for comparisons.

    Several run files, such as one for each release, are shown side by side; two as HTML are compared. The folder of a
    hunt, or its log, is shown with its findings.

    \b
    autoperf report run.ndjson --format html --report run.html
    autoperf report run-1.9.1.ndjson run-2.0.0b1.ndjson
    autoperf report HUNT --format html --report hunt.html
    autoperf report HUNT --weights captured.ndjson
    autoperf report HUNT --format issue
    autoperf report --history history.duckdb --operator softmax
    """
    from autoperf.front.stored_reports import show_history

    if shown.file:
        check_report(shown.file)
    shown = replace(shown, view=replace(shown.view, rows=rows))
    if bool(runs) is bool(database):
        raise UsageError("report takes run files, the folder of a hunt, or --history: give one of them")
    if database:
        reject_options(context, (*VIEW, "categories", "profiles", "weights"), "--history shows operators over time")
        show_history(database, rows.operators, shown.form, shown.file)
    elif shown.form == BASELINE:
        reject_options(context, ("weights",), "--format baseline ranks nothing")
        _write_baseline(runs, shown)
    else:
        _show_files(runs, weights, shown)


def _write_baseline(runs: Sequence[Path], shown: Shown) -> None:
    """Converts a run file to a small one. Raises UsageError for several run files, for a part of one, and a folder."""
    from autoperf.runs.run_reader import LazyOutcomes, RunReader

    if shown.view != View():
        raise UsageError("--format baseline writes a whole run file: leave out options of rows and columns")
    if len(runs) > 1:
        raise UsageError(f"--format baseline converts one run file: expected one path, got {len(runs)}")
    if runs[0].is_dir():
        raise UsageError(f"--format baseline converts one run file: {runs[0]} is a folder")
    with RunReader(runs[0]) as reader:
        with report_in(shown.file):
            for line in _baseline(reader, LazyOutcomes(reader)):
                put(line)
        tell(reader.notices)


def _show_files(runs: tuple[Path, ...], weights: Path | None, shown: Shown) -> None:
    """Shows run files together, or the folder or log of a hunt. Raises UsageError for `weights` of run files."""
    from autoperf.front.stored_reports import show_comparison, show_hunt, show_runs
    from autoperf.runs.huntlog import LOG, is_hunt_log

    if len(runs) == 1 and runs[0].is_dir() and not (runs[0] / LOG).exists():
        raise CaseFileError(f"can't read {runs[0]}: expected a run file, or the folder of a hunt, which has a {LOG}")
    if len(runs) == 1 and (runs[0].is_dir() or is_hunt_log(runs[0])):
        show_hunt(runs[0], weights, shown)
    elif weights:
        raise UsageError("--weights ranks the findings of a hunt: name its folder or its log")
    elif len(runs) == 2 and shown.form == "html" and not shown.view.group_by:
        show_comparison(*runs, shown)
    else:
        show_runs(runs, shown)
