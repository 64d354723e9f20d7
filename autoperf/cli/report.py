"""`autoperf report`."""

from __future__ import annotations

from pathlib import Path

import click

from autoperf.cli.options import FORMATS, expanded


@click.command()
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
def report(run: Path, form: str) -> None:
    """Show a run file again: as a table, JSON, CSV or Markdown, or as a small run file to compare others with."""
    from autoperf.cli.output import show_outcomes, tell
    from autoperf.results.reading import RunReader, Stored

    with RunReader(run) as found:
        stored = Stored(found, samples=form in ("json", "expected"))
        if form == "expected":
            from autoperf.analysis.expected import expected_lines

            for line in expected_lines(found.header, stored, found.end):
                click.echo(line, nl=False)
        else:
            show_outcomes(found.header, stored, found.end, form)
        tell(found.notices)
