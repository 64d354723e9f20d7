"""`--extension FILE`: operators of the user's own, which every process of autoperf loads with MXNet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from autoperf.backends.extensions import add_extensions
from autoperf.cli.option_groups import all_expanded
from autoperf.cli.table_options import option_of
from autoperf.core import options as table


def extension_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--extension, whose files are added to $AUTOPERF_EXTENSIONS of this process and its children."""
    return option_of(table.EXTENSION, metavar="FILE", expose_value=False, callback=_add_extensions)(command)


def _add_extensions(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> None:
    add_extensions(all_expanded(context, parameter, values))
