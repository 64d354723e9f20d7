"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("table", "json", "csv", "md")


def selection_options(command: F) -> F:
    """--category, --operator, --namespace: what the command is about."""
    for option in (
        click.option("--namespace", "namespaces", multiple=True, help="Only this namespace: nd, np, npx, contrib, ..."),
        click.option(
            "--operator",
            "operators",
            multiple=True,
            metavar="NAME",
            help="Only this operator: a registry name, an alias, a user's name (nd.linalg.gemm), or a glob.",
        ),
        click.option("--category", "categories", multiple=True, help="Only this category; may be repeated."),
    ):
        command = option(command)
    return command


def recipe_options(command: F) -> F:
    """--seed, --samples, --profile, --dtype, --elements: which inputs."""
    for option in (
        click.option(
            "--elements", type=click.IntRange(min=64), default=2**18, show_default=True, help="Largest drawn tensor."
        ),
        click.option(
            "--dtype", type=DtypeType(), default=None, help="The dtype of the data; default: the natural one."
        ),
        click.option("--profile", "profiles", multiple=True, help="Only this input profile: small, common, large, ..."),
        click.option(
            "--samples", type=click.IntRange(min=0), default=2, show_default=True, help="Drawn cases an operator."
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="The seed of the drawn inputs."),
    ):
        command = option(command)
    return command


def library_option(command: F) -> F:
    """--mxnet: which build of MXNet."""
    return click.option(
        "--mxnet",
        "library",
        metavar="PATH",
        default=None,
        help="A libmxnet.so or its folder; default: the installed one.",
    )(command)


def format_option(command: F) -> F:
    """--format (also --output-format, as in opperf)."""
    return click.option(
        "--format", "--output-format", "form", type=click.Choice(FORMATS), default="table", show_default=True
    )(command)


class DtypeType(click.ParamType):
    """A dtype that MXNet has; the nearest names are suggested for another."""

    name = "dtype"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The dtype's name. Raises UnknownNameError."""
        from autoperf.core.errors import UnknownNameError
        from autoperf.core.tensors import DTYPES

        if value not in DTYPES:
            raise UnknownNameError("dtype", str(value), DTYPES)
        return str(value)


def folder(value: str) -> Path:
    """A path with the user's home spelled out."""
    return Path(value).expanduser()
