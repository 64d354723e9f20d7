"""`python FILE`: measures the cases of a rendered file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.command import Command
from autoperf.cli.options import library_option, measuring_options, run_file_option
from autoperf.cli.report_options import quiet_option, shown_options

if TYPE_CHECKING:
    from autoperf.front.stored_reports import Shown
    from autoperf.measurement.settings import Settings


@click.command(cls=Command)
@measuring_options()
@run_file_option()
@library_option
@shown_options("run")
@quiet_option
@click.pass_obj
def file(path: str, settings: Settings, output: Path | None, library: str | None, shown: Shown) -> int:
    """Measure the cases of this file: forward, backward, memory."""
    from autoperf.cases.build import Recipe
    from autoperf.cases.selection import Selection
    from autoperf.front.run_output import measure
    from autoperf.measurement.run_request import RunRequest

    libraries = (library,) if library else ()
    return measure(RunRequest(Selection(), Recipe(), settings, (Path(path),), output, libraries), shown)
