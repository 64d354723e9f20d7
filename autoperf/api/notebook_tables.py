"""Runs and comparisons as HTML tables with a picture, as a notebook shows them."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autoperf.analysis.comparison import ComparedFigure, Comparison, Verdict
from autoperf.core.outcome import Outcome
from autoperf.reports.comparison import sentence
from autoperf.reports.summary import StatusCounts, figure, peak, verdict
from autoperf.reports.units import describe_case, duration, size

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


RUN_COLUMNS = ("operator", "inputs", "forward", "backward", "memory", "forward with its 95% interval")
COMPARISON_COLUMNS = (
    *("operator", "inputs", "figure", "verdict", "new / base"),
    "faster and slower with the 95% interval",
)
_COLOURS = {Verdict.SLOWER: ORANGE, Verdict.FASTER: BLUE}


def run_table(outcomes: Sequence[Outcome]) -> str:
    """A row for each case, with a bar of its median forward time."""
    counts = StatusCounts()
    rows = [_outcome_row(counts.add(outcome)) for outcome in outcomes]
    return html_table(RUN_COLUMNS, rows, counts.summary().sentence())


def comparison_table(comparison: Comparison) -> str:
    """A row for each figure, with a bar of the logarithm of its ratio, so that halves and doubles are of one length."""
    return html_table(COMPARISON_COLUMNS, list(map(_compared_row, comparison.cases)), sentence(comparison))


def _outcome_row(outcome: Outcome) -> TableRow:
    forward, backward = figure(outcome.forward), figure(outcome.backward)
    case = describe_case(outcome)
    if forward is None:
        return TableRow((outcome.operator, case, verdict(outcome), "", ""))
    times = (duration(forward.median), duration(backward.median if backward else None))
    bar = Bar(forward.median, forward.low, forward.high)
    return TableRow((outcome.operator, case, *times, size(peak(outcome))), bar)


def _compared_row(compared: ComparedFigure) -> TableRow:
    figure_name = f"{compared.pass_} {compared.clock}"
    cells = (compared.operator, compared.inputs, figure_name, compared.verdict.value, f"{compared.ratio:.3f}")
    ratio, low, high = map(_logarithm, (compared.ratio, compared.low, compared.high))
    return TableRow(cells, None if ratio is None else Bar(ratio, low, high, _COLOURS.get(compared.verdict, GREY)))


def _logarithm(ratio: float) -> float | None:
    """None for a ratio without a logarithm, such as the end of an interval without bounds."""
    return math.log(ratio) if 0 < ratio < math.inf else None
