"""Tables of a page, made from the columns of a report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from autoperf.reports.columns import Column
from autoperf.reports.html.page import Cell, PageColumn, PageTable
from autoperf.reports.units import one_line

Row = TypeVar("Row")
DIGITS = 5


def page_table(
    title: str,
    columns: Sequence[Column[Row]],
    rows: Iterable[Row],
    *,
    hidden: Collection[str] = (),
    filters: Collection[str] = (),
) -> PageTable:
    """A table of these rows. `hidden` columns are shown on request; the values of `filters` are chosen from a list."""
    heads = tuple(
        PageColumn(column.name, column.title, column.unit, column.right, column.name in filters, column.name in hidden)
        for column in columns
    )
    return PageTable(title, heads, tuple(tuple(cell(column, row) for column in columns) for row in rows))


def cell(column: Column[Row], row: Row) -> Cell:
    """What a row says in a column: its text, or its figure with the spelling of the terminal."""
    value = column.value(row)
    if value is None:
        return None
    text = one_line(column.spell(row))
    return text if isinstance(value, str) else (rounded(value), text)


def rounded(value: float) -> float:
    """The value with as many digits as a position in a chart or an order needs."""
    return float(f"{value:.{DIGITS}g}")
