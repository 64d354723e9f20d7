"""The options that select a report's contents, and --quiet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from autoperf.cli import completion
from autoperf.cli.option_groups import Command, grouped, split_names
from autoperf.cli.quiet import remember
from autoperf.cli.table_options import SEVERAL, option_of
from autoperf.core import options as table

VIEW = ("columns", "sort", "limit", "group_by", "verbose")
FILTERS = ("operators", "categories", "profiles")
"""The parameters of each group, as click names them."""


def view_options(command: Command) -> Command:
    """--columns, --sort, --limit, --group-by and --verbose as `view`: columns, order and number of rows, details."""
    options = (
        click.option("--columns", metavar="A,B,C", help="Show these columns; docs/reference/formats.md lists them."),
        click.option(
            "--sort",
            metavar="A,-B",
            help="Sort by this column, then by the next; a - before it sorts in descending order.",
        ),
        click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Show at most this many rows."),
        click.option(
            "--group-by",
            type=click.Choice(("operator", "category")),
            help="Show a row for each operator or category, with geometric means.",
        ),
        click.option(
            "--verbose",
            is_flag=True,
            help="Show the details of a table: kernels, dispatch and samples of each case, names of hidden columns, "
            "the build's path and the folder's revision.",
        ),
    )
    return grouped(command, "view", VIEW, _view, options)


def filter_options(command: Command) -> Command:
    """--operator, --category and --input-profile as `rows`: which rows of a stored run are shown."""
    options = (
        click.option(
            "--operator", "operators", multiple=True, metavar="NAME", callback=split_names,
            shell_complete=completion.operators,
            help=f"Show an operator: its name in the file or in Python (gluon.nn.Dense), or a glob. {SEVERAL}",
        ),
        option_of(table.CATEGORY, help="Show a category, or an opperf group."),
        option_of(table.PROFILE, help="Show an input profile: small, common, large, ..."),
    )  # fmt: skip
    return grouped(command, "rows", FILTERS, _filter, options)


def quiet_option(command: Command) -> Command:
    """--quiet, which `is_quiet` reads."""
    return click.option(
        "--quiet",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=remember,
        help="Print results and errors alone: no progress, no notices.",
    )(command)


# The classes of the groups are imported when a command runs, so that `--help` is fast.


def _view(values: Mapping[str, Any]) -> object:
    from autoperf.reports.columns import View

    columns, sort = values["columns"], values["sort"]
    chosen = tuple(name.strip() for name in columns.split(",")) if columns is not None else ()
    if sort is not None and not all(name.strip(" -") for name in sort.split(",")):
        raise click.BadParameter(
            "invalid column: expected a name, such as --sort forward_kernel or --sort category,-forward_kernel",
            param_hint="--sort",
        )
    return View(chosen, sort or "", values["limit"], values["group_by"] or "", verbose=values["verbose"])


def _filter(values: Mapping[str, Any]) -> object:
    from autoperf.reports.row_filter import RowFilter

    return RowFilter(**values)
