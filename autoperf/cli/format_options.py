"""The formats of a report that may go to a file: autoperf's, a run's also opperf's, or by the suffix of the file."""

from __future__ import annotations

import functools
from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from autoperf.cli.option_groups import Command, Option
from autoperf.core.errors import UsageError
from autoperf.core.suffixes import NDJSON
from autoperf.reports.formats import Kind, form_of, names

OPPERF_FORMS = ("json", "md", "csv")


def run_format_options(*more: str, file: str = "report", help_text: str = "The output format.") -> Option:
    """--format and --output-format (opperf's report, as it is written there) as `form`.

    Where neither is given, the suffix of --report, whose parameter is `file`, decides.
    """
    offered = names("run")

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def formatted(*args: Any, form: str | None, opperf_form: str | None, **values: Any) -> Any:
            return command(*args, form=_form(form, opperf_form, values.get(file), offered), **values)

        decorated: Command = formatted
        for option in reversed(_options((*offered, *more), help_text)):
            decorated = option(decorated)
        return decorated

    return decorate


def file_format_option(kind: Kind, file: str) -> Option:
    """--format as `form`: the formats of this kind of report.

    Where it isn't given, the suffix of the file of parameter `file` decides.
    """
    offered = names(kind)

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def formatted(*args: Any, form: str | None, **values: Any) -> Any:
            return command(*args, form=form or _suffix_form(values.get(file), offered), **values)

        option = click.option(
            "--format",
            "form",
            type=click.Choice(offered),
            metavar="FORMAT",
            help="The output format. Default: by the suffix of --report (.json, .md, ...), else table. "
            f"Formats: {', '.join(offered)}.",
        )
        decorated: Command = option(formatted)
        return decorated

    return decorate


def _options(forms: Collection[str], help_text: str) -> tuple[Option, Option]:
    return (
        click.option(
            "--format",
            "form",
            type=click.Choice(tuple(forms)),
            metavar="FORMAT",
            help=f"{help_text} Default: by the suffix of --report (.json, .md, ...), else table. "
            f"Formats: {', '.join(forms)}.",
        ),
        click.option(
            "--output-format",
            "opperf_form",
            type=click.Choice(OPPERF_FORMS),
            help="Write opperf's report: its dictionary as JSON, its table as Markdown or CSV.",
        ),
    )


PLAIN = frozenset({"", ".txt", ".log"})
"""The suffixes of a report that is a table."""


def _form(form: str | None, opperf_form: str | None, file: Path | None, offered: Collection[str]) -> str:
    """The format's name. Raises UsageError for two of them."""
    if form and opperf_form:
        raise UsageError("--format and --output-format exclude each other: give one of them")
    if opperf_form:
        return f"opperf_{opperf_form}"
    return form or _suffix_form(file, offered)


def _suffix_form(file: Path | None, offered: Collection[str]) -> str:
    """The format that the file's suffix names; a table for .txt, without a suffix, or without a file.

    Raises UsageError for the suffix of run files, which are no report, and for one of no format.
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
