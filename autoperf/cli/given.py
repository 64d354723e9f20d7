"""Which options the command line gave."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import click
from click.core import ParameterSource

from autoperf.core.errors import UsageError


def given_options(context: click.Context) -> Iterator[click.Parameter]:
    """The options and arguments of this command that the command line gave, whatever they say."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE and _is_meant(context, parameter):
            yield parameter


def _is_meant(context: click.Context, parameter: click.Parameter) -> bool:
    """Whether this is the option that was given, of several that set one value (`--covered`, `--uncovered`)."""
    chooses = isinstance(parameter, click.Option) and parameter.is_flag and not parameter.is_bool_flag
    return not chooses or context.params.get(parameter.name or "") == getattr(parameter, "flag_value", None)


def refuse(context: click.Context, names: Collection[str], reason: str, otherwise: str = "") -> None:
    """Raises UsageError, which names the options, if one of these was given where it has no effect.

    `otherwise` is what else can be left out.
    """
    options = [parameter.opts[0] for parameter in given_options(context) if parameter.name in names]
    if options:
        raise UsageError(f"{reason}: leave out {', '.join(options)}{otherwise and f', or {otherwise}'}")
