"""The option that gives each of two sides its environment."""

from __future__ import annotations

import re

import click

from autoperf.cli.option_groups import Command


def environments_option(command: Command) -> Command:
    """--env, which may be repeated, as `environments`: the variables of side A and of side B."""
    return click.option(
        "--env",
        "environments",
        metavar="A:NAME=VALUE",
        multiple=True,
        callback=_environments,
        help="An environment variable of side A or B; the two sides are measured in turn. May be repeated.",
    )(command)


def _environments(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[dict[str, str], dict[str, str]]:
    """The variables of side A and of side B, from `A:OMP_NUM_THREADS=1`."""
    variables: dict[str, dict[str, str]] = {"A": {}, "B": {}}
    for value in values:
        match = re.fullmatch(r"([AB]):([A-Za-z_][A-Za-z0-9_]*)=(.*)", value)
        if match is None:
            raise click.BadParameter(
                f"invalid variable {value!r}: expected A:NAME=VALUE or B:NAME=VALUE, such as A:OMP_NUM_THREADS=1"
            )
        side, name, text = match.groups()
        if variables[side].setdefault(name, text) != text:
            raise click.BadParameter(f"{side}:{name} is given two values")
    return variables["A"], variables["B"]
