"""`--int64-tensor`: inputs with more than 2**32 elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
import msgspec

from autoperf.cli.arguments import given_options, reject_options

if TYPE_CHECKING:
    from autoperf.cases.build import Recipe
    from autoperf.executor.settings import Settings

ON = "on"
# A call takes seconds, and an array gigabytes: what is right for other inputs would take hours.
DEFAULTS = {"timeout": 900.0, "processes": 1, "warmup": 0, "runs": 1}
_WITHOUT_EFFECT = ("draws", "profiles", "elements", "inputs", "params", "cases")


def large_tensors_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--int64-tensor as `int64_tensor`, as in opperf."""
    return click.option(
        "--int64-tensor",
        "int64_tensor",
        type=click.Choice((ON, "off"), case_sensitive=False),
        default="off",
        show_default=True,
        callback=lambda _context, _parameter, value: value == ON,
        help="on: one case for each operator, with a tensor of more than 2**32 elements; a build that has them is "
        "needed, such as 2.0.0b1. The default is one process and one sample then.",
    )(command)


def with_large_tensors(
    context: click.Context, recipe: Recipe, settings: Settings, *, on: bool
) -> tuple[Recipe, Settings]:
    """The recipe and the settings of such a run. Raises UsageError for options that choose other inputs."""
    if not on:
        return recipe, settings
    reject_options(context, _WITHOUT_EFFECT, "--int64-tensor on has inputs of its own")
    given = {parameter.name for parameter in given_options(context)}
    free = {name: value for name, value in DEFAULTS.items() if name not in given}
    if given & {"precision", "max_time"}:
        free.pop("runs", None)
    return replace(recipe, int64_tensor=True, draws=0), msgspec.structs.replace(settings, **free)
