"""`autoperf report`."""

from __future__ import annotations

from pathlib import Path

import click

from autoperf.cli.options import expanded, format_option


@click.command()
@click.argument("run", metavar="RUN.NDJSON", callback=expanded)
@format_option
def report(run: Path, form: str) -> None:
    """Show a run file again: as a table, JSON, CSV or Markdown."""
    from autoperf.cli.output import show_outcomes
    from autoperf.results.runfile import read_run

    found = read_run(run)
    show_outcomes(found.header, found.outcomes, found.end, form)
    if found.end is None:
        click.echo(f"the run was cut off after {len(found.outcomes)} outcomes", err=True)
