"""The words and the given options of the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator

import click
from click.core import ParameterSource

from autoperf.core.errors import UsageError


def command_line() -> tuple[str, ...]:
    """The words of this command, in an encodable form."""
    return tuple(os.fsencode(word).decode(errors="backslashreplace") for word in sys.argv)


def given_options(context: click.Context) -> Iterator[click.Parameter]:
    """The options and arguments that the command line gave, whatever their values."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE and _is_chosen(context, parameter):
            yield parameter


def _is_chosen(context: click.Context, parameter: click.Parameter) -> bool:
    """Whether this option was given, of several that set one value (`--covered`, `--uncovered`)."""
    sets_value = isinstance(parameter, click.Option) and parameter.is_flag and not parameter.is_bool_flag
    return not sets_value or context.params.get(parameter.name or "") == getattr(parameter, "flag_value", None)


def reject_options(context: click.Context, names: Collection[str], reason: str, otherwise: str = "") -> None:
    """Raises UsageError, which names the options, if one of these was given where it has no effect.

    `otherwise` names an alternative that can be left out instead.
    """
    options = [parameter.opts[0] for parameter in given_options(context) if parameter.name in names]
    if options:
        raise UsageError(f"{reason}: leave out {', '.join(options)}{otherwise and f', or {otherwise}'}")
