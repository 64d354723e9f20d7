"""`autoperf run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.options import (
    expanded,
    format_option,
    libraries_option,
    measuring_options,
    output_option,
    recipe_options,
    rules_option,
    selection_options,
)

if TYPE_CHECKING:
    from autoperf.cases.build import Recipe
    from autoperf.executor.settings import Settings
    from autoperf.pipeline.selection import Selection


@click.command()
@selection_options
@recipe_options
@measuring_options
@click.option(
    "--cases", metavar="FILE", callback=expanded, help="Run these cases: cases.ndjson, or a rendered .py file."
)
@output_option
@rules_option
@libraries_option
@click.option(
    "--resume",
    metavar="FILE",
    callback=expanded,
    help="Go on with the run that this run file is of, after a kill or Ctrl-C; what it asked for stands in the file.",
)
@format_option
@click.pass_context
def run(
    context: click.Context,
    selection: Selection,
    recipe: Recipe,
    settings: Settings,
    cases: Path | None,
    output: Path | None,
    rules: tuple[Path, ...],
    libraries: tuple[str, ...],
    resume: Path | None,
    form: str,
) -> int:
    """Measure operators forward and backward: kernel time, wall time, memory.

    Without a selection, every operator that a rule covers. Results go to a run file the moment they exist. With several
    releases, cases are made once, run under each, and each release gets a run file of its own. A run that was killed
    goes on with --resume.
    """
    from autoperf.pipeline.run_request import RunRequest

    request = RunRequest(selection, recipe, settings, cases, output, libraries, rules)
    if resume is None:
        from autoperf.cli.run_sessions import measure

        return measure(request, form)
    from autoperf.cli.run_resume import resume_run

    return resume_run(resume, request, form, context)
