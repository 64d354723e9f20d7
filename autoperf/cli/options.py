"""Options that several commands share, by the table in `core/options.py`: what is measured, how, and the output."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from autoperf.cli import option_types
from autoperf.cli.command import reject_options
from autoperf.cli.option_types import Command, Option, all_expanded, expanded, grouped, split_names
from autoperf.core import options as table
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.reports.formats import Kind, names

if TYPE_CHECKING:
    from autoperf.cases.handwritten import OwnInputs
    from autoperf.cases.selection import Selection


# The classes of the groups are imported when a command runs, so that `--help` is fast.
SEVERAL = "May be repeated, or a list A,B."
"""The help's addition for options that select by names."""
REPEATED = "May be repeated."
_ON = "on"
_COMPLETION = {
    "category": option_types.categories,
    "namespace": option_types.namespaces,
    "mxnet": option_types.releases,
}
_ALL = "all"


class _AliasedOption(click.Option):
    """An option whose further names, from opperf, stand at the end of its help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        names, self.opts = self.opts, self.opts[:1]
        try:
            record = super().get_help_record(ctx)
        finally:
            self.opts = names
        return record and (record[0], f"{record[1]}  [opperf: {', '.join(names[1:])}]" if names[1:] else record[1])


def aliased_option(*names: str, **attributes: Any) -> Option:
    """A click option that may have further names."""
    return click.option(*names, cls=_AliasedOption, **attributes)


def option_of(option: table.Option, name: str = "", **changes: Any) -> Option:
    """The click option of an option of the table, for the parameter `name`; `changes` are attributes that differ."""
    attributes = {"help": option.help, **_ATTRIBUTES[option.kind](option), **changes}
    if option.name in _COMPLETION:
        attributes["shell_complete"] = _COMPLETION[option.name]
    if isinstance(attributes["help"], str) and attributes.get("multiple"):
        several = SEVERAL if option.kind is table.Kind.NAMES else REPEATED
        attributes["help"] = f"{attributes['help']} {several}"
    attributes.setdefault("show_default", attributes.get("default") is not None)
    names = (option.flag, *([f"--{option.also}"] if option.also else []))
    return aliased_option(*names, name or option.target, **attributes)


def options_of(options: Iterable[table.Option], defaults: Mapping[str, Any] | None = None) -> tuple[Option, ...]:
    """The click options of these options of the table, some with another default in a command."""
    changed = defaults or {}
    return tuple(
        option_of(option, **({"default": changed[option.name]} if option.name in changed else {})) for option in options
    )


def _amount(
    kind: click.ParamType[Any], text: Callable[[Any], str], examples: str, option: table.Option
) -> dict[str, Any]:
    """Attributes of an amount with a unit; one without a default shows how it is written."""
    if option.default is None:
        return {"type": kind, "help": f"{option.help} {examples}"}
    return {"type": kind, "default": text(option.default)}


_ATTRIBUTES: Mapping[table.Kind, Callable[[table.Option], dict[str, Any]]] = {
    table.Kind.COUNT: lambda option: {
        "type": int if option.low is None or option.high is None else click.IntRange(int(option.low), int(option.high)),
        "default": option.default,
        "metavar": "N",
    },
    table.Kind.SHARE: lambda option: {
        "type": option_types.SHARE,
        "default": None if option.default is None else f"{option.default:.0%}",
        "help": f"{option.help} {option_types.PERCENT_HELP}",
    },
    table.Kind.SECONDS: partial(_amount, option_types.DURATION, "{:g}s".format, "Such as 90s, 10m or 1h30m."),
    table.Kind.NUMBER: lambda option: {
        "type": option_types.FiniteRange(min=option.low, max=option.high),
        "default": option.default,
    },
    table.Kind.BYTES: partial(_amount, option_types.SIZE, str, "Such as 500MB or 4GiB."),
    table.Kind.SWITCH: lambda option: {
        "type": click.Choice((_ON, "off"), case_sensitive=False),
        "default": _ON if option.default else "off",
        "callback": lambda _context, _parameter, value: value == _ON,
    },
    table.Kind.CHOICE: lambda option: {"type": click.Choice(option.choices), "default": option.default},
    table.Kind.CHOICES: lambda option: {"multiple": True, "callback": split_names, "metavar": ",".join(option.choices)},
    table.Kind.NAMES: lambda _option: {"multiple": True, "callback": split_names},
    table.Kind.DTYPES: lambda _option: {
        "type": option_types.DTYPES,
        "metavar": "A,B,C",
        "callback": lambda _context, _parameter, value: value or (),
    },
    table.Kind.DEVICE: lambda option: {"default": option.default},
    table.Kind.PROCESSORS: lambda _option: {"type": option_types.PROCESSORS},
    table.Kind.PATH: lambda _option: {"metavar": "FILE", "callback": expanded},
    table.Kind.PATHS: lambda _option: {"metavar": "PATH", "multiple": True, "callback": all_expanded},
    table.Kind.LIBRARY: lambda _option: {"metavar": "VERSION|PATH"},
    table.Kind.FRAMEWORK: lambda _option: {"metavar": "NAME"},
    table.Kind.CLUSTER: lambda _option: {"metavar": "ADDRESS"},
}


SELECTION = ("operators", *(option.target for option in table.SELECTION))
RECIPE = tuple(option.target for option in table.RECIPE)
OWN = ("inputs", "params")
"""The parameters of each group, as click names them."""


def selection_options(command: Command) -> Command:
    """--category, --operator, --namespace as `selection`: which operators. Files may have a category of no rule."""

    def selection(values: Mapping[str, Any]) -> object:
        from autoperf.cases.selection import Selection

        return Selection(**values)

    operator: Option = click.option(
        "--operator",
        "operators",
        multiple=True,
        metavar="NAME",
        callback=split_names,
        shell_complete=option_types.operators,
        help=f"Select an operator: registry name, alias, Python name (nd.linalg.gemm) or glob. {SEVERAL}",
    )
    options = (operator, *options_of(table.SELECTION))
    return list_categories_option(grouped(command, "selection", SELECTION, selection, options))


def recipe_options(command: Command) -> Command:
    """--seed, --draws, --input-profile, --dtype, --max-elements as `recipe`: which inputs."""

    def recipe(values: Mapping[str, Any]) -> object:
        from autoperf.cases.build import Recipe

        return Recipe(**{**values, "profiles": frozenset(values["profiles"]) or None})

    return grouped(command, "recipe", RECIPE, recipe, options_of(table.RECIPE))


def own_options(command: Command) -> Command:
    """--input and --param as `own`: the inputs of one operator, on the command line."""

    def own(values: Mapping[str, Any]) -> object:
        from autoperf.cases.handwritten import OwnInputs

        return OwnInputs(**values)

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
    return grouped(command, "own", OWN, own, options)


cases_option = option_of(
    table.CASES, help=f"{table.CASES.help} --operator, --category and --input-profile narrow them."
)
"""--cases, which may be repeated, as `cases`: files and folders of cases."""
weights_option: Option = click.option(
    "--weights",
    metavar="FILE",
    callback=expanded,
    help="Rank the findings of a hunt by the time that the calls of networks in this case file lose, with counts.",
)


def _checked_cluster(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    from autoperf.front.run_output import checked_cluster

    return checked_cluster(value)


cluster_option = option_of(table.CLUSTER, callback=_checked_cluster)
"""--cluster: the machines of a Dask cluster measure, not this one."""
rules_option = option_of(table.RULES)
"""--rules as `rules`: files and folders of a user's own rules."""
_libraries_option = option_of(
    table.MXNET,
    multiple=True,
    callback=lambda context, parameter, values: tuple(
        library for value in values if (library := checked_library(context, parameter, value))
    ),
)


def check_given(
    context: click.Context,
    selection: Selection,
    own: OwnInputs,
    cases: Collection[Path],
    recipe: Collection[str] = RECIPE,
) -> None:
    """Raises UsageError for options that draw inputs beside own ones, UnknownNameError for an unknown category."""
    from autoperf.cases.selection import check_categories

    if not cases:
        check_categories(selection.categories)
    own.exclude(cases)
    if cases:
        reject_options(context, set(recipe) - {"profiles"}, "--cases has its own inputs")
    if own:
        others = {*SELECTION, *recipe} - {"operators", "dtypes"}
        reject_options(context, others, "--input and --param give the inputs of one operator")


def library_option(command: Command) -> Command:
    """--mxnet as `library`: which build of MXNet, by a command that knows no other framework."""
    default = "Default: the installed package."
    decorated = option_of(table.MXNET, "library", callback=checked_library, help=f"{table.MXNET.help} {default}")
    return mxnet_only(decorated(command))


def libraries_option(command: Command) -> Command:
    """--mxnet, which may be repeated, as `libraries`; empty means the default build. No other framework is known."""
    return mxnet_only(_libraries_option(command))


def builds_option(command: Command) -> Command:
    """--mxnet as `libraries`, and --framework as `frameworks`: one for each side, or one for all."""
    option = click.option(
        "--framework",
        "--frameworks",
        "frameworks",
        multiple=True,
        metavar="NAME",
        callback=lambda _context, _parameter, values: frameworks_of(values),
        help=f"{table.FRAMEWORK.help} {SEVERAL}",
    )
    return _libraries_option(option(command))


def implementations_option(command: Command) -> Command:
    """--mxnet as `libraries`, and --frameworks as `frameworks`: those whose implementations are listed, or None."""
    option = click.option(
        "--frameworks",
        "--framework",
        "frameworks",
        is_flag=False,
        flag_value=_ALL,
        metavar="[NAME]",
        callback=lambda _context, _parameter, value: value and _with_implementations(value),
        help="List the implementations in other frameworks instead: found, by hand, by your own lines, or none and "
        "why. NAME: numpy, torch, jax, or several with commas (default: all).",
    )
    return _libraries_option(option(command))


def _with_implementations(value: str) -> tuple[str, ...]:
    """The frameworks that are named, each once. Raises UnknownNameError."""
    from autoperf.implementations.implementation import FRAMEWORKS

    names = tuple(FRAMEWORKS if value == _ALL else dict.fromkeys(name.strip() for name in value.split(",")))
    for name in names:
        if name not in FRAMEWORKS:
            raise UnknownNameError("framework", name, FRAMEWORKS)
    return names


def _checked_framework(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    from autoperf.backends.lookup import parse_other_framework

    return str(parse_other_framework(value)) if value else None


against_option = option_of(table.AGAINST, callback=_checked_framework)
"""--against as `against`: another framework than MXNet, as it is named; a path becomes absolute."""


def frameworks_of(values: Sequence[str]) -> tuple[str, ...]:
    """The frameworks of --framework, of which one value may name several; paths become absolute. Raises UsageError."""
    from autoperf.backends.lookup import parse_framework

    return tuple(str(parse_framework(name)) for value in values for name in value.split(","))


def mxnet_only(command: Command) -> Command:
    """A hidden --framework that accepts MXNet alone. Raises UsageError for another one, which --against may take."""

    def refuse(context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> None:
        from autoperf.implementations.implementation import FRAMEWORKS

        for value in values:
            if value != "mxnet":
                has_against = any(parameter.name == "against" for parameter in context.command.params)
                is_compared = has_against and value.partition("@")[0] in FRAMEWORKS
                remedy = f"compare it by --against {value}" if is_compared else f"leave out --framework {value}"
                raise UsageError(f"`{context.command_path}` is for MXNet alone: {remedy}")

    text = "MXNet alone."
    option = click.option(
        "--framework", multiple=True, metavar="NAME", hidden=True, expose_value=False, callback=refuse, help=text
    )
    return option(command)


def format_option(kind: Kind) -> Option:
    """--format as `form`: the formats of this kind of report."""
    return click.option(
        *("--format", "form"),
        type=click.Choice(names(kind)),
        default="table",
        show_default=True,
        help="The output format.",
    )


def checked_library(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A release or a path as given (`./1.6.0` is a path, `1.6.0` is a release), with `~` expanded."""
    path = expanded(context, parameter, value)
    return str(path) if value and value.startswith("~") else value


def _list_categories(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Prints the categories and opperf's groups, and ends the command."""
    if not value:
        return
    from autoperf.rules.categories import CATEGORIES, GROUPS

    formatter = context.make_formatter()
    with formatter.section("Categories"):
        formatter.write_dl(list(CATEGORIES.items()))
    with formatter.section("Groups of opperf"):
        formatter.write_text(", ".join(sorted(GROUPS)))
    click.echo(formatter.getvalue().rstrip())
    context.exit()


list_categories_option: Option = click.option(
    "--list-categories",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_categories,
    help="List the categories and opperf's groups, and exit.",
)


def _add_extensions(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> None:
    from autoperf.backends.user_code import add_extensions

    add_extensions(all_expanded(context, parameter, values))


extension_option = option_of(table.EXTENSION, metavar="FILE", expose_value=False, callback=_add_extensions)
"""--extension, whose files are added to $AUTOPERF_EXTENSIONS of this process and its children."""


def _environments(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[dict[str, str], dict[str, str]]:
    """The variables of side A and of side B, from `A:OMP_NUM_THREADS=1`."""
    variables: dict[str, dict[str, str]] = {"A": {}, "B": {}}
    for value in values:
        match = re.fullmatch(r"([AB]):([A-Za-z_][A-Za-z0-9_]*)=(.*)", value)
        if match is None:
            raise click.BadParameter(
                f"invalid variable {value!r}: expected A:NAME=VALUE or B:NAME=VALUE, such as A:OMP_NUM_THREADS=1"
            )
        side, name, text = match.groups()
        if variables[side].setdefault(name, text) != text:
            raise click.BadParameter(f"{side}:{name} is given two values")
    return variables["A"], variables["B"]


environments_option: Option = click.option(
    "--env",
    "environments",
    metavar="A:NAME=VALUE",
    multiple=True,
    callback=_environments,
    help="An environment variable of side A or B; the two sides are measured in turn. May be repeated.",
)
"""--env, which may be repeated, as `environments`: the variables of side A and of side B."""


def measuring_options(
    options: Sequence[table.Option] = table.SETTINGS, defaults: Mapping[str, Any] | None = None
) -> Option:
    """The options of a measurement as `settings`: how it is measured; `defaults` are those of a command that differ."""
    names = tuple(option.target for option in options)
    return lambda command: grouped(command, "settings", names, _settings, options_of(options, defaults))


def request_options(settings: Option, **run_file: str) -> Option:
    """The options of operators, inputs, builds and settings as `request`; `run_file` has attributes of --run-file."""

    def request(values: Mapping[str, Any]) -> object:
        from autoperf.measurement.run_request import RunRequest

        return RunRequest(**values)

    fields = ("selection", "recipe", "settings", "cases", "output", "libraries", "rules", "own", "frameworks")
    options = (
        builds_option, extension_option, rules_option, run_file_option(**run_file), cases_option, settings, own_options,
        recipe_options, selection_options,
    )  # fmt: skip
    return lambda command: grouped(command, "request", fields, request, options)


def run_file_option(**attributes: str) -> Option:
    """--run-file as `output`."""
    return option_of(table.RUN_FILE, callback=option_types.ndjson_file, **attributes)


def _settings(values: Mapping[str, Any]) -> object:
    from autoperf.measurement.placement import check_processors
    from autoperf.measurement.settings import Settings, absolute

    context = click.get_current_context()
    if values["runs"] is not None and context.get_parameter_source("runs") is ParameterSource.DEFAULT_MAP:
        is_overridden = context.get_parameter_source("precision") is ParameterSource.COMMANDLINE
        values = {**values, "runs": None if is_overridden else values["runs"]}
    elif values["runs"] is not None:
        reject_options(context, ("precision",), "--samples sets the exact number of samples")
    check_processors(values["cpus"] or ())
    return Settings(**{**values, "keep_dumps": absolute(values["keep_dumps"])})
