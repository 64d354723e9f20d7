"""The page of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from autoperf.core.clocks import KERNEL, WALL
from autoperf.core.outcome import Outcome, Status
from autoperf.core.tensors import ITEM_SIZE
from autoperf.core.work import stored_bytes
from autoperf.reports import run_columns
from autoperf.reports.columns import Column, Place, fact, filled
from autoperf.reports.html.case_details import case_detail
from autoperf.reports.html.page import EQUAL, Chart, Page, PageTable, Ranking, Tile
from autoperf.reports.html.page_table import page_table
from autoperf.reports.html.provenance import measured_with, provenance
from autoperf.reports.html.rankings import ranking
from autoperf.reports.layout import grouped
from autoperf.reports.runs import RunReport
from autoperf.reports.speed import speed_line
from autoperf.reports.summary import RunSummary, figure, peak, reasons, summarise
from autoperf.reports.units import duration, percent, reach, size, span
from autoperf.reports.warnings import legend, load

FILTERS = ("category", "profile", "status")
HIDDEN = ("case", "size", "forward_tail", "backward_tail")
MORE = ("case", "category", "status")
"""Columns of a page that follow those of a Markdown table."""
_TONES = {Status.MEASURED: "good", Status.SKIPPED: "doubtful"}


def run_page(report: RunReport) -> Page:
    """The summary, charts, tables and a section for each operator."""
    outcomes = list(report.rows)
    summary = summarise(outcomes, report.asked)
    return Page(
        title="Operator benchmarks",
        subtitle=measured_with(report.header),
        tiles=tuple(_tiles(summary)),
        facts=provenance(report.header),
        notes=tuple(_notes(outcomes, summary)),
        tables=tuple(_tables(report, outcomes)),
        charts=tuple(_charts()),
        rankings=tuple(_rankings(outcomes)),
        details=tuple(case_detail(report.header, outcome) for outcome in outcomes),
    )


def touched_bytes(outcome: Outcome) -> float:
    """The bytes of the inputs as stored, and of the outputs: what a forward pass reads and writes at least."""
    read = sum(stored_bytes(item.tensor) for item in outcome.inputs)
    return read + sum(array.nbytes for array in outcome.outputs if array.dtype in ITEM_SIZE)


def _columns(report: RunReport, outcomes: Sequence[Outcome]) -> list[Column[Outcome]]:
    """The columns of the other formats, or those that were asked for; and what charts and filters need."""
    chosen = report.view.chosen(run_columns.COLUMNS)
    usual = [column for column in run_columns.COLUMNS if column.place is not Place.REQUEST and column.name != "result"]
    more = [column for column in run_columns.COLUMNS if column.name in MORE]
    return filled(dict.fromkeys((*chosen, *usual, *more, _SIZE)), outcomes)


def _tables(report: RunReport, outcomes: Sequence[Outcome]) -> Iterator[PageTable]:
    columns = _columns(report, outcomes)
    chosen = set(report.view.columns)
    hidden = {column.name for column in columns if chosen and not chosen & {column.name, column.csv}}
    yield page_table("Cases", columns, outcomes, hidden=hidden or HIDDEN, filters=FILTERS)
    by_category = grouped(outcomes, lambda outcome: outcome.category)
    yield page_table("Coverage", _COVERAGE, [(name, summarise(members)) for name, members in by_category.items()])
    groups = reasons(outcomes)
    if groups:
        yield page_table("Without a figure", _REASONS, groups, filters=("status",))


def _tiles(summary: RunSummary) -> Iterator[Tile]:
    yield Tile("operators", str(summary.operators))
    yield Tile("cases", str(summary.asked))
    for status in Status:
        cases = getattr(summary, status.value)
        yield Tile(status.value, str(cases), _TONES.get(status, "bad") if cases else "")
    if summary.not_reached:
        yield Tile("not reached", str(summary.not_reached), "doubtful")
    yield Tile("measuring", span(summary.seconds))


def _notes(outcomes: Sequence[Outcome], summary: RunSummary) -> Iterator[str]:
    """How complete the run is, and how far its figures can be trusted."""
    yield summary.sentence()
    series = [figure(outcome.forward) for outcome in outcomes]
    reaches = sorted(known for readings in series if (known := reach(readings)) is not None)
    if reaches:
        half, most = (percent(reaches[int(share * (len(reaches) - 1))]) for share in (0.5, 0.95))
        yield f"95% intervals of the forward medians: within ±{half} for half of the cases, ±{most} for 95% of them"
    yield from legend(outcomes)
    yield from filter(None, (load(outcomes), speed_line(outcomes)))


def _charts() -> Iterator[Chart]:
    forward, backward = f"forward_{KERNEL.name}", f"backward_{KERNEL.name}"
    yield Chart("Time against size", "size", forward)
    yield Chart("Backward against forward", forward, backward, lines=(EQUAL,))
    yield Chart("Wall time against kernel time", forward, f"forward_{WALL.name}", lines=(EQUAL,))
    yield Chart("Peak memory against size", "size", "memory")


def _rankings(outcomes: Sequence[Outcome]) -> Iterator[Ranking]:
    """The largest case of each operator by time and by memory."""
    medians = [readings.median if (readings := figure(outcome.forward)) else None for outcome in outcomes]
    yield from ranking("Slowest operators", outcomes, medians, duration)
    yield from ranking("Most memory", outcomes, [peak(outcome) for outcome in outcomes], lambda value: size(int(value)))


_SIZE: Column[Outcome] = Column(
    "size", "bytes read and written", touched_bytes, lambda outcome: size(int(touched_bytes(outcome))), unit="bytes"
)
_COVERAGE: tuple[Column[tuple[str, RunSummary]], ...] = (
    fact("category", lambda row: row[0]),
    Column("operators", "operators", lambda row: row[1].operators),
    Column("cases", "cases", lambda row: row[1].asked),
    *(
        Column(status.value, status.value, lambda row, name=status.value: getattr(row[1], name))  # type: ignore[misc]
        for status in Status
    ),
    Column("seconds", "seconds", lambda row: row[1].seconds, lambda row: span(row[1].seconds)),
)
_Reason = tuple[Status, str, "Counter[str]"]
_REASONS: tuple[Column[_Reason], ...] = (
    fact("status", lambda row: row[0].value),
    Column("cases", "cases", lambda row: row[2].total()),
    fact("reason", lambda row: row[1]),
    fact("operators", lambda row: ", ".join(row[2])),
)
