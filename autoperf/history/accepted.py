"""Steps that the repository's file accepts: they leave the list of changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autoperf.comparison.comparison import COUNT_THRESHOLD, THRESHOLD
from autoperf.comparison.expectations import Acceptance, Expectations, FigureKey
from autoperf.history.series import TOGETHER, HistoryChange, unit_of


class AcceptedStep(NamedTuple):
    """A step, and the line that accepts it."""

    change: HistoryChange
    line: Acceptance


def accepted_steps(found: Sequence[HistoryChange], expectations: Expectations) -> list[AcceptedStep]:
    """The slower changes that a line accepts, in their order.

    An accepted change starts a new level: a line accepts the next one only as far as both together stay within it.
    """
    spent: dict[tuple[str, str], float] = {}
    accepted: dict[int, Acceptance] = {}
    for change in sorted((each for each in found if each.ratio > 1), key=lambda each: each.decided):
        before = spent.get((change.case, change.figure), 1.0)
        if line := _line(change, expectations, before):
            accepted[id(change)] = line
            spent[change.case, change.figure] = before * change.ratio
    return [AcceptedStep(change, accepted[id(change)]) for change in found if id(change) in accepted]


def _line(change: HistoryChange, expectations: Expectations, before: float) -> Acceptance | None:
    """The line that accepts all figures of a change, after accepted ones of this ratio together."""
    keys = list(_keys(change))
    lines = [expectations.acceptance(key, before * change.low, _threshold(key, expectations)) for key in keys]
    return lines[0] if lines and all(lines) else None


def _threshold(key: FigureKey, expectations: Expectations) -> float:
    return expectations.threshold(key, THRESHOLD if unit_of(f"{key.pass_} {key.clock}") else COUNT_THRESHOLD)


def _keys(change: HistoryChange) -> Iterator[FigureKey]:
    figures = change.courses if change.figure == TOGETHER else [change.figure]
    for figure in figures:
        pass_, _, clock = figure.partition(" ")
        yield FigureKey(change.case, change.operator, change.category, change.profile, pass_, clock)
