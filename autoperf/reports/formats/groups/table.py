"""Groups on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from autoperf.reports.columns import filled, terminal_columns
from autoperf.reports.formats import Format
from autoperf.reports.groups import GroupedReport
from autoperf.reports.layout import hanging
from autoperf.reports.table import INDENT, fitted, hidden_line
from autoperf.reports.units import count, one_line

MIN_NAME = 26


def lines(report: GroupedReport, width: int) -> Iterator[Text]:
    """The heading, a row for each group, and the notes."""
    columns = filled(terminal_columns(report.view, report.columns), report.rows)
    table = fitted(columns, width, MIN_NAME, fixed=bool(report.view.columns))
    total = sum(group.count for group in report.groups)
    yield from table.heading(f"by {report.by}", count(total, report.noun))
    for group in report.rows:
        yield from table.rows(INDENT, [one_line(group.name)], [group])
    yield Text()
    for note in filter(None, (report.left_out, hidden_line(table.hidden, verbose=report.view.verbose), *report.notes)):
        yield from hanging("", note.split(), width, "dim")


FORMAT: Format[GroupedReport] = Format(lines, columns=True, sort=True)
