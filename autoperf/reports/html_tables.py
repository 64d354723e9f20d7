"""Small HTML tables with a picture: a bar and its interval beside each row, as notebooks show them."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MAX_ROWS = 200
"""The rows of a table; of more, the last line gives the number."""
BLUE, ORANGE, GREY = "#4878a8", "#c8641e", "#9a9a9a"
"""Colours that readers who don't see red and green can tell apart."""
_WIDTH, _HEIGHT = 180, 12
_MAX_REACH = 1.5
"""Maximum length of a drawn interval, relative to the longest bar."""


@dataclass(frozen=True)
class Bar:
    """A bar from 0 to a value, its interval as a line, and its colour."""

    value: float
    low: float | None = None
    high: float | None = None
    colour: str = BLUE


@dataclass(frozen=True)
class TableRow:
    """The texts of a row, and its bar; None for none."""

    cells: tuple[str, ...]
    bar: Bar | None = None


class _Axis(NamedTuple):
    """The values at both ends of all bars of a table."""

    first: float
    last: float

    def place(self, value: float) -> float:
        """The horizontal place of a value in pixels, within the picture."""
        share = (value - self.first) / (self.last - self.first)
        return round(_WIDTH * min(1.0, max(0.0, share)), 1)


def html_table(columns: Sequence[str], rows: Sequence[TableRow], summary: str = "") -> str:
    """The table, with the summary below. The last column has the bars, which share a scale."""
    shown = rows[:MAX_ROWS]
    axis = _axis([row.bar for row in shown if row.bar])
    heading = "".join(f'<th style="text-align:left">{html.escape(column)}</th>' for column in columns)
    body = "".join(f"<tr>{''.join(_cells(row, axis))}</tr>" for row in shown)
    more = f"<p>{len(rows) - MAX_ROWS:,} more rows</p>" if len(rows) > MAX_ROWS else ""
    below = f"<p>{html.escape(summary)}</p>" if summary else ""
    return f"<table><thead><tr>{heading}</tr></thead><tbody>{body}</tbody></table>{more}{below}"


def _axis(bars: Sequence[Bar]) -> _Axis:
    """The scale that holds all bars and their intervals up to the maximum length."""
    longest = max((abs(bar.value) for bar in bars), default=0.0) or 1.0
    ends = [end for bar in bars for end in (bar.value, bar.low, bar.high) if end is not None]
    reach = [max(-_MAX_REACH * longest, min(_MAX_REACH * longest, end)) for end in ends]
    first, last = min((0.0, *reach)), max((0.0, *reach))
    return _Axis(first, last if last > first else longest)


def _cells(row: TableRow, axis: _Axis) -> Iterator[str]:
    yield from (f'<td style="text-align:left">{html.escape(cell)}</td>' for cell in row.cells)
    picture = "".join(_shapes(row.bar, axis)) if row.bar else ""
    yield f'<td style="text-align:left"><svg width="{_WIDTH}" height="{_HEIGHT}" role="img">{picture}</svg></td>'


def _shapes(bar: Bar, axis: _Axis) -> Iterator[str]:
    """The bar, the line of its interval, and the line at 0."""
    zero, end = axis.place(0.0), axis.place(bar.value)
    yield f'<rect x="{min(zero, end)}" width="{abs(end - zero):.1f}" y="1" height="10" fill="{bar.colour}"/>'
    if bar.low is not None and bar.high is not None:
        low, high = axis.place(bar.low), axis.place(bar.high)
        caps = _cap(low, bar.low < axis.first, 3) + _cap(high, bar.high > axis.last, -3)
        yield f'<path d="M{low} 6H{high}{caps}" stroke="currentColor" fill="none"/>'
    yield f'<path d="M{zero} 0V{_HEIGHT}" stroke="currentColor"/>'


def _cap(place: float, is_beyond: bool, inward: int) -> str:
    """The end of an interval; the head of an arrow where it goes on beyond the picture."""
    return f"M{place + inward} 3L{place} 6L{place + inward} 9" if is_beyond else f"M{place} 3V9"
