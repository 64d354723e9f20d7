"""The page of a history: its changes as cards, its series over time, its steps, or its runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from math import floor, log10

import numpy as np

from autoperf.core.releases import release_title
from autoperf.core.texts import count
from autoperf.history import report
from autoperf.history.series import HistoryChange, unit_of
from autoperf.history.store import HistoryRun
from autoperf.reports.columns import Column, fact
from autoperf.reports.html.page import BAR_DIGITS, Card, CardSide, Course, Detail, Mark, Night, Page, RatioBar, Tile
from autoperf.reports.provenance import short_revision
from autoperf.reports.units import change_words, factor, one_line, quantity
from autoperf.summary.page import page_table

DIGITS = 5
_OF_BUILD = ("MXNet's library", "the revision")
"""Facts that change with each build, which a nightly job measures."""


class Nights:
    """The runs of the courses of a page, each set of comparable ones once; the last `limit` ones of each."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._places: dict[tuple[int, ...], int] = {}
        self.sets: list[tuple[Night, ...]] = []

    def course(
        self, figure: str, values: Sequence[float], runs: Sequence[HistoryRun], marks: Iterable[Mark] = ()
    ) -> Course:
        """The values of a figure by run (NaN: none), times with as many digits as a chart and its readings need."""
        left = max(0, len(values) - (self._limit or len(values)))
        kept = tuple(Mark(mark.run - left, mark.kind, mark.text) for mark in marks if mark.run >= left)
        unit = unit_of(figure)
        drawn = rounded(values[left:]) if unit else tuple(values[left:])
        key = tuple(run.run for run in (*runs[:1], *runs[-1:]))
        if key not in self._places:
            self._places[key] = len(self.sets)
            self.sets.append(nights_of(runs)[left:])
        return Course(figure, unit, drawn, kept, self._places[key])


def nights_of(runs: Sequence[HistoryRun]) -> tuple[Night, ...]:
    """The night of each run, with the facts that changed since the one before, except for the build's."""
    changed = [(), *(report.changed_facts(last, now) for last, now in pairwise(runs))]
    words = (
        "; ".join(f"{name} changed from {was} to {new}" for name, was, new in facts if name not in _OF_BUILD)
        for facts in changed
    )
    names = (f"run {run.run} {short_revision(run.provenance.revision or '')}".rstrip() for run in runs)
    rows = zip(runs, names, words, strict=True)
    return tuple(Night(report.day(run), one_line(name), one_line(text)) for run, name, text in rows)


def rounded(values: Sequence[float]) -> tuple[float, ...]:
    """The values with DIGITS significant digits of the largest one."""
    array = np.asarray(values, dtype=float)
    largest = float(np.nanmax(array, initial=0.0))
    return tuple(np.round(array, DIGITS - 1 - floor(log10(largest)) if largest > 0 else 0).tolist())


def step_mark(change: HistoryChange, accepted: str = "") -> Mark:
    """The mark of a change, with the line by which it is accepted, if any."""
    words = f"{report.step_words(change)}; accepted: {accepted}" if accepted else report.step_words(change)
    of_evidence = {"drift": " drift", "last run": " last run"}.get(change.evidence, "")
    return Mark(change.at, "accepted" if accepted else f"{report.direction(change)}{of_evidence}", one_line(words))


_FILTERS = ("profile", "figure", "release", "last step")
_HIDDEN = ("case", "build", "decided", "high", "changed", "weekly", "machine_ratio", "control")
_SUBTITLE = {
    "series": "medians by run; a step is a level that changed and stayed",
    "changes": "levels that changed and stayed, since which run",
    "runs": "runs in the history",
}
MAX_CARDS = 10


def history_page(shown: report.HistoryReport) -> Page:
    """The changes as cards, the rows as a table, and a section for each operator with its courses."""
    nights = Nights()
    rows: Sequence[report.SeriesRow] = shown.rows if shown.name == "series" else ()
    changes: Sequence[HistoryChange] = shown.rows if shown.name == "changes" else ()
    sets = (next(members).runs for _, members in groupby(rows, key=lambda row: id(row.runs)))
    columns = [*shown.columns, *(_STEP_COLUMNS if rows else ())]
    table = page_table(shown.name.capitalize(), columns, shown.rows, hidden=_HIDDEN, filters=_FILTERS)
    tiles = [Tile(shown.name, str(len(shown.rows)))]
    if rows:
        steps = [_last_step(row) for row in rows]
        tiles += (
            Tile("operators", str(len({row.case.operator for row in rows}))),
            Tile("runs", str(max(len(row.present) for row in rows))),
            Tile("became slower", str(steps.count("slower")), "bad" if "slower" in steps else ""),
            Tile("became faster", str(steps.count("faster")), "good" if "faster" in steps else ""),
        )
    return Page(
        title="Operator benchmarks over time",
        subtitle=_SUBTITLE[shown.name],
        answer=tuple(shown.answer),
        cards=tuple(_cards(shown)),
        tiles=tuple(tiles),
        facts=tuple((release_title(runs[0].provenance.release), span_words(runs)) for runs in sets),
        notes=() if rows else (shown.summary,),
        tables=(*(page_table("Results", each.columns, each.rows, hidden=_HIDDEN) for each in shown.results), table),
        details=tuple(_details(rows, changes, nights)),
        nights=tuple(nights.sets),
    )


def _cards(shown: report.HistoryReport) -> Iterator[Card]:
    """The largest changes, each with the details of its row: of a series, or of the change itself."""
    # Of several rows with a change, the first.
    rows = reversed([*enumerate(shown.rows)])
    places = {_key(change): position for position, row in rows for change in report.steps_of(row)}
    for change in shown.changes[:MAX_CARDS]:
        title = f"{change.case.operator} {change.figure} {report.when(change)}: {change.case.inputs}"
        yield Card(one_line(title), places[_key(change)])


def _key(change: HistoryChange) -> tuple[str, str, int]:
    return change.case.id, change.figure, change.first.run


def _last_step(row: report.SeriesRow) -> str | None:
    return report.direction(row.steps[-1]) if row.steps else None


def _change(row: report.SeriesRow) -> float | None:
    """The product of all steps of a series, as a ratio; None without a step."""
    return float(np.prod([step.ratio for step in row.steps])) if row.steps else None


_STEP_COLUMNS: tuple[Column[report.SeriesRow], ...] = (
    fact("last step", _last_step),
    Column("change", "change", _change, lambda row: change_words(_change(row) or 1.0), unit="ratio"),
)


def span_words(runs: Sequence[HistoryRun]) -> str:
    """`365 runs from 2025-11-01 to 2026-10-31, on nightly`."""
    machine = runs[0].provenance.machine
    return one_line(f"{count(len(runs), 'run')} from {report.day(runs[0])} to {report.day(runs[-1])}, on {machine}")


def _details(rows: Sequence[report.SeriesRow], changes: Sequence[HistoryChange], nights: Nights) -> Iterator[Detail]:
    """The course of each series, or of the figures of each change; the sides are those of the last step."""
    for row in rows:
        title = _title(row)
        courses = (nights.course(row.figure, row.values, row.runs, map(step_mark, row.steps)),)
        yield change_detail(title, row.steps[-1], courses) if row.steps else Detail(title=title, courses=courses)
    for change in changes:
        yield change_detail(_title(change), change, change_courses(change, nights))


def _title(row: report.SeriesRow | HistoryChange) -> str:
    return one_line(f"{' '.join(filter(None, (row.case.profile, row.figure)))}: {row.case.inputs}")


def change_courses(change: HistoryChange, nights: Nights) -> tuple[Course, ...]:
    """The courses of a change's figures."""
    marks = [step_mark(change)]
    return tuple(nights.course(figure, times, change.runs, marks) for figure, times in change.courses.items())


def change_detail(title: str, change: HistoryChange, courses: tuple[Course, ...]) -> Detail:
    """Both levels beside each other, with the facts that changed between them, and the ratio as a bar."""
    facts = list(report.changed_facts(change.last, change.first))
    was = tuple((one_line(f"{name}: {value}"), True) for name, value, _ in facts)
    now = tuple((one_line(f"{name}: {value}"), True) for name, _, value in facts)
    ratio = max(change.ratio, 1 / change.ratio)
    low, high = sorted(round(min(end, 1 / end), BAR_DIGITS) for end in (change.low, change.high))
    words = f"{factor(ratio)} times {report.interval(change)} {report.direction(change)}"
    labels = ("before", "after") if change.ratio > 1 else ("after", "before")
    return Detail(
        title=title,
        sides=(
            CardSide(f"until {report.day(change.last)}", _level(change, change.before_us), was),
            CardSide(report.when(change), _level(change, change.after_us), now),
        ),
        bar=RatioBar(words, round(1 / ratio, BAR_DIGITS), (low, high), labels, "bad" if change.ratio > 1 else "good"),
        notes=() if facts else (report.facts_words(change),),
        courses=courses,
    )


def _level(change: HistoryChange, value: float | None) -> str:
    return "" if value is None else quantity(value, unit_of(change.figure))
