"""The page of a history: its series over time, its steps, or its runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import isnan

import numpy as np

from autoperf.core.releases import release_title
from autoperf.reports.columns import Column, fact
from autoperf.reports.history import HistoryReport, SeriesRow
from autoperf.reports.html.page import EQUAL, Chart, Course, Detail, Page, RankedRow, Ranking, Tile
from autoperf.reports.html.page_parts import page_table
from autoperf.reports.units import change_words, count, duration, one_line
from autoperf.results.history import HistoryRun

_FILTERS = ("profile", "figure", "release", "last step")
_HIDDEN = ("case", "build", "decided")
_SUBTITLE = {
    "series": "medians by run; a step is a level that changed and stayed",
    "changes": "levels that changed and stayed, since which run",
    "runs": "runs in the history",
}
MAX_RANKED = 10


def history_page(report: HistoryReport) -> Page:
    """The rows as a table; for series also charts, rankings, and a section for each operator with their courses."""
    rows: Sequence[SeriesRow] = report.rows if report.name == "series" else ()
    columns = [*report.columns, *(_STEP_COLUMNS if rows else ())]
    table = page_table(report.name.capitalize(), columns, report.rows, hidden=_HIDDEN, filters=_FILTERS)
    return Page(
        title="Operator benchmarks over time",
        subtitle=_SUBTITLE[report.name],
        tiles=tuple(_tiles(report, rows)),
        facts=tuple(_facts(rows)),
        notes=() if rows else (report.summary,),
        tables=(table,),
        charts=(Chart("Last run against the median", "median_us", "last_us", "last step", lines=(EQUAL,)),)
        if rows
        else (),
        rankings=tuple(_rankings(rows)),
        details=tuple(map(_detail, rows)),
    )


def _last_step(row: SeriesRow) -> str | None:
    return None if not row.ratios else "slower" if row.ratios[-1] > 1 else "faster"


def _change(row: SeriesRow) -> float | None:
    """The product of all steps of a series, as a ratio; None without a step."""
    return float(np.prod(row.ratios)) if row.ratios else None


def _spelled(row: SeriesRow) -> str:
    return change_words(_change(row) or 1.0)


_STEP_COLUMNS: tuple[Column[SeriesRow], ...] = (
    fact("last step", _last_step),
    Column("change", "change", _change, _spelled, unit="ratio"),
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
    first, last = (run.provenance.date.partition("T")[0] for run in (runs[0], runs[-1]))
    machine = runs[0].provenance.machine
    return one_line(f"{count(len(runs), 'run')} from {first} to {last}, on {machine}")


def _rankings(rows: Sequence[SeriesRow]) -> Iterator[Ranking]:
    changed = [(at, change) for at, row in enumerate(rows) if (change := _change(row))]
    slower = sorted((pair for pair in changed if pair[1] > 1), key=lambda pair: -pair[1])
    faster = sorted((pair for pair in changed if pair[1] < 1), key=lambda pair: pair[1])
    for title, pairs in (("Slower", slower), ("Faster", faster)):
        if pairs:
            yield Ranking(title, tuple(_ranked(*pair) for pair in pairs[:MAX_RANKED]))


def _ranked(at: int, change: float) -> RankedRow:
    return RankedRow(at, max(change, 1 / change), change_words(change))


def _detail(row: SeriesRow) -> Detail:
    title = " ".join(filter(None, (row.profile, row.figure)))
    return Detail(
        title=one_line(f"{title}: {row.inputs}"), notes=tuple(map(one_line, row.steps)), courses=(course(row),)
    )


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
