"""The command that measures a case of a run again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from autoperf.cases.build import Recipe
from autoperf.core.outcome import Outcome
from autoperf.results.runfile import RunHeader

_DRAWING = ("seed", "draws", "elements")
"""The options of a recipe that decide what is drawn; those with their default are left out."""


def repeat_command(header: RunHeader, outcome: Outcome) -> str:
    """The command line, quoted for a shell; empty if the header doesn't say how the run was made."""
    options = header.options
    if not isinstance(options.get("recipe"), dict):
        return ""
    return shlex.join(["autoperf", "run", *_release(header), *_source(options), *_case(options, outcome)])


def _release(header: RunHeader) -> Iterator[str]:
    """The release of this file, where the run named one."""
    named, labels = header.options.get("mxnet") or (), header.options.get("labels") or ()
    for release, label in zip(named, labels, strict=False):
        if label == header.options.get("label"):
            yield from ("--mxnet", str(release))


def _source(options: Mapping[str, Any]) -> Iterator[str]:
    """Where the inputs come from: the user's rules, files or words, or a seed."""
    for path in options.get("rules") or ():
        yield from ("--rules", str(path))
    for path in options.get("cases") or ():
        yield from ("--cases", str(path))
    own = options.get("own") or {}
    for name in ("input", "param"):
        for text in own.get(f"{name}s") or ():
            yield from (f"--{name}", str(text))
    if not options.get("cases"):
        yield from _recipe(options["recipe"], drawn=not own.get("inputs") and not own.get("params"))


def _recipe(recipe: Mapping[str, Any], *, drawn: bool) -> Iterator[str]:
    usual = Recipe()
    for name in _DRAWING if drawn else ():
        if recipe.get(name, getattr(usual, name)) != getattr(usual, name):
            yield from (f"--{name}", str(recipe[name]))
    if recipe.get("dtypes"):
        yield from ("--dtype", ",".join(map(str, recipe["dtypes"])))


def _case(options: Mapping[str, Any], outcome: Outcome) -> Iterator[str]:
    yield from ("--operator", outcome.operator)
    own = options.get("own") or {}
    if not (own.get("inputs") or own.get("params")):
        yield from ("--profile", outcome.profile)
