"""The page of a history: its changes as cards, its series over time, its steps, or its runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from math import isnan

import numpy as np

from autoperf.core.releases import release_title
from autoperf.history.report import (
    HistoryReport,
    SeriesRow,
    changed_facts,
    day,
    direction,
    facts_words,
    interval,
    result_tables,
    step_words,
    steps_of,
    when,
)
from autoperf.history.series import HistoryChange, unit_of
from autoperf.history.store import HistoryRun
from autoperf.reports.columns import Column, fact
from autoperf.reports.html.page import Band, Card, CardSide, Course, Detail, Page, RatioBar, Tile
from autoperf.reports.units import change_words, count, factor, one_line, quantity
from autoperf.summary.page_parts import LEVELS, page_table

_FILTERS = ("profile", "figure", "release", "last step")
_HIDDEN = ("case", "build", "decided", "high", "changed")
_SUBTITLE = {
    "series": "medians by run; a step is a level that changed and stayed",
    "changes": "levels that changed and stayed, since which run",
    "runs": "runs in the history",
}
MAX_CARDS = 10
_NORMAL, _TO_DEVIATION = 1.96, 1.4826


def history_page(report: HistoryReport) -> Page:
    """The changes as cards, the rows as a table, and a section for each operator with its courses."""
    rows: Sequence[SeriesRow] = report.rows if report.name == "series" else ()
    changes: Sequence[HistoryChange] = report.rows if report.name == "changes" else ()
    columns = [*report.columns, *(_STEP_COLUMNS if rows else ())]
    table = page_table(report.name.capitalize(), columns, report.rows, hidden=_HIDDEN, filters=_FILTERS)
    results = result_tables(report)
    return Page(
        title="Operator benchmarks over time",
        subtitle=_SUBTITLE[report.name],
        answer=tuple(report.answer),
        cards=tuple(_cards(report)),
        tiles=tuple(_tiles(report, rows)),
        facts=tuple(_facts(rows)),
        notes=() if rows else (report.summary,),
        tables=(*(page_table("Results", each.columns, each.rows, hidden=_HIDDEN) for each in results), table),
        details=(*map(_series_detail, rows), *map(_change_detail, changes)),
    )


def _cards(report: HistoryReport) -> Iterator[Card]:
    """The largest changes, each with the details of its row: of a series, or of the change itself."""
    places: dict[tuple[str, str, int], int] = {}
    for position, row in enumerate(report.rows):
        for change in steps_of(row):
            places.setdefault(_key(change), position)
    for change in report.changes[:MAX_CARDS]:
        title = f"{change.operator} {change.figure} {when(change)}: {change.inputs}"
        yield Card(one_line(title), places[_key(change)])


def _key(change: HistoryChange) -> tuple[str, str, int]:
    return change.case, change.figure, change.first.run


def _last_step(row: SeriesRow) -> str | None:
    return direction(row.steps[-1]) if row.steps else None


def _change(row: SeriesRow) -> float | None:
    """The product of all steps of a series, as a ratio; None without a step."""
    return float(np.prod([step.ratio for step in row.steps])) if row.steps else None


_STEP_COLUMNS: tuple[Column[SeriesRow], ...] = (
    fact("last step", _last_step),
    Column("change", "change", _change, lambda row: change_words(_change(row) or 1.0), unit="ratio"),
)


def _tiles(report: HistoryReport, rows: Sequence[SeriesRow]) -> Iterator[Tile]:
    yield Tile(report.name, str(len(report.rows)))
    if rows:
        steps = [_last_step(row) for row in rows]
        yield Tile("operators", str(len({row.operator for row in rows})))
        yield Tile("runs", str(max(len(row.present) for row in rows)))
        yield Tile("became slower", str(steps.count("slower")), "bad" if "slower" in steps else "")
        yield Tile("became faster", str(steps.count("faster")), "good" if "faster" in steps else "")


def _facts(rows: Sequence[SeriesRow]) -> Iterator[tuple[str, str]]:
    """The runs of each set of comparable ones."""
    for _, members in groupby(rows, key=lambda row: id(row.runs)):
        runs = next(members).runs
        if runs:
            yield release_title(runs[0].provenance.release), _span(runs)


def _span(runs: Sequence[HistoryRun]) -> str:
    machine = runs[0].provenance.machine
    return one_line(f"{count(len(runs), 'run')} from {day(runs[0])} to {day(runs[-1])}, on {machine}")


def _series_detail(row: SeriesRow) -> Detail:
    """The course of a series; the sides are those of its last step."""
    title = one_line(f"{' '.join(filter(None, (row.profile, row.figure)))}: {row.inputs}")
    courses = (course(row.figure, row.values, row.runs, row.steps),)
    return _detail(title, row.steps[-1], courses) if row.steps else Detail(title=title, courses=courses)


def _change_detail(change: HistoryChange) -> Detail:
    title = one_line(f"{' '.join(filter(None, (change.profile, change.figure)))}: {change.inputs}")
    courses = (course(figure, times, change.runs, [change]) for figure, times in change.courses.items())
    return _detail(title, change, tuple(courses))


def _detail(title: str, change: HistoryChange, courses: tuple[Course, ...]) -> Detail:
    """Both levels beside each other, with the facts that changed between them, and the ratio as a bar."""
    facts = list(changed_facts(change.last, change.first))
    was = tuple((one_line(f"{name}: {value}"), True) for name, value, _ in facts)
    now = tuple((one_line(f"{name}: {value}"), True) for name, _, value in facts)
    return Detail(
        title=title,
        sides=(
            CardSide(f"until {day(change.last)}", _level(change, change.before_us), was),
            CardSide(when(change), _level(change, change.after_us), now),
        ),
        bar=_bar(change),
        notes=() if facts else (facts_words(change),),
        courses=courses,
    )


def _level(change: HistoryChange, value: float | None) -> str:
    return "" if value is None else quantity(value, unit_of(change.figure))


def _bar(change: HistoryChange) -> RatioBar:
    ratio = max(change.ratio, 1 / change.ratio)
    ends = sorted(min(end, 1 / end) for end in (change.low, change.high))
    words = f"{factor(ratio)} times {interval(change)} {direction(change)}"
    labels = ("before", "after") if change.ratio > 1 else ("after", "before")
    return RatioBar(words, 1 / ratio, (ends[0], ends[1]), labels, "bad" if change.ratio > 1 else "good")


_NONE = " "


def course(
    figure: str, values: Sequence[float], runs: Sequence[HistoryRun], steps: Sequence[HistoryChange] = ()
) -> Course:
    """The values between the lowest and the highest, with the nights at which steps began and the bands of levels."""
    present = [value for value in values if not isnan(value)]
    low, high = min(present), max(present)
    scale = (len(LEVELS) - 1) / (high - low) if high > low else 0.0
    return Course(
        label=figure,
        levels="".join(_NONE if isnan(value) else LEVELS[round((value - low) * scale)] for value in values),
        ends=(quantity(low, unit_of(figure)), quantity(high, unit_of(figure))),
        dates=(day(runs[0]), day(runs[-1])) if runs else ("", ""),
        steps=tuple((step.at, day(step.first), step_words(step)) for step in steps),
        bands=tuple(_bands(values, steps, low, scale)),
    )


def _bands(values: Sequence[float], steps: Sequence[HistoryChange], low: float, scale: float) -> Iterator[Band]:
    """The range of about 95% of the nights at each level between steps, within the picture."""
    ends = [0, *(step.at for step in steps), len(values)] if steps else []
    for first, last in pairwise(ends):
        present = np.log([value for value in values[first:last] if not isnan(value)])
        if len(present):
            level = np.median(present)
            reach = _NORMAL * _TO_DEVIATION * np.median(np.abs(present - level))
            bottom, top = (_within((float(np.exp(level + end)) - low) * scale) for end in (-reach, reach))
            yield Band(first, last - 1, bottom, top)


def _within(height: float) -> float:
    return round(min(max(height, 0.0), len(LEVELS) - 1.0), 2)
