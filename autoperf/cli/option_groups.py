"""Builds options: paths and lists as values, and a group of options as one argument of a command."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import click

from autoperf.core.suffixes import check_ndjson_suffix

Command: TypeAlias = Callable[..., Any]
Option: TypeAlias = Callable[[Command], Command]


def split_names(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The names of all values; `exp,log` are two, and `[a,b]*` is one glob. Raises click.BadParameter."""
    names = tuple(name.strip() for value in values for name in ([value] if "[" in value else value.split(",")))
    if not all(names):
        raise click.BadParameter("invalid list: expected a name, got an empty string")
    return names


def expanded(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Path | None:
    """The path with `~` expanded; None stays None. Raises click.BadParameter."""
    if value is None:
        return None
    if not value:
        raise click.BadParameter("invalid path: expected a path, got an empty string")
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise click.BadParameter(f"{value}: {error}") from error


def ndjson_file(context: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
    """The path of a file that will be NDJSON, with `~` expanded. Raises UsageError for the suffix of another format."""
    path = expanded(context, parameter, value)
    if path:
        reports = any("--report" in each.opts for each in context.command.params)
        check_ndjson_suffix(path, parameter.opts[0], "; a report goes to --report" if reports else "")
    return path


def all_expanded(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[Path, ...]:
    """Each of the paths with `~` expanded. Raises click.BadParameter."""
    return tuple(path for value in values if (path := expanded(context, parameter, value)))


def grouped(
    command: Command,
    group: str,
    names: tuple[str, ...],
    build: Callable[[Mapping[str, Any]], object],
    options: tuple[Option, ...],
) -> Command:
    """The command with these options, whose values are passed as one argument."""

    @functools.wraps(command)
    def with_group(*args: Any, **values: Any) -> Any:
        members = {name: values.pop(name) for name in names}
        return command(*args, **values, **{group: build(members)})

    decorated: Command = with_group
    for option in reversed(options):
        decorated = option(decorated)
    return decorated
