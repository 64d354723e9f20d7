"""Options that several commands share; each group reaches the command as one value."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import click

from autoperf.cli.given import refuse
from autoperf.cli.types import DtypeType, DurationType, FiniteRange, ShareType, SizeType
from autoperf.core.limits import (
    MAX_ELEMENTS,
    MAX_ITERATIONS,
    MAX_PROCESSES,
    MAX_SAMPLES,
    MAX_SECONDS,
    MIN_ELEMENTS,
)
from autoperf.reports.formats import Kind, names

Command: TypeAlias = Callable[..., Any]
Option: TypeAlias = Callable[[Command], Command]
SELECTION = ("categories", "operators", "namespaces")
RECIPE = ("seed", "samples", "profiles", "dtype", "elements")
_TIMING = ("profiler", "warmup", "runs", "precision", "max_time", "processes", "time_budget")
SETTINGS = (*_TIMING, "timeout", "memory_limit", "ctx")
"""The parameters of each group, as click names them."""


def selection_options(command: Command) -> Command:
    """--category, --operator, --namespace as `selection`: what the command is about."""
    options = (
        click.option(
            "--category",
            "categories",
            multiple=True,
            help="Only this category, or opperf's group (nn_conv, sorting_searching, ...); may be repeated.",
        ),
        click.option(
            "--operator",
            "operators",
            multiple=True,
            metavar="NAME",
            help="Only this operator: a registry name, an alias, a user's name (nd.linalg.gemm), or a glob.",
        ),
        click.option("--namespace", "namespaces", multiple=True, help="Only this namespace: nd, np, npx, contrib, ..."),
    )
    return _grouped(command, "selection", SELECTION, _selection, options)


def recipe_options(command: Command) -> Command:
    """--seed, --samples, --profile, --dtype, --elements as `recipe`: which inputs."""
    options = (
        click.option("--seed", type=int, default=0, show_default=True, help="The seed of the drawn inputs."),
        click.option(
            "--samples",
            type=click.IntRange(min=0, max=MAX_SAMPLES),
            default=2,
            show_default=True,
            help="Drawn cases an operator.",
        ),
        click.option("--profile", "profiles", multiple=True, help="Only this input profile: small, common, large, ..."),
        click.option("--dtype", type=DtypeType(), help="The dtype of the data; default: the operator's natural one."),
        click.option(
            "--elements",
            type=click.IntRange(min=MIN_ELEMENTS, max=MAX_ELEMENTS),
            default=2**18,
            show_default=True,
            help="Elements of the largest drawn tensor.",
        ),
    )
    return _grouped(command, "recipe", RECIPE, _recipe, options)


def measuring_options(command: Command) -> Command:
    """--profiler, --precision, --processes and the other options of a measurement as `settings`: how it is measured."""
    return measuring_in(3, "150ms")(command)


def measuring_in(processes: int, max_time: str) -> Option:
    """The same, with other defaults for --processes and --max-time."""
    return functools.partial(_measuring, processes, max_time)


def _measuring(processes: int, max_time: str, command: Command) -> Command:
    options = (
        click.option(
            "--profiler",
            type=click.Choice(("native", "python")),
            default="native",
            show_default=True,
            help="native: kernel time by MXNet's profiler, and wall time; python: wall time alone.",
        ),
        click.option(
            "--warmup",
            type=click.IntRange(min=0, max=MAX_ITERATIONS),
            help="Exactly so many iterations before the samples.",
        ),
        click.option(
            "--runs",
            type=click.IntRange(min=1, max=MAX_ITERATIONS),
            help="Exactly so many samples by each clock and process.",
        ),
        click.option(
            "--precision",
            type=ShareType(),
            default="1%",
            show_default=True,
            help="Take samples until the 95% interval of the median is this close to it.",
        ),
        click.option(
            "--max-time",
            type=DurationType(),
            default=max_time,
            show_default=True,
            help="How long the samples of one case may take, however precise they are.",
        ),
        click.option(
            "--processes",
            type=click.IntRange(min=1, max=MAX_PROCESSES),
            default=processes,
            show_default=True,
            help="Measure each case in so many processes.",
        ),
        click.option(
            "--time-budget",
            type=DurationType(),
            help="How long the whole run may take: 90s, 10m, 1h30m. What doesn't fit is skipped, fairly.",
        ),
        click.option(
            "--timeout",
            type=FiniteRange(min=0, max=MAX_SECONDS, min_open=True),
            default=60.0,
            show_default=True,
            help="Seconds that one case may take.",
        ),
        click.option("--memory-limit", type=SizeType(), help="Bytes that a process may take: 500MB, 4GiB."),
        click.option("--ctx", default="cpu", show_default=True, help="The device: cpu or gpu(0)."),
    )
    return _grouped(command, "settings", SETTINGS, _settings, options)


def library_option(command: Command) -> Command:
    """--mxnet as `library`: which build of MXNet."""
    return click.option(
        "--mxnet",
        "library",
        metavar="VERSION|PATH",
        callback=checked_library,
        help="A release (see `autoperf releases`), or a libmxnet.so or its folder; default: the installed one.",
    )(command)


def rules_option(command: Command) -> Command:
    """--rules as `rules`: files and folders of a user's own rules."""
    return click.option(
        "--rules",
        "rules",
        metavar="PATH",
        multiple=True,
        callback=_all_expanded,
        help="A Python file with rules of your own, or a folder of such files; they come before the built-in ones.",
    )(command)


def libraries_option(command: Command) -> Command:
    """--mxnet, which may be repeated, as `libraries`: which builds of MXNet; empty means the default one."""
    return click.option(
        "--mxnet",
        "libraries",
        metavar="VERSION|PATH",
        multiple=True,
        callback=lambda context, parameter, values: tuple(
            found for value in values if (found := checked_library(context, parameter, value))
        ),
        help="A release (see `autoperf releases`), or a libmxnet.so or its folder; may be repeated.",
    )(command)


def format_option(kind: Kind, *more: str, explained: str | None = None) -> Option:
    """--format (also --output-format, as in opperf) as `form`: the formats of this kind of report, and these."""
    return click.option(
        "--format",
        "--output-format",
        "form",
        type=click.Choice((*names(kind), *more)),
        default="table",
        show_default=True,
        help=explained,
    )


def view_options(command: Command) -> Command:
    """--columns and --sort as `view`: what of a report is shown, and in which order."""
    options = (
        click.option("--columns", metavar="A,B,C", help="Show these columns (docs/formats.md lists them)."),
        click.option("--sort", metavar="COLUMN", help="Sort by this column; -COLUMN begins with the largest."),
    )
    return _grouped(command, "view", ("columns", "sort"), _view, options)


def output_options(command: Command) -> Command:
    """--output as `output`, for the run file; --output-file, as in opperf, as `report`, for the report."""
    command = click.option(
        "--output-file",
        "report",
        metavar="FILE",
        callback=expanded,
        help="Write the report here, in the format of --format, in place of printing it.",
    )(command)
    return click.option(
        "--output", metavar="FILE", callback=expanded, help="Write the run file here, line by line, as NDJSON."
    )(command)


def expanded(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Path | None:
    """A path with the user's home spelled out; None stays None."""
    if value is None:
        return None
    if not value:
        raise click.BadParameter("the path is empty")
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise click.BadParameter(f"{value}: {error}") from error


def _all_expanded(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[Path, ...]:
    return tuple(path for value in values if (path := expanded(context, parameter, value)))


def checked_library(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A release or a path as it was given (`./1.6.0` is a path, `1.6.0` isn't), with the user's home spelled out."""
    path = expanded(context, parameter, value)
    return str(path) if value and value.startswith("~") else value


def _grouped(
    command: Command,
    group: str,
    names: tuple[str, ...],
    build: Callable[[Mapping[str, Any]], object],
    options: tuple[Option, ...],
) -> Command:
    """The command with these options, whose values it gets as one argument."""

    @functools.wraps(command)
    def grouped(*args: Any, **values: Any) -> Any:
        own = {name: values.pop(name) for name in names}
        return command(*args, **values, **{group: build(own)})

    decorated: Command = grouped
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


# What the groups build is imported when a command runs: `--help` needs none of it.


def _selection(values: Mapping[str, Any]) -> object:
    from autoperf.pipeline.selection import Selection, check_categories

    check_categories(values["categories"])
    return Selection(**values)


def _recipe(values: Mapping[str, Any]) -> object:
    from autoperf.cases.build import Recipe

    return Recipe(**{**values, "profiles": frozenset(values["profiles"]) or None})


def _view(values: Mapping[str, Any]) -> object:
    from autoperf.reports.columns import View

    columns, sort = values["columns"], values["sort"]
    chosen = tuple(name.strip() for name in columns.split(",")) if columns is not None else ()
    if sort is not None and not sort.strip("-"):
        raise click.BadParameter("name a column: --sort forward_kernel, or --sort -forward_kernel", param_hint="--sort")
    return View(chosen, sort or "")


def _settings(values: Mapping[str, Any]) -> object:
    from autoperf.executor.settings import Settings

    if values["runs"] is not None:
        refuse(click.get_current_context(), ("precision",), "--runs takes an exact number of samples")
    return Settings(**values)
