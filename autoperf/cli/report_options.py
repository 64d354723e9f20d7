"""The options that select a report's contents and formats."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from autoperf.cli import option_types
from autoperf.cli.option_types import Command, Option, expanded, grouped, split_names
from autoperf.cli.options import SEVERAL, aliased_option, option_of
from autoperf.core import options as table
from autoperf.core.errors import UsageError
from autoperf.core.files import NDJSON
from autoperf.front.output import view_places
from autoperf.front.streams import remember
from autoperf.reports.columns import RowFilter, View
from autoperf.reports.formats import Kind, form_of, names

PLAIN = frozenset({"", ".txt", ".log"})
"""The suffixes of a report that is a table."""
VIEW = ("columns", "sort", "limit", "group_by", "verbose")
FILTERS = ("operators", "categories", "profiles")
"""The parameters of each group, as click names them."""
quiet_option: Option = click.option(
    "--quiet",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=remember,
    help="Print results and errors alone: no progress, no notices.",
)
"""--quiet, which `is_quiet` reads."""


def shown_options(kind: Kind, *more: str, help_text: str = "The output format.") -> Option:
    """--format (`more` beside this kind's), --report and the view as `shown`; for a run also --output-format."""
    offered = names(kind)
    formats = {"form": _format_option((*offered, *more), help_text)}
    if kind == "run":
        formats["opperf_form"] = click.option(
            "--output-format",
            "opperf_form",
            type=click.Choice(("json", "md", "csv")),
            help="Write opperf's report: its dictionary as JSON, its table as Markdown or CSV.",
        )
    report = aliased_option(
        "--report",
        "--output-file",
        metavar="FILE",
        callback=expanded,
        help="Write the report to this file, and print the path and the answer; without a format, the suffix decides.",
    )

    def shown(values: Mapping[str, Any]) -> object:
        # When the command runs, so that `--help` is fast.
        from autoperf.front.stored_reports import Shown

        view, context = values["view"], click.get_current_context()
        form = _form(values["form"], values.get("opperf_form"), values["report"], offered)
        # What the repository's file sets is left out where the format has no place for it: a user didn't ask for it.
        of_file = [name for name in VIEW if context.get_parameter_source(name) is ParameterSource.DEFAULT_MAP]
        places = view_places(kind, form) if of_file else {}
        unfitting = {name: getattr(View(), name) for name in of_file if not places[name]}
        return Shown(form, replace(view, **unfitting), values["report"])

    options = (*formats.values(), view_options, report)
    return lambda command: grouped(command, "shown", (*formats, "view", "report"), shown, options)


def _format_option(forms: Collection[str], help_text: str) -> Option:
    return click.option(
        "--format",
        "form",
        type=click.Choice(tuple(forms)),
        metavar="FORMAT",
        help=f"{help_text} Default: by the suffix of --report (.json, .md, ...), else table. "
        f"Formats: {', '.join(forms)}.",
    )


def _form(form: str | None, opperf_form: str | None, file: Path | None, offered: Collection[str]) -> str:
    """The format as given, else that of the file's suffix, else a table. Raises UsageError for an unknown suffix."""
    if form and opperf_form:
        raise UsageError("--format and --output-format exclude each other: give one of them")
    if opperf_form:
        return f"opperf_{opperf_form}"
    if form or not file:
        return form or "table"
    if file.suffix.lower() == NDJSON:
        raise UsageError(
            f"invalid file of the report {file}: a report isn't NDJSON; name it {file.with_suffix('.json')} or "
            f"{file.with_suffix('.txt')}, or give its --format"
        )
    found = form_of(file, offered)
    if not found and file.suffix.lower() not in PLAIN:
        raise UsageError(
            f"invalid file of the report {file}: no format has the suffix {file.suffix}; "
            f"give its --format: {', '.join(sorted(offered))}"
        )
    return found or "table"


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
            type=click.Choice(("operator", "category", "machine")),
            help="Show a row for each operator or category, or for each machine of a run, with geometric means.",
        ),
        click.option(
            "--verbose",
            is_flag=True,
            help="Show the details of a table: kernels, dispatch and samples of each case, the meaning of columns, "
            "names of hidden ones, the machine's load and speed, the build's path and the folder's revision.",
        ),
    )
    return grouped(command, "view", VIEW, _view, options)


def filter_options(command: Command) -> Command:
    """--operator, --category and --input-profile as `rows`: which rows of a stored run are shown."""
    options = (
        click.option(
            "--operator", "operators", multiple=True, metavar="NAME", callback=split_names,
            shell_complete=option_types.operators,
            help=f"Show an operator: its name in the file or in Python (gluon.nn.Dense), or a glob. {SEVERAL}",
        ),
        option_of(table.CATEGORY, help="Show a category, or an opperf group."),
        option_of(table.PROFILE, help="Show an input profile: small, common, large, ..."),
    )  # fmt: skip
    return grouped(command, "rows", FILTERS, lambda values: RowFilter(**values), options)


def _view(values: Mapping[str, Any]) -> object:
    columns, sort = values["columns"], values["sort"]
    chosen = tuple(name.strip() for name in columns.split(",")) if columns is not None else ()
    if sort is not None and not all(name.strip(" -") for name in sort.split(",")):
        raise click.BadParameter(
            "invalid column: expected a name, such as --sort forward_kernel or --sort category,-forward_kernel",
            param_hint="--sort",
        )
    return View(chosen, sort or "", values["limit"], values["group_by"] or "", verbose=values["verbose"])
