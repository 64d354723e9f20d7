"""`autoperf run`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.arguments import given_options, reject_options
from autoperf.cli.command import Command
from autoperf.cli.extension_option import extension_option
from autoperf.cli.format_options import run_format_options
from autoperf.cli.measuring_options import measuring_options
from autoperf.cli.option_groups import expanded
from autoperf.cli.options import (
    cases_option,
    check_given,
    frameworks_option,
    libraries_option,
    output_options,
    own_options,
    recipe_options,
    row_selection_options,
    rules_option,
)
from autoperf.cli.report_options import quiet_option, view_options
from autoperf.cli.table_options import option_of, renamed_option
from autoperf.core import options as table

if TYPE_CHECKING:
    from autoperf.cases.build import Recipe
    from autoperf.cases.handwritten import OwnInputs
    from autoperf.executor.settings import Settings
    from autoperf.pipeline.selection import Selection
    from autoperf.reports.columns import View


_WITHOUT_EFFECT = ("draws", "profiles", "elements", "inputs", "params", "cases")
"""Options that have no effect beside --int64-tensor."""


@click.command(cls=Command)
@row_selection_options
@recipe_options
@own_options
@measuring_options(table.RUN_SETTINGS)
@option_of(table.CALLER)
@renamed_option("--clock", "--counters")
@option_of(table.INT64_TENSOR)
@cases_option
@output_options
@rules_option
@extension_option
@libraries_option
@frameworks_option
@click.option(
    "--resume",
    metavar="FILE",
    callback=expanded,
    help="Resume the run of this run file after a kill or Ctrl-C, with the options stored in the file.",
)
@run_format_options()
@view_options
@quiet_option
@click.pass_context
def run(
    context: click.Context,
    selection: Selection,
    recipe: Recipe,
    own: OwnInputs,
    settings: Settings,
    caller: str,
    int64_tensor: bool,
    cases: tuple[Path, ...],
    output: Path | None,
    report: Path | None,
    rules: tuple[Path, ...],
    libraries: tuple[str, ...],
    frameworks: tuple[str, ...],
    resume: Path | None,
    form: str,
    view: View,
) -> int:
    """Measure operators forward and backward: kernel time, wall time, memory.

    Without a selection, every operator that a rule covers is measured. --input and --param give your own inputs of an
    operator, --cases files of them. Each result is written to the run file at once.
    With several releases, all measure the same cases, and each has its own run file. --resume continues a run that was
    killed.
    """
    import msgspec

    from autoperf.cli.run_output import RunView, measure
    from autoperf.pipeline.run_request import RunRequest

    recipe, settings = with_large_tensors(context, recipe, settings, on=int64_tensor)
    settings = msgspec.structs.replace(settings, caller=caller)
    request = RunRequest(selection, recipe, settings, cases, output, libraries, rules, own=own, frameworks=frameworks)
    shown = RunView(form, view, report)
    if resume is None:
        check_given(context, selection, own, cases)
        return measure(request, shown)
    from autoperf.cli.run_resume import resume_run

    return resume_run(resume, request, shown, context)


def with_large_tensors(
    context: click.Context, recipe: Recipe, settings: Settings, *, on: bool
) -> tuple[Recipe, Settings]:
    """The recipe and the settings of such a run. Raises UsageError for options that choose other inputs."""
    if not on:
        return recipe, settings
    reject_options(context, _WITHOUT_EFFECT, "--int64-tensor on has inputs of its own")
    from autoperf.pipeline.large_tensors import settings_for_large

    given = {parameter.name or "" for parameter in given_options(context)}
    return replace(recipe, int64_tensor=True, draws=0), settings_for_large(settings, given)
