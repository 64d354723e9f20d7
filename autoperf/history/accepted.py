"""Steps that the repository's file accepts: they leave the list of changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autoperf.comparison.comparison import THRESHOLD
from autoperf.comparison.expectations import Acceptance, Expectations, FigureKey
from autoperf.history.series import TOGETHER, HistoryChange


class AcceptedStep(NamedTuple):
    """A step, and the line that accepts it."""

    change: HistoryChange
    line: Acceptance


def accepted_steps(found: Sequence[HistoryChange], expectations: Expectations) -> list[AcceptedStep]:
    """The slower changes that a line accepts, in their order."""
    lines = ((change, _line(change, expectations)) for change in found if change.ratio > 1)
    return [AcceptedStep(change, line) for change, line in lines if line]


def _line(change: HistoryChange, expectations: Expectations) -> Acceptance | None:
    """The line that accepts all figures of a change."""
    lines = [expectations.acceptance(key, change.low, expectations.threshold(key, THRESHOLD)) for key in _keys(change)]
    return lines[0] if lines and all(lines) else None


def _keys(change: HistoryChange) -> Iterator[FigureKey]:
    figures = change.courses if change.figure == TOGETHER else [change.figure]
    for figure in figures:
        pass_, _, clock = figure.partition(" ")
        yield FigureKey(change.case, change.operator, change.category, change.profile, pass_, clock)
