"""The options that say what is measured, and how: by which clocks, how precisely, for how long, in which processes."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import click

from autoperf.cli.arguments import reject_options
from autoperf.cli.extension_option import extension_option
from autoperf.cli.option_groups import Command, Option, grouped, ndjson_file
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
            from autoperf.pipeline.run_request import RunRequest

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
    from autoperf.executor.placement import check_processors
    from autoperf.executor.settings import Settings

    if values["runs"] is not None:
        reject_options(click.get_current_context(), ("precision",), "--samples sets the exact number of samples")
    check_processors(values["cpus"] or ())
    return Settings(**values)
