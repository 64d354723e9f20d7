"""Results as a chart of matplotlib: a dot with its interval for each row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autoperf.core.errors import UsageError
from autoperf.reports.units import flow, split_words

BLUE, ORANGE, PURPLE, GREY = "#2f74c0", "#c8641e", "#8e5bb0", "#808890"
"""Colours that readers who don't see red and green can tell apart, on light and dark grounds."""
MAX_MARKS = 40
_NAME_WIDTH = 44
_WIDTH, _LINE_HEIGHT, _FRAME_HEIGHT = 9.0, 0.21, 1.3
_BEYOND = 1.15
"""The factor beyond the dots and the finite intervals within their reach at which the axis ends."""


@dataclass(frozen=True)
class Mark:
    """A dot: the name of its row, its value, both ends of its interval, and the group that its colour stands for."""

    name: str
    value: float
    low: float
    high: float
    group: str
    colour: str


def dot_chart(marks: Sequence[Mark], title: str, label: str, axes: Any = None, equal: float | None = None) -> Any:
    """A dot and an interval for each mark on a logarithmic axis, rows from the top; marks of one name share a row.

    `equal` is the value of a line. An interval that goes on beyond the axis ends in an arrow. Returns the axes. Raises
    UsageError without matplotlib, and without marks.
    """
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415 - matplotlib is optional
    except ImportError:
        raise UsageError("a plot needs matplotlib: run `pip install 'matplotlib>=3.7'`") from None
    if not marks:
        raise UsageError("nothing to plot: no row has a value")
    names = list(dict.fromkeys(mark.name for mark in marks))
    texts = ["\n".join(flow(split_words(name), _NAME_WIDTH, _NAME_WIDTH)) for name in names]
    if axes is None:
        lines = sum(text.count("\n") + 1.6 for text in texts)
        _, axes = plt.subplots(figsize=(_WIDTH, _FRAME_HEIGHT + _LINE_HEIGHT * lines), layout="constrained")
    low, high = _limits(marks, equal)
    axes.set(xscale="log", xlim=(low, high), xlabel=label, title=title)
    _label_ticks(axes, low, high)
    places = _places(texts)
    axes.set_yticks(places, texts, fontsize="small")
    axes.set_ylim(places[-1] + 1.2, places[0] - 1.2)
    _draw(axes, marks, dict(zip(names, places, strict=True)))
    if equal is not None:
        axes.axvline(equal, color=GREY, linewidth=1, zorder=0)
    if len({mark.group for mark in marks}) > 1:
        axes.legend(loc="best", fontsize="small")
    return axes


def _places(texts: Sequence[str]) -> list[float]:
    """The heights of rows, in lines from the top, so that names of several lines don't overlap."""
    places, top = [], 0.0
    for text in texts:
        room = text.count("\n") + 1.6
        places.append(top + room / 2)
        top += room
    return places


def _limits(marks: Sequence[Mark], equal: float | None) -> tuple[float, float]:
    """The ends of the axis, from the values and the intervals up to ten times as far."""
    values = [mark.value for mark in marks] + ([] if equal is None else [equal])
    least, most = min(values), max(values)
    ends = [end for mark in marks for end in (mark.low, mark.high) if least / 10 <= end <= most * 10]
    return min((least, *ends)) / _BEYOND, max((most, *ends)) * _BEYOND


def _label_ticks(axes: Any, low: float, high: float) -> None:
    """Plain numbers at powers of ten; also between them where the axis has few."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: PLC0415 - matplotlib is optional

    few = math.log10(high / low) < 2
    plain = FuncFormatter(lambda value, _: f"{value:.6g}")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5) if few else (1,)))
    axes.xaxis.set_major_formatter(plain)
    axes.xaxis.set_minor_formatter(plain if math.log10(high / low) < 0.5 else NullFormatter())


def _draw(axes: Any, marks: Sequence[Mark], places: dict[str, float]) -> None:
    """The marks of each group in its colour; those of one row stand beside each other."""
    groups = list(dict.fromkeys(mark.group for mark in marks))
    low, high = axes.get_xlim()
    for number, group in enumerate(groups):
        members = [mark for mark in marks if mark.group == group]
        shift = 0.35 * (number - (len(groups) - 1) / 2) if len(places) < len(marks) else 0.0
        heights = [places[mark.name] + shift for mark in members]
        values, colour = [mark.value for mark in members], members[0].colour
        lows = [max(mark.low, low) for mark in members]
        highs = [min(mark.high, high) for mark in members]
        axes.hlines(heights, lows, highs, color=colour, linewidth=1.5)
        axes.plot(values, heights, "os^D"[number % 4], color=colour, label=group, markersize=5)
        for mark, height in zip(members, heights, strict=True):
            for is_beyond, place, arrow in ((mark.low < low, low, "<"), (mark.high > high, high, ">")):
                if is_beyond:
                    axes.plot([place], [height], arrow, color=colour, clip_on=False)
