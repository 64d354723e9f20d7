"""Small HTML tables with bars, as notebooks show them."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MAX_ROWS = 200
"""The rows of a table; of more, the last line gives the number."""
_BAR_WIDTH = 120


@dataclass(frozen=True)
class TableRow:
    """The texts of a row, and the number that its bar shows; None for no bar."""

    cells: tuple[str, ...]
    amount: float | None = None


def html_table(columns: Sequence[str], rows: Sequence[TableRow]) -> str:
    """The table, with a bar beside each row that has an amount; the longest bar is the largest amount."""
    largest = max((row.amount for row in rows[:MAX_ROWS] if row.amount), default=0.0)
    heading = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join(_row(row, largest) for row in rows[:MAX_ROWS])
    more = f"<p>{len(rows) - MAX_ROWS:,} more rows</p>" if len(rows) > MAX_ROWS else ""
    return f"<table><thead><tr>{heading}<th></th></tr></thead><tbody>{body}</tbody></table>{more}"


def _row(row: TableRow, largest: float) -> str:
    return f"<tr>{''.join(_cells(row, largest))}</tr>"


def _cells(row: TableRow, largest: float) -> Iterator[str]:
    yield from (f'<td style="text-align:left">{html.escape(cell)}</td>' for cell in row.cells)
    width = round(_BAR_WIDTH * row.amount / largest, 1) if row.amount and largest else 0
    yield (
        f'<td style="text-align:left"><svg width="{_BAR_WIDTH}" height="10" role="img">'
        f'<rect width="{width}" height="10" fill="#4878a8"/></svg></td>'
    )
