"""A history as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.reports.columns import Place
from autoperf.reports.formats import text
from autoperf.reports.history import HistoryReport
from autoperf.reports.markdown import cells, escape, heading


def lines(report: HistoryReport) -> Iterator[str]:
    """The table, and the summary below it."""
    columns = [column for column in report.columns if column.place is not Place.REQUEST]
    yield heading([(column.title, column.right) for column in columns])
    for row in report.rows:
        yield cells(column.spell(row) for column in columns)
    yield f"\n{escape(report.summary)}\n"


FORMAT = text(lines)
