"""A run as CSV: a row a case, times in microseconds, memory in bytes, empty where there is no figure."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.reports.columns import csv_columns
from autoperf.reports.csv_text import csv_line
from autoperf.reports.formats import text
from autoperf.reports.runs import RunReport


def lines(report: RunReport) -> Iterator[str]:
    """The heading, and each outcome's row as soon as it is there."""
    columns = csv_columns(report.view, report.columns, report.rows)
    yield csv_line(column.csv or column.name for column in columns)
    for outcome in report.rows:
        yield csv_line(column.value(outcome) for column in columns)


FORMAT = text(lines, columns=True, sort=True)
