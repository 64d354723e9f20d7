"""The columns of a comparison: what there is to say of one figure on both sides."""

from __future__ import annotations

from autoperf.analysis.comparison import ComparedFigure, Verdict
from autoperf.core.clocks import clock_named
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.units import NONE, factor, quantity


def spell(ratio: float) -> str:
    """A ratio with the digits that it deserves: `1.103`, `12.4`, `0.0052`."""
    return f"{ratio:.3f}" if 0.1 <= ratio < 10 else f"{ratio:.3g}"


def interval(one: ComparedFigure) -> str:
    """`[1.05, 1.16]`."""
    return f"[{_short(one.low)}, {_short(one.high)}]"


def reading(value: float, figure: ComparedFigure) -> str:
    """A side's value in the unit of the figure's clock: `12.3 us`."""
    return quantity(value, clock_named(figure.clock).unit)


def change(one: ComparedFigure) -> str | None:
    """How many times faster or slower, where that is the verdict: `2.15x faster`."""
    if one.verdict is Verdict.FASTER:
        return f"{factor(1 / one.ratio)}x faster"
    return f"{factor(one.ratio)}x slower" if one.verdict is Verdict.SLOWER else None


def _short(ratio: float) -> str:
    return f"{ratio:.2f}" if 0.1 <= ratio < 100 else f"{ratio:.2g}"


COLUMNS: tuple[Column[ComparedFigure], ...] = (
    fact("case", lambda one: one.case, place=Place.LEAD),
    fact("verdict", lambda one: one.verdict.value, place=Place.LEAD),
    fact("operator", lambda one: one.operator),
    fact("category", lambda one: one.category),
    fact("profile", lambda one: one.profile),
    fact("inputs", lambda one: one.inputs, place=Place.LEAD),
    Column("pass", "pass", lambda one: one.pass_, csv="pass", place=Place.FIGURE, right=False),
    Column("clock", "clock", lambda one: one.clock, csv="clock", place=Place.FIGURE, right=False, room=8),
    Column(
        "base",
        "base",
        lambda one: one.base_us,
        lambda one: reading(one.base_us, one),
        unit="us",
        csv="base_us",
        place=Place.FIGURE,
    ),
    Column(
        "new",
        "new",
        lambda one: one.new_us,
        lambda one: reading(one.new_us, one),
        unit="us",
        csv="new_us",
        place=Place.FIGURE,
    ),
    Column(
        "ratio", "ratio", lambda one: one.ratio, lambda one: spell(one.ratio), csv="ratio", place=Place.FIGURE, room=8
    ),
    Column("interval", "95% interval", lambda one: one.high / one.low, interval, place=Place.FIGURE, room=16),
    Column("change", "change", change, lambda one: change(one) or NONE, place=Place.FIGURE, optional=True, room=14),
    Column("low", "low", lambda one: one.low, csv="low"),
    Column("high", "high", lambda one: one.high, csv="high"),
    Column("p", "p", lambda one: one.p, csv="p"),
    Column("q", "q", lambda one: one.q, csv="q"),
    Column("base_processes", "base processes", lambda one: one.base_processes, csv="base_processes"),
    Column("new_processes", "new processes", lambda one: one.new_processes, csv="new_processes"),
)
"""In the order of the CSV."""
