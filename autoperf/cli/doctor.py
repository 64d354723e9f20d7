"""`autoperf doctor`."""

from __future__ import annotations

import click

from autoperf.cli.options import library_option


@click.command()
@library_option
@click.option("--format", "form", type=click.Choice(("table", "json")), default="table", show_default=True)
def doctor(library: str | None, form: str) -> int:
    """Check versions, system libraries, threads, governor, load and memory; says what to do about each.

    Exits with 1 where something makes measuring impossible.
    """
    from autoperf.cli.output import show_checks
    from autoperf.pipeline.doctor import examine
    from autoperf.reports.doctor import Health, worst

    checks = list(examine(library))
    show_checks(checks, form)
    return int(worst(checks) is Health.PROBLEM)
