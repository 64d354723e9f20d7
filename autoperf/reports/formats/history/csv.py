"""A history as CSV: a row for each run, series or step."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.reports.csv_text import csv_line
from autoperf.reports.formats import text
from autoperf.reports.history import HistoryReport


def lines(report: HistoryReport) -> Iterator[str]:
    """The heading and the rows."""
    yield csv_line(column.csv for column in report.columns)
    for row in report.rows:
        yield csv_line(column.value(row) for column in report.columns)


FORMAT = text(lines)
