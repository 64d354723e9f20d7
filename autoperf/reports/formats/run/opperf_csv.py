"""The table of opperf's Markdown file as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.reports.csv_text import csv_line
from autoperf.reports.formats import text
from autoperf.reports.opperf import table_rows
from autoperf.reports.runs import RunReport


def lines(report: RunReport) -> Iterator[str]:
    """The heading and the rows."""
    yield from map(csv_line, table_rows(report))


FORMAT = text(lines, sort=True)
