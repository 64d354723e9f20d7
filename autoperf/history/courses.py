"""The courses of figures on pages: values by night, with the marks of what happened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import floor, log10

import numpy as np

from autoperf.history.report import changed_facts, day, direction, step_words
from autoperf.history.series import HistoryChange, unit_of
from autoperf.history.store import HistoryRun
from autoperf.reports.html.page import Course, Mark, Night
from autoperf.reports.provenance import short_revision
from autoperf.reports.units import one_line

DIGITS = 5
_OF_BUILD = ("MXNet's library", "the revision")
"""Facts that change with each build, which a nightly job measures."""


class Nights:
    """The runs of the courses of a page, each set of comparable ones once; the last `limit` ones of each."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._places: dict[tuple[int, ...], int] = {}
        self._sets: list[tuple[Night, ...]] = []

    def course(
        self, figure: str, values: Sequence[float], runs: Sequence[HistoryRun], marks: Iterable[Mark] = ()
    ) -> Course:
        """The values of a figure by run (NaN: none), times with as many digits as a chart and its readings need."""
        left = max(0, len(values) - (self._limit or len(values)))
        kept = tuple(Mark(mark.run - left, mark.kind, mark.text) for mark in marks if mark.run >= left)
        unit = unit_of(figure)
        drawn = rounded(values[left:]) if unit else tuple(values[left:])
        return Course(figure, unit, drawn, kept, self._place(runs, left))

    def _place(self, runs: Sequence[HistoryRun], left: int) -> int:
        key = tuple(run.run for run in (*runs[:1], *runs[-1:]))
        if key not in self._places:
            self._places[key] = len(self._sets)
            self._sets.append(nights_of(runs)[left:])
        return self._places[key]

    @property
    def sets(self) -> tuple[tuple[Night, ...], ...]:
        """The runs by position."""
        return tuple(self._sets)


def nights_of(runs: Sequence[HistoryRun]) -> tuple[Night, ...]:
    """The night of each run, with the facts that changed since the one before, except for the build's."""
    changed = ["", *("; ".join(_facts(last, now)) for last, now in pairwise(runs))]
    return tuple(Night(day(run), _build(run), one_line(words)) for run, words in zip(runs, changed, strict=True))


def _facts(last: HistoryRun, now: HistoryRun) -> Iterable[str]:
    facts = changed_facts(last, now)
    return (f"{name} changed from {was} to {new}" for name, was, new in facts if name not in _OF_BUILD)


def _build(run: HistoryRun) -> str:
    revision = short_revision(run.provenance.revision or "")
    return one_line(" ".join(filter(None, (f"run {run.run}", revision))))


def rounded(values: Sequence[float]) -> tuple[float, ...]:
    """The values with DIGITS significant digits of the largest one."""
    array = np.asarray(values, dtype=float)
    largest = float(np.nanmax(array, initial=0.0))
    return tuple(np.round(array, DIGITS - 1 - floor(log10(largest)) if largest > 0 else 0).tolist())


def step_mark(change: HistoryChange, accepted: str = "") -> Mark:
    """The mark of a change, with the line by which it is accepted, if any."""
    words = f"{step_words(change)}; accepted: {accepted}" if accepted else step_words(change)
    of_evidence = {"drift": " drift", "last run": " last run"}.get(change.evidence, "")
    return Mark(change.at, "accepted" if accepted else f"{direction(change)}{of_evidence}", one_line(words))
