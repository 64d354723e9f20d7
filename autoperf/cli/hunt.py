"""`autoperf hunt`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.command import Command
from autoperf.cli.options import expanded, format_option, library_option, rules_option, selection_options
from autoperf.cli.types import DurationType, FiniteRange, SizeType
from autoperf.core.limits import MAX_ELEMENTS, MAX_SECONDS, MIN_ELEMENTS

if TYPE_CHECKING:
    from autoperf.pipeline.selection import Selection


@click.command(cls=Command)
@selection_options
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the inputs that are drawn.")
@click.option(
    "--budget",
    type=DurationType(),
    default="60s",
    show_default=True,
    help="How long to search, all operators together: 90s, 10m, 1h30m.",
)
@click.option(
    "--at-least",
    "least",
    type=FiniteRange(min=1.2, max=1000),
    default=2.0,
    show_default=True,
    help="How many times slower than it has reason to be an input must be.",
)
@click.option(
    "--elements",
    type=click.IntRange(min=MIN_ELEMENTS, max=MAX_ELEMENTS),
    default=2**18,
    show_default=True,
    help="Elements of the largest drawn tensor.",
)
@click.option(
    "--cases",
    metavar="FILE",
    callback=expanded,
    help="Try these inputs too: cases.ndjson, or the log.ndjson of another hunt.",
)
@click.option(
    "--output",
    metavar="FOLDER",
    callback=expanded,
    help="Write findings, scripts and the log here; default: a new folder hunt-<date>.",
)
@click.option("--resume", metavar="FOLDER", callback=expanded, help="Go on with the hunt of this folder.")
@click.option(
    "--timeout",
    type=FiniteRange(min=0, max=MAX_SECONDS, min_open=True),
    default=20.0,
    show_default=True,
    help="Seconds that one input may take.",
)
@click.option("--memory-limit", type=SizeType(), help="Bytes that a process may take: 500MB, 4GiB.")
@click.option("--ctx", default="cpu", show_default=True, help="The device: cpu or gpu(0).")
@rules_option
@library_option
@format_option("hunt")
@click.pass_context
def hunt(context: click.Context, /, selection: Selection, resume: Path | None, form: str, **options: object) -> int:
    """Search for inputs on which an operator is much slower than it has reason to be.

    Each finding is confirmed in a fresh process against an input one step away that asks for as much work, made as
    simple as it can be, and generalised to a family. Exits with 1 if there is one; Ctrl-C hands over what is confirmed.
    """
    from autoperf.cli.hunt_sessions import begin_hunt, resume_hunt

    if resume is None:
        return begin_hunt(selection, form, options)
    return resume_hunt(resume, context, form)
