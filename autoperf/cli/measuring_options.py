"""The options of a measurement: clocks, precision, time, processes, extensions, and the environment of each side."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

from autoperf.backends.user_code import add_extensions
from autoperf.cli.command import reject_options
from autoperf.cli.option_types import Command, Option, all_expanded, grouped, ndjson_file
from autoperf.cli.options import (
    builds_option,
    cases_option,
    own_options,
    recipe_options,
    row_selection_options,
    rules_option,
)
from autoperf.cli.table_options import option_of, options_of
from autoperf.core import options as table


def _add_extensions(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> None:
    add_extensions(all_expanded(context, parameter, values))


extension_option = option_of(table.EXTENSION, metavar="FILE", expose_value=False, callback=_add_extensions)
"""--extension, whose files are added to $AUTOPERF_EXTENSIONS of this process and its children."""


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


environments_option: Option = click.option(
    "--env",
    "environments",
    metavar="A:NAME=VALUE",
    multiple=True,
    callback=_environments,
    help="An environment variable of side A or B; the two sides are measured in turn. May be repeated.",
)
"""--env, which may be repeated, as `environments`: the variables of side A and of side B."""


# The classes are imported when a command runs, so that `--help` is fast.


def measuring_options(
    options: Sequence[table.Option] = table.SETTINGS, defaults: Mapping[str, Any] | None = None
) -> Option:
    """--profiler, --precision, --processes and the other options of a measurement as `settings`: how it is measured.

    `defaults` are those of a command that differ.
    """
    names = tuple(option.target for option in options)
    return lambda command: grouped(command, "settings", names, _settings, options_of(options, defaults))


def request_options(settings: Option, **run_file: str) -> Option:
    """The options of operators, inputs, builds and settings as `request`; `run_file` has attributes of --run-file."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_request(
            *args: Any, selection: Any, recipe: Any, settings: Any, cases: Any, output: Any, libraries: Any, rules: Any,
            own: Any, frameworks: Any, **values: Any,
        ) -> Any:  # fmt: skip
            from autoperf.measurement.run_request import RunRequest

            request = RunRequest(
                selection, recipe, settings, cases, output, libraries, rules, own=own, frameworks=frameworks
            )
            return command(*args, request=request, **values)

        decorated: Command = with_request
        for option in (
            row_selection_options, recipe_options, own_options, settings, cases_option, run_file_option(**run_file),
            rules_option, extension_option, builds_option,
        ):  # fmt: skip
            decorated = option(decorated)
        return decorated

    return decorate


def run_file_option(**attributes: str) -> Option:
    """--run-file as `output`."""
    return option_of(table.RUN_FILE, callback=ndjson_file, **attributes)


def _settings(values: Mapping[str, Any]) -> object:
    from autoperf.measurement.placement import check_processors
    from autoperf.measurement.settings import Settings, absolute

    if values["runs"] is not None:
        reject_options(click.get_current_context(), ("precision",), "--samples sets the exact number of samples")
    check_processors(values["cpus"] or ())
    return Settings(**{**values, "keep_dumps": absolute(values["keep_dumps"])})
