"""`python FILE`: measures the cases of one rendered file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.command import Command
from autoperf.cli.format_options import run_format_options
from autoperf.cli.measuring_options import measuring_options
from autoperf.cli.options import library_option, output_options
from autoperf.cli.report_options import quiet_option, view_options

if TYPE_CHECKING:
    from autoperf.executor.settings import Settings
    from autoperf.reports.columns import View


@click.command(cls=Command)
@measuring_options()
@output_options
@library_option
@run_format_options()
@view_options
@quiet_option
@click.pass_obj
def file(
    path: str,
    settings: Settings,
    output: Path | None,
    report: Path | None,
    library: str | None,
    form: str,
    view: View,
) -> int:
    """Measure the cases of this file: forward, backward, memory."""
    from autoperf.cases.build import Recipe
    from autoperf.cli.run_output import RunView, measure
    from autoperf.pipeline.run_request import RunRequest
    from autoperf.pipeline.selection import Selection

    libraries = (library,) if library else ()
    request = RunRequest(Selection(), Recipe(), settings, (Path(path),), output, libraries)
    return measure(request, RunView(form, view, report))
