"""`python FILE`: measures one rendered file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.options import format_option, library_option, measuring_options, output_option

if TYPE_CHECKING:
    from autoperf.executor.settings import Settings


@click.command()
@measuring_options
@output_option
@library_option
@format_option
@click.pass_obj
def file(path: str, settings: Settings, output: Path | None, library: str | None, form: str) -> int:
    """Measure the cases of this file: forward, backward, memory."""
    from autoperf.cases.build import Recipe
    from autoperf.cli.run_sessions import measure
    from autoperf.pipeline.run_request import RunRequest
    from autoperf.pipeline.selection import Selection

    libraries = (library,) if library else ()
    return measure(RunRequest(Selection(), Recipe(), settings, Path(path), output, libraries), form)
