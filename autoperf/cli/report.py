"""`autoperf report`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.command import Command
from autoperf.cli.options import FORMATS, expanded
from autoperf.core.errors import CaseFileError

if TYPE_CHECKING:
    from autoperf.core.outcome import Outcome
    from autoperf.results.reading import RunReader


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
@click.option(
    "--format",
    "--output-format",
    "form",
    type=click.Choice((*FORMATS, "expected")),
    default="table",
    show_default=True,
    help="expected: a small run file, one median a process, for `autoperf compare`.",
)
@click.option(
    "--output-file", "output", metavar="FILE", callback=expanded, help="Write the report here in place of printing it."
)
def report(run: Path, form: str, output: Path | None) -> None:
    """Show a run file again: as a table, JSON, CSV or Markdown, or as a small run file to compare others with."""
    from autoperf.cli.output import put, report_in, show_outcomes, tell
    from autoperf.results.reading import RunReader, Stored
    from autoperf.results.runfile import check_output

    if output:
        check_output(output)
    with RunReader(run) as found:
        stored = Stored(found, samples=form in ("json", "expected"))
        with report_in(output):
            if form == "expected":
                for line in _expected(found, stored):
                    put(line)
            else:
                show_outcomes(found.header, stored, found.end, form)
        tell(found.notices)
