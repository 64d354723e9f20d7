"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

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


def measuring_options(command: F) -> F:
    """--profiler, --warmup, --runs, --timeout, --memory-limit, --ctx: how it is measured."""
    for option in (
        click.option("--ctx", default="cpu", show_default=True, help="The device: cpu or gpu(0)."),
        click.option("--memory-limit", type=SizeType(), default=None, help="Bytes a process may take: 4GiB, 500MB."),
        click.option(
            "--timeout",
            type=click.FloatRange(min=0, min_open=True),
            default=60.0,
            show_default=True,
            help="Seconds that one case may take.",
        ),
        click.option("--runs", type=click.IntRange(min=1), help="Exactly so many samples of each case and clock."),
        click.option("--warmup", type=click.IntRange(min=0), help="Exactly so many iterations before the samples."),
        click.option(
            "--profiler",
            type=click.Choice(("native", "python")),
            default="native",
            show_default=True,
            help="native: kernel time by MXNet's profiler, and wall time; python: wall time alone.",
        ),
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


class DtypeType(click.ParamType):  # type: ignore[type-arg]
    """A dtype that MXNet has; the nearest names are suggested for another."""

    name = "dtype"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The dtype's name. Raises UnknownNameError."""
        from autoperf.core.errors import UnknownNameError
        from autoperf.core.tensors import DTYPES

        if value not in DTYPES:
            raise UnknownNameError("dtype", str(value), DTYPES)
        return str(value)


class SizeType(click.ParamType):  # type: ignore[type-arg]
    """A number of bytes, with a unit if it has one."""

    name = "size"
    units: ClassVar = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The size in bytes; fails for anything that is no positive size."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", str(value).strip())
        unit = self.units.get(found[2].upper()) if found else None
        if found is None or unit is None or not float(found[1]):
            self.fail(f"{value!r} is no size; write 500MB or 4GiB", param, ctx)
        return int(float(found[1]) * unit)


def path_of(value: str | None) -> Path | None:
    """A path with the user's home spelled out; None stays None."""
    return Path(value).expanduser() if value else None


def folder(value: str) -> Path:
    """A path with the user's home spelled out."""
    return Path(value).expanduser()
