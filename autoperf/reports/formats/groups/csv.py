"""Groups as CSV: a row each."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.reports.columns import csv_columns
from autoperf.reports.csv_text import csv_line
from autoperf.reports.formats import text
from autoperf.reports.groups import GroupedReport


def lines(report: GroupedReport) -> Iterator[str]:
    """The heading, and a row for each group."""
    columns = csv_columns(report.view, report.columns, report.rows)
    yield csv_line(column.csv or column.name for column in columns)
    for group in report.rows:
        yield csv_line(column.value(group) for column in columns)


FORMAT = text(lines, columns=True, sort=True)
