"""Options that several commands share. A group of options is passed to the command as one value."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from autoperf.cli import completion
from autoperf.cli.arguments import reject_options
from autoperf.cli.listed_categories import list_categories_option
from autoperf.cli.types import DtypesType, DurationType, FiniteRange, ProcessorsType, ShareType, SizeType
from autoperf.core.limits import (
    DEFAULT_MAX_TIME,
    DEFAULT_PROCESSES,
    MAX_ELEMENTS,
    MAX_ITERATIONS,
    MAX_PROCESSES,
    MAX_SAMPLES,
    MAX_SECONDS,
    MIN_ELEMENTS,
)
from autoperf.reports.formats import Kind, names

if TYPE_CHECKING:
    from autoperf.cases.handwritten import OwnInputs

Command: TypeAlias = Callable[..., Any]
Option: TypeAlias = Callable[[Command], Command]
SELECTION = ("categories", "operators", "namespaces")
RECIPE = ("seed", "samples", "profiles", "dtypes", "elements")
OWN = ("inputs", "params")
_TIMING = ("profiler", "warmup", "runs", "precision", "max_time", "processes", "time_budget")
SETTINGS = (*_TIMING, "timeout", "memory_limit", "ctx", "cpus")
"""The parameters of each group, as click names them."""
SEVERAL = "May be repeated, or a list A,B."
"""What the help says of options that select by names."""


def selection_options(command: Command) -> Command:
    """--category, --operator, --namespace as `selection`: which operators."""
    options = (
        click.option(
            "--category",
            "categories",
            multiple=True,
            callback=split_names,
            shell_complete=completion.categories,
            help=f"Select a category, or an opperf group (nn_conv, sorting_searching, ...). {SEVERAL}",
        ),
        click.option(
            "--operator",
            "operators",
            multiple=True,
            metavar="NAME",
            callback=split_names,
            shell_complete=completion.operators,
            help=f"Select an operator: registry name, alias, Python name (nd.linalg.gemm) or glob. {SEVERAL}",
        ),
        click.option(
            "--namespace",
            "namespaces",
            multiple=True,
            callback=split_names,
            shell_complete=completion.namespaces,
            help=f"Select a namespace: nd, np, npx, contrib, ... {SEVERAL}",
        ),
    )
    return list_categories_option(grouped(command, "selection", SELECTION, _selection, options))


def recipe_options(command: Command) -> Command:
    """--seed, --samples, --profile, --dtype, --elements as `recipe`: which inputs."""
    options = (
        click.option("--seed", type=int, default=0, show_default=True, help="Seed for drawing inputs."),
        click.option(
            "--samples",
            type=click.IntRange(min=0, max=MAX_SAMPLES),
            default=2,
            show_default=True,
            help="Number of drawn cases per operator.",
        ),
        click.option(
            "--profile",
            "profiles",
            multiple=True,
            callback=split_names,
            help=f"Select an input profile: small, common, large, ... {SEVERAL}",
        ),
        click.option(
            "--dtype",
            "dtypes",
            type=DtypesType(),
            metavar="A,B,C",
            help="The dtype of the data, or several. Default: the default dtype of each operator's rule.",
        ),
        click.option(
            "--elements",
            type=click.IntRange(min=MIN_ELEMENTS, max=MAX_ELEMENTS),
            default=2**18,
            show_default=True,
            help="Maximum number of elements in a drawn tensor.",
        ),
    )
    return grouped(command, "recipe", RECIPE, _recipe, options)


def own_options(command: Command) -> Command:
    """--input and --param as `own`: the inputs of one operator, on the command line."""
    options = (
        click.option(
            "--input",
            "inputs",
            multiple=True,
            metavar="NAME=SHAPE",
            help="Measure this input of the operator: data=128x30522, indices=1024:int32:integers(0, 1000). Several "
            "shapes, with commas, are several cases. May be repeated.",
        ),
        click.option(
            "--param",
            "params",
            multiple=True,
            metavar="NAME=VALUE",
            help="A parameter of the operator: axis=-1, kernel=(3,3). Several values, with commas, are several cases. "
            "May be repeated.",
        ),
    )
    return grouped(command, "own", OWN, _own, options)


def cases_option(command: Command) -> Command:
    """--cases, which may be repeated, as `cases`: files and folders of cases."""
    return click.option(
        "--cases",
        metavar="PATH",
        multiple=True,
        callback=all_expanded,
        help="Take the cases of this file (YAML, JSON, TOML, Python, or NDJSON by autoperf) or of a suite's folder. "
        "--operator, --category and --profile narrow them. May be repeated.",
    )(command)


def check_given(
    context: click.Context, own: OwnInputs, cases: Collection[Path], recipe: Collection[str] = RECIPE
) -> None:
    """Raises UsageError for options that draw inputs (`recipe`) beside the user's own."""
    own.exclude(cases)
    if cases:
        reject_options(context, set(recipe) - {"profiles"}, "--cases has its own inputs")
    if own:
        others = {*SELECTION, *recipe} - {"operators", "dtypes"}
        reject_options(context, others, "--input and --param give the inputs of one operator")


def measuring_options(command: Command) -> Command:
    """--profiler, --precision, --processes and the other options of a measurement as `settings`: how it is measured."""
    return measuring_in(DEFAULT_PROCESSES, f"{DEFAULT_MAX_TIME:g}s")(command)


def measuring_in(processes: int, max_time: str) -> Option:
    """The measuring options, with other defaults for --processes and --max-time."""
    return functools.partial(_measuring, processes, max_time)


def _measuring(processes: int, max_time: str, command: Command) -> Command:
    options = (*_sampling_options(), *_time_options(processes, max_time), *_process_options())
    return grouped(command, "settings", SETTINGS, _settings, options)


def _sampling_options() -> tuple[Option, ...]:
    """How many samples are taken, and by which clocks."""
    return (
        click.option(
            "--profiler",
            type=click.Choice(("native", "python")),
            default="native",
            show_default=True,
            help="native: kernel time from MXNet's profiler, and wall time. python: wall time only.",
        ),
        click.option(
            "--warmup",
            type=click.IntRange(min=0, max=MAX_ITERATIONS),
            help="Exact number of warm-up iterations. Default: adaptive.",
        ),
        click.option(
            "--runs",
            type=click.IntRange(min=1, max=MAX_ITERATIONS),
            help="Exact number of samples per clock and process. Default: adaptive, see --precision.",
        ),
        click.option(
            "--precision",
            type=ShareType(),
            default="1%",
            show_default=True,
            help="Sample until the 95% confidence interval of the median is within this share of the median.",
        ),
    )


def _time_options(processes: int, max_time: str) -> tuple[Option, ...]:
    """How long a case and the whole run are measured, and in how many processes."""
    return (
        click.option(
            "--max-time",
            type=DurationType(),
            default=max_time,
            show_default=True,
            help="Maximum sampling time per case.",
        ),
        click.option(
            "--processes",
            type=click.IntRange(min=1, max=MAX_PROCESSES),
            default=processes,
            show_default=True,
            help="Number of processes that measure each case.",
        ),
        click.option(
            "--time-budget",
            type=DurationType(),
            help="Maximum time of the whole run: 90s, 10m, 1h30m. Operators share it; the rest is skipped.",
        ),
    )


def _process_options() -> tuple[Option, ...]:
    """Where the processes run, and what each may take."""
    return (
        click.option(
            "--timeout",
            type=FiniteRange(min=0, max=MAX_SECONDS, min_open=True),
            default=60.0,
            show_default=True,
            help="Maximum seconds per case.",
        ),
        click.option("--memory-limit", type=SizeType(), help="Maximum memory of a process: 500MB, 4GiB."),
        click.option("--ctx", default="cpu", show_default=True, help="The device: cpu or gpu(0)."),
        click.option(
            "--cpus",
            type=ProcessorsType(),
            help="The processors of the timed processes: 1, 2-3 or 0,2; any: Linux chooses. "
            "Default: one for each thread of MXNet.",
        ),
    )


def library_option(command: Command) -> Command:
    """--mxnet as `library`: which build of MXNet."""
    return click.option(
        "--mxnet",
        "library",
        metavar="VERSION|PATH",
        shell_complete=completion.releases,
        callback=checked_library,
        help="A release (see `autoperf releases`), or the path of libmxnet.so. Default: the installed package.",
    )(command)


def rules_option(command: Command) -> Command:
    """--rules as `rules`: files and folders of a user's own rules."""
    return click.option(
        "--rules",
        "rules",
        metavar="PATH",
        multiple=True,
        callback=all_expanded,
        help="A Python file or folder of your own rules, which override built-in ones. May be repeated.",
    )(command)


def libraries_option(command: Command) -> Command:
    """--mxnet, which may be repeated, as `libraries`: which builds of MXNet; empty means the default one."""
    return click.option(
        "--mxnet",
        "libraries",
        metavar="VERSION|PATH",
        shell_complete=completion.releases,
        multiple=True,
        callback=lambda context, parameter, values: tuple(
            library for value in values if (library := checked_library(context, parameter, value))
        ),
        help="A release (see `autoperf releases`), or the path of libmxnet.so. May be repeated.",
    )(command)


def format_option(kind: Kind, *more: str, help_text: str = "The output format.") -> Option:
    """--format (also --output-format, as in opperf) as `form`: the formats of this kind of report, and `more`."""
    return click.option(
        "--format",
        "--output-format",
        "form",
        type=click.Choice((*names(kind), *more)),
        default="table",
        show_default=True,
        help=help_text,
    )


def output_options(command: Command) -> Command:
    """--output as `output`, for the run file; --output-file, as in opperf, as `report`, for the report."""
    command = click.option(
        "--output-file",
        "report",
        metavar="FILE",
        callback=expanded,
        help="Write the report to this file instead of printing it; without a format, the suffix decides.",
    )(command)
    return click.option(
        "--output",
        metavar="FILE",
        callback=expanded,
        help="Write the run file (NDJSON, one outcome per line) to this path. Default: a new file in the cache folder.",
    )(command)


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


def all_expanded(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[Path, ...]:
    """Each of the paths with `~` expanded. Raises click.BadParameter."""
    return tuple(path for value in values if (path := expanded(context, parameter, value)))


def checked_library(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A release or a path as given (`./1.6.0` is a path, `1.6.0` is a release), with `~` expanded."""
    path = expanded(context, parameter, value)
    return str(path) if value and value.startswith("~") else value


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


# The classes of the groups are imported when a command runs, so that `--help` is fast.


def _selection(values: Mapping[str, Any]) -> object:
    from autoperf.pipeline.selection import Selection, check_categories

    check_categories(values["categories"])
    return Selection(**values)


def _recipe(values: Mapping[str, Any]) -> object:
    from autoperf.cases.build import Recipe

    return Recipe(**{**values, "profiles": frozenset(values["profiles"]) or None, "dtypes": values["dtypes"] or ()})


def _own(values: Mapping[str, Any]) -> object:
    from autoperf.cases.handwritten import OwnInputs

    return OwnInputs(**values)


def _settings(values: Mapping[str, Any]) -> object:
    from autoperf.executor.placement import check_processors, usable_processors
    from autoperf.executor.settings import Settings

    if values["runs"] is not None:
        reject_options(click.get_current_context(), ("precision",), "--runs sets the exact number of samples")
    if values["cpus"]:
        check_processors(values["cpus"], usable_processors())
    return Settings(**values)
