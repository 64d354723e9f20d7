"""The course of a series over its runs, as a page draws it."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from autoperf.reports.history import SeriesRow
from autoperf.reports.html.page import Course
from autoperf.reports.units import duration

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_NONE = " "


def course(row: SeriesRow) -> Course:
    """The values between the lowest and the highest, with the runs at which steps began."""
    low, high = min(row.present), max(row.present)
    return Course(
        label=row.figure,
        levels="".join(_levels(row, low, high)),
        ends=(duration(low), duration(high)),
        dates=(_day(row, 0), _day(row, -1)),
        steps=tuple(zip(row.starts, row.steps, strict=True)),
    )


def _levels(row: SeriesRow, low: float, high: float) -> Iterator[str]:
    scale = (len(_DIGITS) - 1) / (high - low) if high > low else 0.0
    for value in row.values:
        yield _NONE if isnan(value) else _DIGITS[round((value - low) * scale)]


def _day(row: SeriesRow, at: int) -> str:
    return row.runs[at].provenance.date.partition("T")[0] if row.runs else ""
