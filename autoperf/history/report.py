"""A history in reports: its runs, the series of operators, and their changes."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from operator import attrgetter
from typing import Any

import numpy as np
from rich.text import Text

from autoperf.core.texts import count
from autoperf.history.series import TOGETHER, HistoryChange, HistoryChanges, SeriesSet, changes_of, unit_of
from autoperf.history.standing import AcceptedStep, ResultChange, changes_summary, standing_answer, standing_tables
from autoperf.history.steps import MIN_RUNS
from autoperf.history.store import HistoryCase, HistoryRun
from autoperf.reports.columns import Column, Place, View, fact
from autoperf.reports.layout import INDENT, grouped, hanging
from autoperf.reports.provenance import short_revision
from autoperf.reports.table import Report, Table
from autoperf.reports.units import change_words, factor, one_line, quantity
from autoperf.runs.runfile import ABSENT, METHOD_FACT, Provenance, different_facts

_BLOCKS = "▁▂▃▄▅▆▇█"
MAX_POINTS = 40
"""The last runs that a line of blocks shows."""
MAX_NIGHTS = 3
"""The nights that the answer names."""
MAX_FACTS = 3
"""The changed versions that a sentence names."""
MAX_REASONS = 4
"""The reasons for judging no series yet that a note has."""


@dataclass(frozen=True)
class HistoryReport:
    """Rows of a history, as every format receives them; `name` is their key in JSON.

    `results` are the changes of what cases compute, a table or none; `more` the tables that JSON alone has.
    """

    name: str
    columns: Sequence[Column[Any]]
    rows: Sequence[Any]
    summary: str
    answer: Sequence[str] = ()
    results: Sequence[Table[ResultChange]] = ()
    more: Sequence[Table[Any]] = ()
    view: View | None = None

    @property
    def changes(self) -> list[HistoryChange]:
        """The changes in all rows, ranked."""
        return ranked(change for row in self.rows for change in steps_of(row))


@dataclass(frozen=True)
class SeriesRow:
    """A series of a figure, with its values by run (NaN: none) in microseconds, and its steps."""

    case: HistoryCase
    figure: str
    runs: Sequence[HistoryRun]
    values: Sequence[float]
    steps: Sequence[HistoryChange] = ()

    @property
    def present(self) -> list[float]:
        """The values that there are."""
        return [value for value in self.values if not np.isnan(value)]


def direction(change: HistoryChange) -> str:
    """`slower` or `faster`, of counts `more` or `fewer`."""
    words = ("more", "fewer") if change.evidence == "count" else ("slower", "faster")
    return words[change.ratio <= 1]


def interval(change: HistoryChange) -> str:
    """The 95% interval of the factor in its direction: `[1.45, 1.55]` times slower; empty of counts."""
    if change.evidence == "count":
        return ""
    ends = (change.low, change.high) if change.ratio > 1 else (1 / change.high, 1 / change.low)
    return f"[{', '.join(map(factor, ends))}]"


def _figure(name: str, header: str, value: Any, text: Any = None, *, unit: str = "us", room: int = 0) -> Column[Any]:
    return Column(name, header, value, text, unit=unit, csv=name, place=Place.FIGURE, room=room)


def _level(name: str, header: str, value: Callable[[Any], float | None]) -> Column[Any]:
    return _figure(name, header, value, lambda row: quantity(value(row), unit_of(row.figure)))


def _lead(name: str, value: Any, text: Any = None) -> Column[Any]:
    return fact(name, value, text, place=Place.LEAD)


_RUN_COLUMNS: tuple[Column[Any], ...] = (
    _lead("run", lambda run: run.run),
    *(_lead(name, attrgetter(f"provenance.{name}")) for name in ("date", "release")),
    _lead("revision", lambda run: run.provenance.revision or ""),
    _lead("machine", lambda run: run.provenance.machine),
    _lead("file", lambda run: run.file),
    fact("control", lambda run: run.control),
    _figure("results", "cases", lambda run: run.results, unit=""),
)
_CASE_COLUMNS: tuple[Column[Any], ...] = (
    *(_lead(name, attrgetter(f"case.{name}")) for name in ("operator", "profile")),
    fact("case", lambda row: row.case.id),
    _lead("inputs", lambda row: row.case.inputs),
)
"""The columns of a row about a case."""
SERIES_COLUMNS: tuple[Column[Any], ...] = (
    *_CASE_COLUMNS,
    _lead("figure", lambda row: row.figure),
    _lead("release", lambda row: row.runs[0].provenance.release),
    _figure("runs", "runs", lambda row: len(row.present), unit="", room=6),
    _level("lowest_us", "lowest", lambda row: min(row.present)),
    _level("median_us", "median", lambda row: float(np.median(row.present))),
    _level("last_us", "last", lambda row: row.present[-1]),
    fact("steps", lambda row: "; ".join(map(step_words, row.steps))),
)
_FIRST_COLUMNS: tuple[Column[Any], ...] = (
    _lead("run", lambda change: change.first.run),
    _lead("date", lambda change: change.first.provenance.date, lambda change: day(change.first)),
    _lead(
        "revision", lambda change: change.first.provenance.revision or "",
        lambda change: short_revision(change.first.provenance.revision or ""),
    ),
    fact("build", lambda change: change.first.provenance.build),
    fact("changed", lambda change: facts_words(change, limit=None)),
)  # fmt: skip
_CHANGE_COLUMNS: tuple[Column[Any], ...] = (
    *_CASE_COLUMNS,
    _lead("figure", lambda change: change.figure),
    _lead("evidence", lambda change: change.evidence),
    _level("before_us", "before", lambda change: change.before_us),
    _level("after_us", "after", lambda change: change.after_us),
    _figure(
        "ratio", "change", lambda change: change.ratio,
        lambda change: f"{change.ratio - 1:+.2%}" if change.evidence == "count" else change_words(change.ratio),
        unit="", room=14,
    ),
    _figure("low", "95% interval", lambda change: change.low, interval, unit="", room=15),
    Column("high", "high", lambda change: change.high, csv="high"),
    *_FIRST_COLUMNS,
    fact("decided", lambda change: change.decided),
    fact("weekly", lambda change: change.weekly),
    fact("machine_ratio", lambda change: change.machine),
)  # fmt: skip
_RESULT_COLUMNS: tuple[Column[ResultChange], ...] = (
    *_CASE_COLUMNS,
    _lead("difference", lambda change: change.words),
    *_FIRST_COLUMNS,
)


def history_reports(report: HistoryReport) -> list[Report]:
    """The answer, and the rows as a table; on a terminal with the course and the steps of each series."""
    steps = [step for row in report.rows for step in steps_of(row)]
    first_of_night = {step.first.run: step for step in reversed(steps)}

    def course(row: object, width: int) -> Iterator[Text]:
        courses = row.courses.values() if isinstance(row, HistoryChange) else ()
        for values in [row.values] if isinstance(row, SeriesRow) else courses:
            yield Text(f"{INDENT * 2}{blocks(values)}")
        for step in steps_of(row):
            if (at := step.at - max(0, len(step.runs) - MAX_POINTS)) >= 0:
                yield Text(f"{INDENT * 2}{' ' * at}^ {day(step.first)}", "yellow")
            facts = f"; {facts_words(step)}" if first_of_night[step.first.run] is step else ""
            yield from hanging(INDENT * 2, f"{step_words(step)}{facts}".split(), width, "yellow")

    table = Table(report.name, report.columns, report.rows, report.summary, below=course)
    return [Report(answer=report.answer, tables=(*report.results, table))]


def steps_of(row: object) -> Sequence[HistoryChange]:
    """The steps of a series, or a change itself; none of a run."""
    return row.steps if isinstance(row, SeriesRow) else [row] if isinstance(row, HistoryChange) else []


def history_document(report: HistoryReport) -> dict[str, object]:
    """`{"runs": [...]}`, `{"series": [...]}` or `{"changes": [...]}`, as the CSV; a series has its `values` too."""
    records = Table(report.name, report.columns, report.rows).records()
    values = ({"values": row.values} if isinstance(row, SeriesRow) else {} for row in report.rows)
    others = {table.title: iter(table.records()) for table in (*report.results, *report.more) if table.rows}
    return others | {report.name: iter([{**record, **more} for record, more in zip(records, values, strict=True)])}


def runs_report(runs: Sequence[HistoryRun]) -> HistoryReport:
    """The runs of a history."""
    return HistoryReport("runs", _RUN_COLUMNS, runs, count(len(runs), "run"))


def changes_report(
    changes: HistoryChanges, results: Sequence[ResultChange] = (), accepted: Sequence[AcceptedStep] = ()
) -> HistoryReport:
    """The steps of a history, and how the last of few runs differs from those before it; changed results first.

    A sentence has the steps that are accepted.
    """
    report = report_with_answer("changes", _CHANGE_COLUMNS, changes.found, changes_summary(changes), changes.since)
    # A sentence for each of the last nights in which results changed.
    of_results = []
    nights = list(grouped(results, lambda change: change.first.run).values())
    for first, *others in nights[:MAX_NIGHTS]:
        more = f"; so do {count(len(others), 'other case')}" if others else ""
        name = f"{first.case.operator} ({first.case.inputs}) computes something else since the night of"
        of_results.append(one_line(f"{name} {day(first.first)}: {first.words}{more}; {facts_words(first)}."))
    if len(nights) > MAX_NIGHTS:
        of_results.append(f"{count(len(nights) - MAX_NIGHTS, 'other night')} with other results, below.")
    as_accepted = []
    for line, members in grouped(accepted, lambda each: each.line.title).items():
        names = dict.fromkeys(f"{each.change.case.operator} {each.change.figure}" for each in members)
        as_accepted.append(one_line(f"{count(len(members), 'change')} as accepted ({line}): {', '.join(names)}."))
    answer = (*of_results, *report.answer, *as_accepted, *standing_answer(changes))
    words = count(len(results), "change of results", "changes of results")
    tables = [Table("results", _RESULT_COLUMNS, results, words)] if results else []
    suspects = Table("suspects", _CHANGE_COLUMNS, changes.suspects)
    return replace(report, answer=answer, results=tables, more=(suspects, *standing_tables(changes)))


def report_with_answer(
    name: str, columns: Sequence[Column[Any]], rows: Sequence[Any], summary: str, since: str = ""
) -> HistoryReport:
    """The report of these rows, in whose answer the nights with the largest changes come first."""
    report = HistoryReport(name, columns, rows, summary)
    nights = list(grouped(report.changes, lambda change: (change.first.run, change.ratio > 1)).values())
    answer = []
    for most, *others in nights[:MAX_NIGHTS]:
        verb = "is" if len(others) == 1 else "are"
        more = f"; so {verb} {count(len(others), 'other measurement')} of that night" if others else ""
        answer.append(f"{_change_words(most)}{more}; {facts_words(most)}.")
    if left := {change.first.run for change, *_ in nights[MAX_NIGHTS:]}:
        answer.append(f"{count(len(left), 'other night')} with changes, below.")
    nothing = f"No measurement is known to have changed{f' since {since}' if since else ''}."
    return replace(report, answer=tuple(answer) or (nothing,))


def ranked(changes: Iterable[HistoryChange]) -> list[HistoryChange]:
    """The slower ones first, each by size; a step of all figures together once."""
    distinct = {(change.case.id, change.figure, change.first.run): change for change in changes}.values()
    return sorted(distinct, key=lambda change: (change.ratio <= 1, -abs(log(change.ratio))))


def _change_words(change: HistoryChange) -> str:
    """`softmax forward wall (data (32, 32)) is 1.50 times [1.45, 1.55] slower since the night of 2026-11-05`."""
    figure = "" if change.figure == TOGETHER else f" {change.figure}"
    together = f" by {TOGETHER} together" if change.figure == TOGETHER else ""
    name = f"{change.case.operator}{figure} ({change.case.inputs})"
    gap = ""
    with contextlib.suppress(ValueError):
        last, first = (dt.date.fromisoformat(day(run)) for run in (change.last, change.first))
        gap = f" (the run before is of {day(change.last)})" if (first - last).days > 1 else ""
    night = when(change).replace("since ", "since the night of ")
    size = f"{_size(change)} {direction(change)}"
    drifts = f"drifts by {weekly(change)} and is {size} by now" if change.weekly else f"is {size}"
    return one_line(f"{name} {drifts}{together} {night}{gap}{_machine(change)}")


def _machine(change: HistoryChange) -> str:
    return f", without the machine's part of {factor(change.machine)}" if change.machine else ""


def _size(change: HistoryChange) -> str:
    """`1.50 times [1.45, 1.55]`, of exact counts `0.20%`."""
    if change.evidence == "count":
        return f"{abs(change.ratio - 1):.2%}"
    return f"{factor(max(change.ratio, 1 / change.ratio))} times {interval(change)}"


def weekly(change: HistoryChange) -> str:
    """`1.0% a week` of a drift, its size."""
    return f"{abs((change.weekly or 1.0) - 1):.1%} a week"


def when(change: HistoryChange) -> str:
    """`since 2026-11-05`; the last of few runs may be an exception."""
    return f"{'since' if change.is_finding else 'in the last run, of'} {day(change.first)}"


def facts_words(change: HistoryChange | ResultChange, limit: int | None = MAX_FACTS) -> str:
    """Other changes between the nights: `MXNet changed from 1.9.0 to 1.9.1 that night`."""
    facts = [f"{name} changed from {was} to {now}" for name, was, now in changed_facts(change.last, change.first)]
    if not facts:
        return "the history records no change of versions or settings that night"
    more = [f"{count(len(facts) - limit, 'other')} changed"] if limit and len(facts) > limit else []
    return one_line(f"{', '.join([*facts[:limit], *more])} that night")


def changes_notices(changes: HistoryChanges) -> tuple[str, ...]:
    """The series that can't be judged yet, with why, and what questions a last run."""
    if not changes.unjudged:
        return changes.notices
    reasons = Counter(each.reason for each in changes.unjudged).most_common()
    parts = [f"{number} ({reason})" for reason, number in reasons[:MAX_REASONS]]
    more = [count(len(reasons) - MAX_REASONS, "other reason")] if len(reasons) > MAX_REASONS else []
    which = f"{len(changes.unjudged)} of {count(changes.series, 'series', 'series')}"
    return (f"{which} can't be judged yet: {'; '.join((*parts, *more))}", *changes.notices)


def series_report(sets: Iterable[SeriesSet]) -> HistoryReport:
    """The series of some operators."""
    rows = [row for series in sets for row in series_rows(series)]
    total = count(len(rows), "series", "series")
    report = report_with_answer("series", SERIES_COLUMNS, rows, total)
    if short := sum(len(row.runs) < MIN_RUNS for row in rows):
        advice = "`autoperf history changes` compares the last run with those before it"
        few = f"Too few runs for steps, which are found from {MIN_RUNS} on, in {short} of {total}; {advice}."
        return replace(report, answer=(*report.answer, few))
    return report


def series_rows(series: SeriesSet) -> list[SeriesRow]:
    """A row for each series, with its steps, also those of all figures of its case together."""
    steps = grouped(changes_of(series), lambda change: (change.case, change.figure))
    rows = []
    for (case, figure), values in zip(series.keys, series.medians.tolist(), strict=True):
        own = (*steps.get((case, figure), ()), *steps.get((case, TOGETHER), ()))
        rows.append(SeriesRow(case, figure, series.runs, values, sorted(own, key=lambda step: step.at)))
    return rows


def step_words(change: HistoryChange) -> str:
    """`1.50x slower [1.45, 1.55] since 2026-11-05`."""
    together = f" ({TOGETHER} together)" if change.figure == TOGETHER else ""
    drift = f"drifts by {weekly(change)}, " if change.weekly else ""
    is_count = change.evidence == "count"
    size = f"{_size(change)} {direction(change)}" if is_count else f"{change_words(change.ratio)} {interval(change)}"
    return f"{drift}{size}{together} {when(change)}{_machine(change)}"


def blocks(values: Sequence[float]) -> str:
    """The last values as a line of blocks, from the lowest to the highest; a space where there is none."""
    last = list(values)[-MAX_POINTS:]
    present = [value for value in last if not np.isnan(value)]
    low, high = min(present, default=0.0), max(present, default=0.0)
    scale = (len(_BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(" " if np.isnan(value) else _BLOCKS[round((value - low) * scale)] for value in last)


def day(run: HistoryRun) -> str:
    """The date of a run."""
    return run.provenance.date.partition("T")[0]


def changed_facts(before: HistoryRun, now: HistoryRun) -> Iterator[tuple[str, str, str]]:
    """The name and both values of each version, setting and fact of the machine that differs between two runs.

    The method of measuring stands first; runs that were added by earlier versions don't state it.
    """
    methods = [run.facts.get(METHOD_FACT) for run in (before, now)]
    if None not in methods and len(set(methods)) > 1:
        yield METHOD_FACT, str(methods[0]), str(methods[1])
    different = different_facts(*(_known(run.provenance) | run.facts for run in (before, now)))
    yield from (each for each in different if each[0] != METHOD_FACT)


def _known(provenance: Provenance) -> dict[str, str]:
    """The facts that a provenance has, with the most important first; the names are those of `facts_of`."""
    return {
        "MXNet": provenance.release,
        "MXNet's library": provenance.build,
        "the revision": short_revision(provenance.revision or ABSENT),
        "autoperf": provenance.autoperf,
        "machine": provenance.machine,
        "processor": provenance.processor,
        "MXNet's threads": str(provenance.threads),
    }
