"""A history on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from autoperf.reports.columns import Place
from autoperf.reports.formats import Format
from autoperf.reports.history import HistoryReport, SeriesRow, blocks
from autoperf.reports.layout import hanging
from autoperf.reports.table import INDENT, fitted
from autoperf.reports.units import split_words

MIN_WORDS = 30


def lines(report: HistoryReport, width: int) -> Iterator[Text]:
    """The heading, the rows, for a series its course and its steps, and the summary."""
    leading = [column for column in report.columns if column.place is Place.LEAD]
    table = fitted([column for column in report.columns if column.place is Place.FIGURE], width, MIN_WORDS)
    yield from table.heading(report.name, report.summary)
    for row in report.rows:
        words = [text for column in leading if (text := column.spell(row))]
        yield from table.rows(INDENT, split_words(" ".join(words)), [row])
        if isinstance(row, SeriesRow):
            yield Text(f"{INDENT * 2}{blocks(row.values)}")
        for step in row.steps if isinstance(row, SeriesRow) else ():
            yield from hanging(INDENT * 2, step.split(), width, "yellow")


FORMAT: Format[HistoryReport] = Format(lines)
