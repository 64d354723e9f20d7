"""`autoperf run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.command import Command
from autoperf.cli.given import refuse
from autoperf.cli.options import (
    RECIPE,
    SELECTION,
    expanded,
    format_option,
    libraries_option,
    measuring_options,
    output_options,
    recipe_options,
    rules_option,
    selection_options,
    view_options,
)

if TYPE_CHECKING:
    from autoperf.cases.build import Recipe
    from autoperf.executor.settings import Settings
    from autoperf.pipeline.selection import Selection
    from autoperf.reports.columns import View


@click.command(cls=Command)
@selection_options
@recipe_options
@measuring_options
@click.option(
    "--cases", metavar="FILE", callback=expanded, help="Run these cases: cases.ndjson, or a rendered .py file."
)
@output_options
@rules_option
@libraries_option
@click.option(
    "--resume",
    metavar="FILE",
    callback=expanded,
    help="Go on with the run that this run file is of, after a kill or Ctrl-C; what it asked for stands in the file.",
)
@format_option("run")
@view_options
@click.pass_context
def run(
    context: click.Context,
    selection: Selection,
    recipe: Recipe,
    settings: Settings,
    cases: Path | None,
    output: Path | None,
    report: Path | None,
    rules: tuple[Path, ...],
    libraries: tuple[str, ...],
    resume: Path | None,
    form: str,
    view: View,
) -> int:
    """Measure operators forward and backward: kernel time, wall time, memory.

    Without a selection, every operator that a rule covers. Results go to a run file the moment they exist. With several
    releases, cases are made once, run under each, and each release gets a run file of its own. A run that was killed
    goes on with --resume.
    """
    from autoperf.cli.run_output import RunView
    from autoperf.pipeline.run_request import RunRequest

    request = RunRequest(selection, recipe, settings, cases, output, libraries, rules)
    shown = RunView(form, view, report)
    if resume is None:
        if cases:
            brings = "--cases brings its own operators and inputs"
            refuse(context, (*SELECTION, *RECIPE, "rules"), brings)
        from autoperf.cli.run_sessions import measure

        return measure(request, shown)
    from autoperf.cli.run_resume import resume_run

    return resume_run(resume, request, shown, context)
