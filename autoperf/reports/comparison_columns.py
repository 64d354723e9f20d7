"""The columns of a comparison: a row is one figure on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autoperf.analysis.comparison import CHANGED, ComparedFigure
from autoperf.core.clocks import metric_named
from autoperf.reports.columns import Column, Place, fact, noted
from autoperf.reports.units import NONE, change_words, factor, quantity

SIDES = ("base", "new")
FIRST = ("verdict", "ratio", "interval")
"""The first columns of tables; the CSV has its own order."""


def spell(ratio: float) -> str:
    """A ratio with three decimals, or three significant digits if small or large: `1.103`, `12.4`, `0.0052`."""
    return f"{ratio:.3f}" if 0.1 <= ratio < 10 else f"{ratio:.3g}"


def interval(figure: ComparedFigure) -> str:
    """`[1.05, 1.16]`."""
    return f"[{_short(figure.low)}, {_short(figure.high)}]"


def reading(value: float, figure: ComparedFigure) -> str:
    """A side's value in the unit of the figure's clock: `12.3 us`."""
    return quantity(value, metric_named(figure.clock).unit)


def change(figure: ComparedFigure) -> str | None:
    """The factor where the verdict is faster or slower, else None: `2.15x faster`."""
    return change_words(figure.ratio) if figure.verdict in CHANGED else None


def _short(ratio: float) -> str:
    if ratio < 0.1:
        return f"{ratio:.2g}"
    return f"{ratio:.2f}" if ratio < 10 else factor(ratio)


def _time(side: str) -> Column[ComparedFigure]:
    """The time of `base` or `new`."""

    def value(figure: ComparedFigure) -> float:
        return float(getattr(figure, f"{side}_us"))

    return Column(
        side, side, value, lambda figure: reading(value(figure), figure),
        unit="us", csv=f"{side}_us", place=Place.FIGURE,
    )  # fmt: skip


COLUMNS: tuple[Column[ComparedFigure], ...] = (
    fact("case", lambda figure: figure.case, place=Place.LEAD),
    fact("verdict", lambda figure: figure.verdict.value, place=Place.LEAD),
    fact("operator", lambda figure: figure.operator),
    fact("category", lambda figure: figure.category),
    fact("profile", lambda figure: figure.profile),
    fact("inputs", lambda figure: figure.inputs, place=Place.LEAD),
    Column("pass", "pass", lambda figure: figure.pass_, csv="pass", place=Place.FIGURE, right=False),
    Column("clock", "clock", lambda figure: figure.clock, csv="clock", place=Place.FIGURE, right=False, room=8),
    _time("base"),
    _time("new"),
    Column(
        "ratio",
        "ratio",
        lambda figure: figure.ratio,
        lambda figure: spell(figure.ratio),
        csv="ratio",
        place=Place.FIGURE,
        room=8,
    ),
    Column("interval", "95% interval", lambda figure: figure.high / figure.low, interval, place=Place.FIGURE, room=16),
    Column("change", "change", change, lambda figure: change(figure) or NONE, optional=True, room=14),
    fact("statistic", lambda figure: figure.statistic),
    Column("low", "low", lambda figure: figure.low, csv="low"),
    Column("high", "high", lambda figure: figure.high, csv="high"),
    Column("p", "p", lambda figure: figure.p, csv="p"),
    Column("q", "q", lambda figure: figure.q, csv="q"),
    Column("base_processes", "base processes", lambda figure: figure.base_processes, csv="base_processes"),
    Column("new_processes", "new processes", lambda figure: figure.new_processes, csv="new_processes"),
    noted(lambda figure: figure.notes or ()),
)
"""In the order of the CSV."""


def columns_of(figures: Sequence[ComparedFigure]) -> tuple[Column[ComparedFigure], ...]:
    """The columns of these measurements; the headers of the times name their statistic unless it is the median."""
    statistics = {figure.statistic for figure in figures}
    if statistics != {"P10"}:
        return COLUMNS
    return tuple(
        replace(column, header=f"{column.header} P10") if column.name in SIDES else column for column in COLUMNS
    )
