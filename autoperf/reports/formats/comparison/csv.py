"""A comparison as CSV: a row for each figure; what has no partner is not in it."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.reports.columns import csv_columns
from autoperf.reports.comparison import ComparisonReport
from autoperf.reports.csv_text import csv_line
from autoperf.reports.formats import text


def lines(report: ComparisonReport) -> Iterator[str]:
    """The heading, and a row for each figure."""
    columns = csv_columns(report.view, report.columns, report.rows)
    yield csv_line(column.csv or column.name for column in columns)
    for figure in report.rows:
        yield csv_line(column.value(figure) for column in columns)


FORMAT = text(lines, columns=True, sort=True)
