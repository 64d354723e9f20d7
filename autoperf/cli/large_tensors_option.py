"""`--int64-tensor on`: the other options of a run with tensors of more than 2**32 elements."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from autoperf.cli.arguments import given_options, reject_options

if TYPE_CHECKING:
    from autoperf.cases.build import Recipe
    from autoperf.executor.settings import Settings

_WITHOUT_EFFECT = ("draws", "profiles", "elements", "inputs", "params", "cases")


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
