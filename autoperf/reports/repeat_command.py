"""The command that measures a case of a run again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import msgspec

from autoperf.cases.build import Recipe
from autoperf.cases.handwritten import OwnInputs
from autoperf.core.errors import AutoperfError
from autoperf.core.outcome import Outcome
from autoperf.results.runfile import RunHeader

_DRAWING = {"seed": "--seed", "draws": "--draws", "elements": "--max-elements"}
"""The parts of a recipe that decide what is drawn, and their options; those with their default are left out."""


class _StoredOptions(msgspec.Struct, frozen=True):
    """The options in a header that decide a case."""

    recipe: Recipe
    mxnet: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    label: str = ""
    rules: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    own: OwnInputs = OwnInputs()


def repeat_command(header: RunHeader, outcome: Outcome) -> str:
    """The command line, quoted for a shell; empty if the header doesn't say how the run was made."""
    try:
        options = msgspec.convert(header.options, _StoredOptions)
    except (msgspec.ValidationError, AutoperfError):
        return ""
    return shlex.join(["autoperf", "run", *_release(options), *_source(options), *_case(options, outcome)])


def _release(options: _StoredOptions) -> Iterator[str]:
    """The release of this file, where the run named one."""
    for release, label in zip(options.mxnet, options.labels, strict=False):
        if label == options.label:
            yield from ("--mxnet", release)


def _source(options: _StoredOptions) -> Iterator[str]:
    """Where the inputs come from: the user's rules, files or words, or a seed."""
    for path in options.rules:
        yield from ("--rules", path)
    for path in options.cases:
        yield from ("--cases", path)
    for text in options.own.inputs:
        yield from ("--input", text)
    for text in options.own.params:
        yield from ("--param", text)
    if not options.cases:
        yield from _recipe(options.recipe, drawn=not options.own)


def _recipe(recipe: Recipe, *, drawn: bool) -> Iterator[str]:
    usual = Recipe()
    for name, option in _DRAWING.items() if drawn else ():
        if getattr(recipe, name) != getattr(usual, name):
            yield from (option, str(getattr(recipe, name)))
    if recipe.dtypes:
        yield from ("--dtype", ",".join(recipe.dtypes))


def _case(options: _StoredOptions, outcome: Outcome) -> Iterator[str]:
    yield from ("--operator", outcome.operator)
    if not options.own:
        yield from ("--input-profile", outcome.profile)
