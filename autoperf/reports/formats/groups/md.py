"""Groups as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.reports.columns import filled, markdown_columns
from autoperf.reports.formats import text
from autoperf.reports.groups import GroupedReport
from autoperf.reports.markdown import bullets, cells, heading


def lines(report: GroupedReport) -> Iterator[str]:
    """The table, and the notes below it."""
    columns = filled(markdown_columns(report.view, report.columns), report.rows)
    yield heading([(column.title, column.right) for column in columns])
    for group in report.rows:
        yield cells(column.spell(group) for column in columns)
    yield from bullets("", filter(None, (report.left_out, *report.notes)))


FORMAT = text(lines, columns=True, sort=True)
