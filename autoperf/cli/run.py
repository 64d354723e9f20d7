"""`autoperf run`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.arguments import given_options, reject_options
from autoperf.cli.command import Command
from autoperf.cli.format_options import shown_options
from autoperf.cli.measuring_options import measuring_options, request_options
from autoperf.cli.option_groups import expanded
from autoperf.cli.options import check_given
from autoperf.cli.report_options import quiet_option
from autoperf.cli.table_options import option_of, renamed_option
from autoperf.core import options as table

if TYPE_CHECKING:
    from autoperf.cli.stored_reports import Shown
    from autoperf.pipeline.run_request import RunRequest

_WITHOUT_EFFECT = ("draws", "profiles", "elements", "inputs", "params", "cases")
"""Options that have no effect beside --int64-tensor."""


@click.command(cls=Command)
@request_options(measuring_options(table.RUN_SETTINGS))
@option_of(table.CALLER)
@renamed_option("--clock", "--counters")
@option_of(table.INT64_TENSOR)
@click.option(
    "--resume",
    metavar="FILE",
    callback=expanded,
    help="Resume the run of this run file after a kill or Ctrl-C, with the options stored in the file.",
)
@shown_options("run")
@quiet_option
@click.pass_context
def run(
    context: click.Context, request: RunRequest, caller: str, int64_tensor: bool, resume: Path | None, shown: Shown
) -> int:
    """Measure operators forward and backward: kernel time, wall time, memory.

    Without a selection, every operator that a rule covers is measured. --input and --param give your own inputs of an
    operator, --cases files of them. Each result is written to the run file at once.
    With several releases, all measure the same cases, and each has its own run file. --resume continues a run that was
    killed.
    """
    import msgspec

    from autoperf.cli.run_output import measure

    if int64_tensor:
        request = _with_large_tensors(context, request)
    request = replace(request, settings=msgspec.structs.replace(request.settings, caller=caller))
    if resume is None:
        check_given(context, request.selection, request.own, request.cases)
        return measure(request, shown)
    from autoperf.cli.run_resume import resume_run

    return resume_run(resume, request, shown, context)


def _with_large_tensors(context: click.Context, request: RunRequest) -> RunRequest:
    """The request of such a run. Raises UsageError for options that choose other inputs."""
    from autoperf.pipeline.large_tensors import settings_for_large

    reject_options(context, _WITHOUT_EFFECT, "--int64-tensor on has inputs of its own")
    given = {parameter.name or "" for parameter in given_options(context)}
    recipe = replace(request.recipe, int64_tensor=True, draws=0)
    return replace(request, recipe=recipe, settings=settings_for_large(request.settings, given))
