"""`autoperf hunt`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autoperf.cli import options
from autoperf.cli.command import Command, reject_options
from autoperf.cli.option_types import expanded
from autoperf.cli.options import option_of
from autoperf.cli.report_options import quiet_option
from autoperf.core import options as table
from autoperf.core.files import expanded_path

if TYPE_CHECKING:
    from autoperf.cases.handwritten import OwnInputs
    from autoperf.cases.selection import Selection


_BUDGET, _LEAST, _FOLDER, _SIGNAL = table.HUNT


@click.command(cls=Command)
@options.selection_options
@option_of(table.SEED)
@option_of(_BUDGET, help=f"{_BUDGET.help[:-1]}: 90s, 10m, 1h30m.")
@option_of(_LEAST)
@option_of(_SIGNAL)
@option_of(
    table.ELEMENTS,
    default=None,
    help="Maximum elements of a drawn tensor.  [default: 262,144; for a part of them as many as take 5 ms]",
)
@option_of(
    table.DTYPE,
    help="Search inputs in these dtypes only. Default: the dtype of each operator's rule, and others at times.",
)
@options.own_options
@option_of(table.PROFILE, help="Select cases of --cases by their input profile.")
@options.cases_option
@option_of(_FOLDER, metavar="FOLDER")
@click.option("--resume", metavar="FOLDER", callback=expanded, help="Resume the hunt in this folder.")
@click.option(
    "--replay",
    metavar="FILE NUMBER",
    type=(str, click.IntRange(min=1)),
    help="Time the slow and the fast input of a finding again, in turn: its number in a hunt's folder or log.",
)
@option_of(table.TIMEOUT, default="20s", help="Time limit of an input.")
@option_of(table.MEMORY_LIMIT)
@option_of(table.CTX)
@option_of(
    table.COUNTERS,
    help="instructions: count both inputs of each finding under valgrind, function by function, at the end of the "
    "hunt, in addition to the budget.",
)
@options.rules_option
@options.extension_option
@options.libraries_option
@options.environments_option
@options.against_option
@click.option(
    "--faster",
    is_flag=True,
    help="Between two builds or environments: search for inputs on which the second is faster, not slower.",
)
@options.weights_option
@options.cluster_option
@options.format_option("hunt")
@quiet_option
@click.pass_context
def hunt(
    context: click.Context,
    /,
    selection: Selection,
    own: OwnInputs,
    cases: tuple[Path, ...],
    resume: Path | None,
    replay: tuple[str, int] | None,
    weights: Path | None,
    form: str,
    **settings: Any,
) -> int:
    """Search for inputs on which an operator is unexpectedly slow, or slower than in another build or framework.

    Each finding is confirmed in a fresh process against a neighbour (an input one step away) that does at least as much
    work, as far as is known, then shrunk and generalised to a family of inputs. Exits with 1 if there is a finding.
    Ctrl-C keeps confirmed findings.

    With two builds or environments, an input is slow if the second takes --at-least times as long as the first.
    With --against, MXNet's kernels take --at-least times as long as a whole call of the other framework, whose results
    are MXNet's.

    --replay exits with 1 while the finding holds, else with 0.

    \b
    autoperf hunt --operator softmax
    autoperf hunt --mxnet 1.9.1 --mxnet 2.0.0b1 --category reduction --time-budget 5m
    autoperf hunt --against torch --category activation
    autoperf hunt --env A:MXNET_USE_OPERATOR_TUNING=0 --env B:MXNET_USE_OPERATOR_TUNING=1 --operator exp
    """
    from autoperf.cli.hunt_sessions import replay_finding, resume_hunt, start_hunt

    if replay:
        return replay_finding(expanded_path(replay[0], "--replay"), replay[1], context, form)
    if resume is None:
        options.check_given(context, selection, own, cases, recipe=())
        if not cases:
            reject_options(context, ("profiles",), "--input-profile selects cases of --cases")
        return start_hunt(selection, form, weights=weights, own=own, cases=cases, **settings)
    return resume_hunt(resume, context, form, weights)
