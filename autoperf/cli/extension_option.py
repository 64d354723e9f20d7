"""`--extension FILE`: operators of the user's own, which every process of autoperf loads with MXNet."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

from autoperf.capi.extensions import EXTENSIONS_VARIABLE, with_extensions
from autoperf.cli.option_groups import all_expanded


def extension_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--extension, whose files are added to $AUTOPERF_EXTENSIONS of this process and its children."""
    return click.option(
        "--extension",
        "extensions",
        metavar="FILE",
        multiple=True,
        expose_value=False,
        callback=_add_extensions,
        help="A library (.so) or a Python file (.py) of your own operators, which MXNet loads. May be repeated.",
    )(command)


def _add_extensions(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> None:
    """Raises click.BadParameter for what is no file."""
    files = all_expanded(context, parameter, values)
    for file in files:
        if not file.is_file():
            raise click.BadParameter(f"invalid path {str(file)!r}: expected a built library or a Python file")
        if os.pathsep in str(file):
            raise click.BadParameter(f"invalid path {str(file)!r}: expected one without {os.pathsep!r}")
    if files:
        os.environ[EXTENSIONS_VARIABLE] = with_extensions(files)
