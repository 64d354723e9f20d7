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
    """The lines of the small run file. Raises CaseFileError for samples that can't be, as an edited file has them."""
    from autoperf.analysis.expected import expected_lines

    seen: list[str] = []

    def noted() -> Iterator[Outcome]:
        for outcome in outcomes:
            seen[:] = [outcome.case]
            yield outcome

    try:
        yield from expected_lines(run.header, noted(), run.end)
    except ValueError as error:
        raise CaseFileError(f"{run.path}: the outcome of {seen[0]} has figures that can't be: {error}") from error


@click.command(cls=Command)
@click.argument("run", metavar="RUN.NDJSON", callback=expanded)
@format_option("run", EXPECTED, explained="expected: a small run file, one median a process, for `autoperf compare`.")
@view_options
@click.option(
    "--output-file", "output", metavar="FILE", callback=expanded, help="Write the report here in place of printing it."
)
def report(run: Path, form: str, view: View, output: Path | None) -> None:
    """Show a run file again: as a table, JSON, CSV or Markdown, or as a small run file to compare others with."""
    from autoperf.cli.output import check_report, check_view, put, report_in, show_report, tell
    from autoperf.cli.run_output import run_report
    from autoperf.reports.run_columns import COLUMNS
    from autoperf.results.run_reader import LazyOutcomes, RunReader

    if output:
        check_report(output)
    if form == EXPECTED and (view.columns or view.sort):
        raise UsageError("--format expected is a run file: leave out --columns and --sort")
    if form != EXPECTED:
        check_view("run", form, view, COLUMNS)
    with RunReader(run) as found:
        with report_in(output):
            if form == EXPECTED:
                for line in _expected(found, LazyOutcomes(found)):
                    put(line)
            else:
                show_report("run", form, run_report(found, form, view))
        tell(found.notices)
