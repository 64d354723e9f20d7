"""Exact counts on the page of a comparison: bars of the parts of both sides, and the functions that differ."""

from __future__ import annotations

from autoperf.comparison.code_changes import change
from autoperf.comparison.comparison import ComparedFigure
from autoperf.counts.difference import CodeDifference
from autoperf.reports.html.page import Bar, Detail, DetailTable
from autoperf.reports.units import one_line

MAX_ROWS = 12
"""Maximum number of functions that a page lists for a pass."""
_HEADS = ("function", "part", "base", "new", "change")


def counted_detail(figure: ComparedFigure, code: CodeDifference) -> Detail:
    """What the kernels of a pass execute on both sides, in a sentence, as bars and as a table of functions."""
    words = f"{code.base:,} -> {code.new:,} instructions of kernels, {_judged(figure, code)}"
    return Detail(
        notes=(f"{figure.pass_}: {words}", *map(one_line, figure.notes or ())),
        bars=() if code.identical else _bars(code),
        tables=(_functions(code),) if code.functions else (),
    )


def _judged(figure: ComparedFigure, code: CodeDifference) -> str:
    if code.identical:
        return "identical code"
    exact = "exact" if figure.low == figure.high else f"{figure.low:.5f} to {figure.high:.5f} in the counted calls"
    return f"{change(figure.ratio)} ({exact})"


def _bars(code: CodeDifference) -> tuple[Bar, ...]:
    """A bar for each side, divided among the parts that either executes."""
    return tuple(
        Bar(
            f"{side} {sum(sides[at] for sides in code.parts.values()):,}",
            tuple((name, float(sides[at]), f"{sides[at]:,} instructions") for name, sides in code.parts.items()),
        )
        for at, side in enumerate(("base", "new"))
    )


def _functions(code: CodeDifference) -> DetailTable:
    rows = [
        (one_line(each.name), each.part, f"{each.base:,}", f"{each.new:,}", f"{each.change:+,}")
        for each in code.functions[:MAX_ROWS]
    ]
    rest = code.functions[MAX_ROWS:]
    base, new = (sum(getattr(each, side) for each in rest) for side in ("base", "new"))
    more = [(f"{len(rest)} others", "", f"{base:,}", f"{new:,}", f"{new - base:+,}")] if rest else []
    return DetailTable((_HEADS, *rows, *more))
