"""The options of a measurement: by which clocks, how precisely, for how long, and in which processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import click

from autoperf.cli.arguments import reject_options
from autoperf.cli.option_groups import Command, Option, grouped
from autoperf.cli.table_options import options_of
from autoperf.core import options as table


def measuring_options(
    options: Sequence[table.Option] = table.SETTINGS, defaults: Mapping[str, Any] | None = None
) -> Option:
    """--profiler, --precision, --processes and the other options of a measurement as `settings`: how it is measured.

    `defaults` are those of a command that differ.
    """
    names = tuple(option.target for option in options)
    return partial(_grouped, names, options_of(options, defaults))


def _grouped(names: tuple[str, ...], options: tuple[Option, ...], command: Command) -> Command:
    return grouped(command, "settings", names, _settings, options)


# The classes are imported when a command runs, so that `--help` is fast.


def _settings(values: Mapping[str, Any]) -> object:
    from autoperf.executor.placement import check_processors
    from autoperf.executor.settings import Settings

    if values["runs"] is not None:
        reject_options(click.get_current_context(), ("precision",), "--samples sets the exact number of samples")
    check_processors(values["cpus"] or ())
    return Settings(**values)
