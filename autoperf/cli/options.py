"""Options that several commands share: which operators and inputs, which MXNet and rules, and where output goes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autoperf.cli import completion
from autoperf.cli.command import reject_options
from autoperf.cli.option_types import Command, Option, expanded, grouped, split_names
from autoperf.cli.table_options import SEVERAL, option_of, options_of
from autoperf.core import options as table
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.front.clusters import checked_cluster
from autoperf.reports.formats import Kind, names

if TYPE_CHECKING:
    from autoperf.cases.handwritten import OwnInputs
    from autoperf.cases.selection import Selection

SELECTION = ("operators", *(option.target for option in table.SELECTION))
RECIPE = tuple(option.target for option in table.RECIPE)
OWN = ("inputs", "params")
"""The parameters of each group, as click names them."""


def selection_options(command: Command) -> Command:
    """--category, --operator, --namespace as `selection`: which operators."""
    return _with_selection(command, _selection)


def row_selection_options(command: Command) -> Command:
    """`selection` for a command that reads files too, with categories of no rule: `check_given` checks them."""
    return _with_selection(command, _unchecked_selection)


def _with_selection(command: Command, made: Callable[[Mapping[str, Any]], object]) -> Command:
    operator: Option = click.option(
        "--operator",
        "operators",
        multiple=True,
        metavar="NAME",
        callback=split_names,
        shell_complete=completion.operators,
        help=f"Select an operator: registry name, alias, Python name (nd.linalg.gemm) or glob. {SEVERAL}",
    )
    options = (operator, *options_of(table.SELECTION))
    return list_categories_option(grouped(command, "selection", SELECTION, made, options))


def recipe_options(command: Command) -> Command:
    """--seed, --draws, --input-profile, --dtype, --max-elements as `recipe`: which inputs."""
    return grouped(command, "recipe", RECIPE, _recipe, options_of(table.RECIPE))


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
"""--weights, by which the findings of a hunt are ranked."""
cluster_option = option_of(table.CLUSTER, callback=lambda _context, _of, value: checked_cluster(value))
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
    """Raises UsageError for options that draw inputs (`recipe`) beside the user's own.

    Raises UnknownNameError for a category that no rule has, unless cases of files may have it.
    """
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


_ALL = "all"


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
    from autoperf.implementations.frameworks import FRAMEWORKS

    names = tuple(FRAMEWORKS if value == _ALL else dict.fromkeys(name.strip() for name in value.split(",")))
    for name in names:
        if name not in FRAMEWORKS:
            raise UnknownNameError("framework", name, FRAMEWORKS)
    return names


def against_option(help_text: str) -> Option:
    """--against as `against`: another framework than MXNet, as it is named; a path becomes absolute."""
    return option_of(table.AGAINST, callback=_checked_framework, help=help_text)


def _checked_framework(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Raises UsageError for MXNet, and for a framework that there isn't."""
    from autoperf.backends.lookup import parse_other_framework

    return str(parse_other_framework(value)) if value else None


def frameworks_of(values: Sequence[str]) -> tuple[str, ...]:
    """The frameworks of --framework, of which one value may name several; paths become absolute. Raises UsageError."""
    from autoperf.backends.lookup import parse_framework

    return tuple(str(parse_framework(name)) for value in values for name in value.split(","))


def mxnet_only(command: Command) -> Command:
    """A hidden --framework that accepts MXNet alone. Raises UsageError for another one, which --against may take."""

    def refuse(context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> None:
        from autoperf.implementations.frameworks import FRAMEWORKS

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


# The classes of the groups are imported when a command runs, so that `--help` is fast.


def _selection(values: Mapping[str, Any]) -> object:
    from autoperf.cases.selection import check_categories

    check_categories(values["categories"])
    return _unchecked_selection(values)


def _unchecked_selection(values: Mapping[str, Any]) -> object:
    from autoperf.cases.selection import Selection

    return Selection(**values)


def _recipe(values: Mapping[str, Any]) -> object:
    from autoperf.cases.build import Recipe

    return Recipe(**{**values, "profiles": frozenset(values["profiles"]) or None})


def _own(values: Mapping[str, Any]) -> object:
    from autoperf.cases.handwritten import OwnInputs

    return OwnInputs(**values)


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
"""--list-categories, which prints the categories and ends."""
