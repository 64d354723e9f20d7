"""Options of a report that may go to a file: its format, by name or by the suffix of the file, its view, its path."""

from __future__ import annotations

import functools
from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from autoperf.cli.option_groups import Command, Option, expanded
from autoperf.cli.report_options import view_options
from autoperf.cli.table_options import aliased_option
from autoperf.core.errors import UsageError
from autoperf.core.suffixes import NDJSON
from autoperf.reports.formats import Kind, form_of, names

OPPERF_FORMS = ("json", "md", "csv")
PLAIN = frozenset({"", ".txt", ".log"})
"""The suffixes of a report that is a table."""
WRITTEN = "Write the report to this file instead of printing it"


def shown_options(kind: Kind, *more: str, help_text: str = "The output format.", file_help: str = WRITTEN) -> Option:
    """--format, --report and the options of the view as `shown`; for a run also opperf's --output-format.

    `more` are formats beside those of this kind of report. Without a format, the suffix of --report decides.
    """
    offered = names(kind)
    formats = [_format_option((*offered, *more), help_text), *([_OPPERF_FORMAT] if kind == "run" else [])]

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_shown(
            *args: Any, form: str | None, report: Path | None, view: Any, opperf_form: str | None = None, **values: Any
        ) -> Any:
            # When the command runs, so that `--help` is fast.
            from autoperf.cli.stored_reports import Shown

            chosen = _form(form, opperf_form, report, offered)
            return command(*args, shown=Shown(chosen, view, report), **values)

        decorated: Command = with_shown
        for option in (_report_option(file_help), view_options, *reversed(formats)):
            decorated = option(decorated)
        return decorated

    return decorate


def _format_option(forms: Collection[str], help_text: str) -> Option:
    return click.option(
        "--format",
        "form",
        type=click.Choice(tuple(forms)),
        metavar="FORMAT",
        help=f"{help_text} Default: by the suffix of --report (.json, .md, ...), else table. "
        f"Formats: {', '.join(forms)}.",
    )


_OPPERF_FORMAT: Option = click.option(
    "--output-format",
    "opperf_form",
    type=click.Choice(OPPERF_FORMS),
    help="Write opperf's report: its dictionary as JSON, its table as Markdown or CSV.",
)


def _report_option(help_text: str) -> Option:
    """--report, which is --output-file in opperf."""
    return aliased_option(
        "--report",
        "--output-file",
        metavar="FILE",
        callback=expanded,
        help=f"{help_text}; without a format, the suffix decides.",
    )


def _form(form: str | None, opperf_form: str | None, file: Path | None, offered: Collection[str]) -> str:
    """The format's name. Raises UsageError for two of them."""
    if form and opperf_form:
        raise UsageError("--format and --output-format exclude each other: give one of them")
    if opperf_form:
        return f"opperf_{opperf_form}"
    return form or _suffix_form(file, offered)


def _suffix_form(file: Path | None, offered: Collection[str]) -> str:
    """The format that the file's suffix names; a table for .txt, without a suffix, or without a file.

    Raises UsageError for the suffix of run files, which are no reports, and for one that no format has.
    """
    if file and file.suffix.lower() == NDJSON:
        raise UsageError(
            f"invalid file of the report {file}: a report isn't NDJSON; name it {file.with_suffix('.json')} or "
            f"{file.with_suffix('.txt')}, or give its --format"
        )
    form = form_of(file, offered) if file else None
    if file and not form and file.suffix.lower() not in PLAIN:
        raise UsageError(
            f"invalid file of the report {file}: no format has the suffix {file.suffix}; "
            f"give its --format: {', '.join(sorted(offered))}"
        )
    return form or "table"
