"""`autoperf report`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.command import Command
from autoperf.cli.options import expanded, format_option, view_options
from autoperf.core.errors import CaseFileError, UsageError

if TYPE_CHECKING:
    from autoperf.core.outcome import Outcome
    from autoperf.reports.columns import View
    from autoperf.results.run_reader import RunReader

EXPECTED = "expected"


def _expected(run: RunReader, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The lines of the small run file. Raises CaseFileError for invalid samples, as in an edited file."""
    from autoperf.analysis.expected import expected_lines

    last_case: list[str] = []

    def recorded() -> Iterator[Outcome]:
        for outcome in outcomes:
            last_case[:] = [outcome.case]
            yield outcome

    try:
        yield from expected_lines(run.header, recorded(), run.end)
    except ValueError as error:
        raise CaseFileError(f"{run.path}: invalid samples in the outcome of {last_case[0]}: {error}") from error


@click.command(cls=Command)
@click.argument("run", metavar="RUN.NDJSON", callback=expanded)
@format_option(
    "run",
    EXPECTED,
    help_text="The output format. expected: a small run file with one median per process, for `compare`.",
)
@view_options
@click.option(
    "--output-file",
    "output",
    metavar="FILE",
    callback=expanded,
    help="Write the report to this file instead of printing it.",
)
def report(run: Path, form: str, view: View, output: Path | None) -> None:
    """Show a run file as a table, JSON, CSV or Markdown, or convert it to a small run file for comparisons."""
    from autoperf.cli.output import check_report, check_view, put, report_in, show_report, tell
    from autoperf.cli.run_output import run_report
    from autoperf.reports.formats import load
    from autoperf.reports.runs import known_columns
    from autoperf.results.run_reader import LazyOutcomes, RunReader

    if output:
        check_report(output)
    if form == EXPECTED and (view.columns or view.sort):
        raise UsageError("--format expected writes a run file: leave out --columns and --sort")
    if form != EXPECTED:
        check_view("run", form, view, known_columns())
    with RunReader(run) as reader:
        with report_in(output):
            if form == EXPECTED:
                for line in _expected(reader, LazyOutcomes(reader)):
                    put(line)
            else:
                show_report("run", form, run_report(reader, view, samples=load("run", form).samples))
        tell(reader.notices)
