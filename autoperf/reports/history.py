"""A history in reports: its runs, the series of operators, and their changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from rich.text import Text

from autoperf.analysis.history_series import TOGETHER, HistoryChanges, SeriesSet
from autoperf.analysis.steps import MIN_RUNS, LevelStep
from autoperf.reports.columns import Column, Place, View, fact
from autoperf.reports.layout import INDENT, hanging
from autoperf.reports.table import Report, Table
from autoperf.reports.units import change_words, count
from autoperf.results.history import HistoryRun

_BLOCKS = "▁▂▃▄▅▆▇█"
MAX_POINTS = 40
"""The last runs that a line of blocks shows."""


@dataclass(frozen=True)
class HistoryReport:
    """Rows of a history, as every format receives them; `name` is their key in JSON."""

    name: str
    columns: Sequence[Column[Any]]
    rows: Sequence[Any]
    summary: str
    view: View | None = None


@dataclass(frozen=True)
class SeriesRow:
    """A series of a figure, with its values by run (NaN: none) in microseconds, and its steps.

    `steps` are in words; `starts` has their first runs (positions in `runs`), `ratios` what they changed.
    """

    operator: str
    case: str
    profile: str
    inputs: str
    figure: str
    release: str
    values: Sequence[float]
    steps: Sequence[str]
    starts: Sequence[int] = ()
    ratios: Sequence[float] = ()
    runs: Sequence[HistoryRun] = ()

    @property
    def present(self) -> list[float]:
        """The values that there are."""
        return [value for value in self.values if not np.isnan(value)]


def _figure(name: str, header: str, value: Any, text: Any = None, *, unit: str = "us", room: int = 0) -> Column[Any]:
    return Column(name, header, value, text, unit=unit, csv=name, place=Place.FIGURE, room=room)


def _lead(name: str, value: Any) -> Column[Any]:
    return fact(name, value, place=Place.LEAD)


_RUN_COLUMNS: tuple[Column[Any], ...] = (
    _lead("run", lambda run: run.run),
    _lead("date", lambda run: run.provenance.date),
    _lead("release", lambda run: run.provenance.release),
    _lead("revision", lambda run: run.provenance.revision or ""),
    _lead("machine", lambda run: run.provenance.machine),
    _lead("file", lambda run: run.file),
    _figure("results", "cases", lambda run: run.results, unit=""),
)
SERIES_COLUMNS: tuple[Column[Any], ...] = (
    _lead("operator", lambda row: row.operator),
    _lead("profile", lambda row: row.profile),
    fact("case", lambda row: row.case),
    _lead("inputs", lambda row: row.inputs),
    _lead("figure", lambda row: row.figure),
    _lead("release", lambda row: row.release),
    _figure("runs", "runs", lambda row: len(row.present), unit="", room=6),
    _figure("lowest_us", "lowest", lambda row: min(row.present)),
    _figure("median_us", "median", lambda row: float(np.median(row.present))),
    _figure("last_us", "last", lambda row: row.present[-1]),
    fact("steps", lambda row: "; ".join(row.steps)),
)
_CHANGE_COLUMNS: tuple[Column[Any], ...] = (
    _lead("operator", lambda change: change.operator),
    _lead("profile", lambda change: change.profile),
    fact("case", lambda change: change.case),
    _lead("inputs", lambda change: change.inputs),
    _lead("figure", lambda change: change.figure),
    _lead("evidence", lambda change: change.evidence),
    _figure("before_us", "before", lambda change: change.before_us),
    _figure("after_us", "after", lambda change: change.after_us),
    _figure(
        "ratio", "change", lambda change: change.ratio, lambda change: change_words(change.ratio), unit="", room=14
    ),
    _lead("run", lambda change: change.first.run),
    _lead("date", lambda change: change.first.provenance.date),
    _lead("revision", lambda change: change.first.provenance.revision or ""),
    fact("build", lambda change: change.first.provenance.build),
    fact("decided", lambda change: change.decided),
)


def history_reports(report: HistoryReport) -> list[Report]:
    """The rows as a table; on a terminal, a series with its course and its steps."""
    return [Report(tables=(Table(report.name, report.columns, report.rows, report.summary, below=_course),))]


def history_document(report: HistoryReport) -> dict[str, object]:
    """`{"runs": [...]}`, `{"series": [...]}` or `{"changes": [...]}`, as the CSV; a series has its `values` too."""
    records = Table(report.name, report.columns, report.rows).records()
    values = ({"values": row.values} if isinstance(row, SeriesRow) else {} for row in report.rows)
    return {report.name: iter([{**record, **more} for record, more in zip(records, values, strict=True)])}


def _course(row: object, width: int) -> Iterator[Text]:
    if isinstance(row, SeriesRow):
        yield Text(f"{INDENT * 2}{blocks(row.values)}")
        for step in row.steps:
            yield from hanging(INDENT * 2, step.split(), width, "yellow")


def runs_report(runs: Sequence[HistoryRun]) -> HistoryReport:
    """The runs of a history."""
    return HistoryReport("runs", _RUN_COLUMNS, runs, count(len(runs), "run"))


def changes_report(changes: HistoryChanges) -> HistoryReport:
    """The steps of a history, and how the last of few runs differs from those before it."""
    steps = [change for change in changes.found if change.evidence == "step"]
    slower = sum(change.ratio > 1 for change in steps)
    summary = f"{count(len(steps), 'step')} = {slower} slower + {len(steps) - slower} faster"
    last = msgspec.structs.asdict(changes.last)
    if any(last.values()):
        parts = " + ".join(f"{number} {verdict}" for verdict, number in last.items())
        summary += f"; last run: {count(sum(last.values()), 'figure')} = {parts}"
    return HistoryReport("changes", _CHANGE_COLUMNS, changes.found, summary)


def changes_notices(changes: HistoryChanges) -> tuple[str, ...]:
    """The number of series with too few runs to find a step in."""
    if changes.judged == changes.series:
        return ()
    judged = f"{changes.judged} of {count(changes.series, 'series', 'series')}"
    return (
        f"{judged} judged: steps are found from {MIN_RUNS} runs on; before, the last run is compared with the others",
    )


def series_report(sets: Iterable[SeriesSet]) -> HistoryReport:
    """The series of some operators."""
    rows = [row for series in sets for row in series_rows(series)]
    return HistoryReport("series", SERIES_COLUMNS, rows, count(len(rows), "series", "series"))


def series_rows(series: SeriesSet) -> list[SeriesRow]:
    """A row for each series, with its steps in words."""
    steps: dict[tuple[str, str], list[LevelStep]] = {}
    for step in series.steps():
        case, figure = series.key(step)
        steps.setdefault((case.id, figure), []).append(step)
    return [
        _series_row(series, number, steps.get((case.id, figure), []), steps.get((case.id, TOGETHER), []))
        for number, (case, figure) in enumerate(series.keys)
    ]


def _series_row(series: SeriesSet, number: int, own: Sequence[LevelStep], of_case: Sequence[LevelStep]) -> SeriesRow:
    case, figure = series.keys[number]
    steps = sorted([*own, *of_case], key=lambda step: step.first)
    words = [_spelled_step(series, step, "" if step in own else f" ({TOGETHER} together)") for step in steps]
    return SeriesRow(
        case.operator, case.id, case.profile, case.inputs, figure, series.runs[0].provenance.release,
        [float(value) for value in series.medians[number]], words, [step.first for step in steps],
        [_ratio(step) for step in steps], series.runs,
    )  # fmt: skip


def _spelled_step(series: SeriesSet, step: LevelStep, of_all: str) -> str:
    return f"{change_words(_ratio(step))}{of_all} since {_date(series.runs[step.first])}"


def _ratio(step: LevelStep) -> float:
    return float(np.exp(step.after - step.before))


def blocks(values: Sequence[float]) -> str:
    """The last values as a line of blocks, from the lowest to the highest; a space where there is none."""
    last = list(values)[-MAX_POINTS:]
    present = [value for value in last if not np.isnan(value)]
    low, high = min(present, default=0.0), max(present, default=0.0)
    scale = (len(_BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(" " if np.isnan(value) else _BLOCKS[round((value - low) * scale)] for value in last)


def _date(run: HistoryRun) -> str:
    return run.provenance.date.partition("T")[0]
