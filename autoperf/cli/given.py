"""Which options the command line gave."""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.core import ParameterSource


def given_options(context: click.Context) -> Iterator[click.Parameter]:
    """The options and arguments of this command that the command line gave, whatever they say."""
    for parameter in context.command.params:
        if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE:
            yield parameter
