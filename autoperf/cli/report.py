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
    from autoperf.cli.output import show_outcomes
    from autoperf.results.runfile import read_run

    found = read_run(run)
    if form == "expected":
        from autoperf.analysis.expected import expected_lines

        for line in expected_lines(found.header, found.outcomes, found.end):
            click.echo(line, nl=False)
        return
    show_outcomes(found.header, found.outcomes, found.end, form)
    if found.end is None:
        click.echo(f"the run was cut off after {len(found.outcomes)} outcomes", err=True)
