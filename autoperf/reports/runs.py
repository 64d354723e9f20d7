"""A run's results as text: a table that fits the terminal, and one line for each case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import overload

import msgspec
from rich.text import Text

from autoperf.analysis.composite_times import CompositeTimes, composite_times
from autoperf.analysis.layer_times import LayerTimes, layer_times
from autoperf.analysis.network_times import NetworkTimes, network_times
from autoperf.core.clocks import CLOCKS, Clock
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.core.roofline import Roofline
from autoperf.reports import run_columns
from autoperf.reports.aliases import case_key, case_time, ranked_rows
from autoperf.reports.anomalies import TITLE, sentences
from autoperf.reports.columns import Column, View, filled, terminal_columns
from autoperf.reports.composites import composite_lines
from autoperf.reports.detail import details
from autoperf.reports.front_end_cost import front_end_line
from autoperf.reports.layers import layer_lines
from autoperf.reports.layout import Picked, hanging, listed, picked
from autoperf.reports.networks import network_lines
from autoperf.reports.provenance import provenance_columns, provenance_lines
from autoperf.reports.speed import roofline_line, speed_line
from autoperf.reports.summary import STATUS_STYLE, figure, peak, reasons, slowest, summarise, verdict
from autoperf.reports.table import INDENT, Table, fitted, hidden_line
from autoperf.reports.units import (
    case_words,
    count,
    describe_case,
    duration,
    flow,
    one_line,
    profile_label,
    quantity,
    size,
    span,
)
from autoperf.reports.warnings import legend, load
from autoperf.results.provenance import Provenance, provenance_of
from autoperf.results.runfile import RunHeader

DETAILED_RUN = 2
LARGE_RUN = 20
SLOWEST = 5
MAX_ALIASES = 4
WARNINGS = "warnings"
_MIN_INPUTS = 30
_DIGEST_FROM = 110


@dataclass(frozen=True)
class RunReport:
    """A run, as every format receives it. `asked` is the number of planned cases, if the run may have ended early.

    `header` and `end` are the run file's first and last records; `end` is None where the run was cut short.
    """

    header: object
    outcomes: Sequence[Outcome]
    end: object = None
    asked: int | None = None
    view: View = field(default_factory=View)

    @cached_property
    def provenance(self) -> Provenance | None:
        """Where its figures come from; None without a header."""
        return provenance_of(self.header) if isinstance(self.header, RunHeader) else None

    @property
    def roofline(self) -> Roofline | None:
        """The machine's roofline, if the run knew it."""
        return (self.header.roofline or None) if isinstance(self.header, RunHeader) else None

    @cached_property
    def networks(self) -> list[NetworkTimes]:
        """The times of the networks from which its cases were captured; cases of files alone can be."""
        is_of_files = not isinstance(self.header, RunHeader) or self.header.options.get("cases")
        return network_times(self.outcomes) if is_of_files else []

    @cached_property
    def layers(self) -> list[LayerTimes]:
        """The selected layers that it measured in several ways."""
        return layer_times(self.selected)

    @property
    def ranks_networks(self) -> bool:
        """Whether networks are shown in the place of their cases: unless columns, an order or a selection is asked."""
        view = self.view
        return bool(self.networks) and not (view.columns or view.sort or view.rows or view.group_by)

    @cached_property
    def composites(self) -> CompositeTimes:
        """The times of the selected composites, in each way to run them."""
        return composite_times(self.selected)

    @property
    def compares_composites(self) -> bool:
        """Whether composites are shown in the place of their cases: unless columns, an order or groups are asked."""
        view = self.view
        return bool(self.composites) and not (view.columns or view.sort or view.group_by)

    @property
    def pairs_layers(self) -> bool:
        """Whether layers are shown side by side in the place of their cases: unless columns or an order is asked."""
        view = self.view
        return bool(self.layers) and not (view.columns or view.sort or view.group_by)

    @cached_property
    def tabled(self) -> Sequence[Outcome]:
        """The rows for a person that aren't in the tables of networks, layers and composites."""
        if not self.has_tables_of_groups:
            return self.ranking
        paired = {outcome.case for layer in self.layers for outcome in layer.ways.values()} if self.pairs_layers else ()
        return [outcome for outcome in self.ranking if not (outcome.case in paired or self._is_grouped(outcome))]

    @property
    def has_tables_of_groups(self) -> bool:
        """Whether some cases are shown in the tables of networks, layers or composites, in the place of their rows."""
        return self.ranks_networks or self.pairs_layers or self.compares_composites

    def _is_grouped(self, outcome: Outcome) -> bool:
        is_composite = outcome.category == COMPOSITE_NAMESPACE
        return (self.ranks_networks and bool(outcome.calls)) or (self.compares_composites and is_composite)

    @cached_property
    def columns(self) -> tuple[Column[Outcome], ...]:
        """The columns that it has, in the order of the CSV."""
        return (*run_columns.COLUMNS, *provenance_columns(self.provenance))

    @cached_property
    def selected(self) -> Sequence[Outcome]:
        """The outcomes that the filters keep. Raises UnknownNameError for a name that no outcome has."""
        return Picked(self.outcomes, self.view.rows.positions(self.outcomes)) if self.view.rows else self.outcomes

    @cached_property
    def rows(self) -> Sequence[Outcome]:
        """The selected outcomes in the requested order, as many as requested."""
        return self.view.limited(self._ordered)

    @cached_property
    def ranking(self) -> Sequence[Outcome]:
        """The rows for a person: in a sorted report, operators that run one kernel share a row.

        The tables of networks and composites have limits of their own, and those of layers none.
        """
        if self.has_tables_of_groups:
            return self.selected
        return self.view.limited(self._ranking) if self.view.sort else self.rows

    @property
    def selection_line(self) -> str:
        """How many cases the filters keep; empty without filters."""
        return f"{len(self.selected)} of {count(len(self.outcomes), 'case')} selected" if self.view.rows else ""

    @property
    def left_out(self) -> Iterator[str]:
        """What the filters, --limit and shared rows leave out."""
        yield self.selection_line
        aliases = len(self._ordered) - len(self._ranking) if self.view.sort else 0
        yield self.view.limit_line(len(self.ranking), len(self.selected) - aliases, "case")
        if aliases:
            yield f"{count(aliases, 'alias', 'aliases')} share rows, their times being nearly equal; CSV has them all"

    @cached_property
    def _ranking(self) -> RankedOutcomes:
        return RankedOutcomes(self._ordered)

    @cached_property
    def _ordered(self) -> Sequence[Outcome]:
        order = self.view.order(self.selected, self.columns)
        return self.selected if order is None else Picked(self.selected, order)


class RankedOutcomes(Sequence[Outcome]):
    """Sorted outcomes; aliases with nearly equal times stand in the name of the first."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self._outcomes = outcomes
        self._rows = ranked_rows(outcomes, case_key, case_time, lambda outcome: outcome.operator)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Outcome: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Outcome]: ...

    def __getitem__(self, index: int | slice) -> Outcome | Sequence[Outcome]:
        """The outcome at a place of the ranking, or a slice of it."""
        if isinstance(index, slice):
            return Picked(self, range(*index.indices(len(self))))
        row = self._rows[index]
        outcome = self._outcomes[row.position]
        return msgspec.structs.replace(outcome, operator=row.label(outcome.operator)) if row.aliases else outcome


def known_columns() -> tuple[Column[Outcome], ...]:
    """The columns of every run; those of its provenance are empty."""
    return RunReport(None, ()).columns


def plain_line(outcome: Outcome) -> str:
    """An outcome in one line, figures first, for logs and progress displays."""
    result = _figures(outcome) if outcome.status is Status.MEASURED else verdict(outcome)
    inputs = one_line(describe_case(outcome))
    line = f"{one_line(outcome.operator)} {profile_label(outcome.profile)}: {result}"
    return f"{line} | {inputs}" if inputs else line


def table_lines(report: RunReport, width: int) -> Iterator[Text]:
    """The categories, the highlights and the summary, line by line, so that memory stays flat."""
    outcomes = report.ranking
    chosen = bool(report.view.columns)
    columns = filled(terminal_columns(report.view, report.columns), outcomes)
    table = fitted(columns, width, _MIN_INPUTS, fixed=chosen)
    sections = {} if report.view.sort else picked(outcomes, lambda outcome: outcome.category)
    if report.ranks_networks:
        yield from network_lines(report.networks, report.view.limit, width)
    if report.pairs_layers:
        yield from layer_lines(report.layers, width)
    if report.compares_composites:
        yield from composite_lines(report.composites, report.view.limit, width)
    if report.has_tables_of_groups:
        sections = picked(report.tabled, lambda outcome: outcome.category)
    if report.view.sort and outcomes:
        yield from _Section(f"by {report.view.sort}", outcomes, table, sorted_=True).lines()
        yield Text()
    for category, members in sections.items():
        yield from _Section(category, members, table, detailed=len(outcomes) <= DETAILED_RUN).lines()
        yield Text()
    yield from _legend(report, table, outcomes)
    if len(report.tabled) > LARGE_RUN and not report.view.sort:
        yield from _highlights(report.selected, width)
    yield from _unusual(report.selected, width)
    yield from _summary_lines(report.selected, report.asked, width)
    yield from provenance_text(report.provenance, width)


class _Section:
    """The lines of one category, or of a run that is `sorted_`; `detailed` adds the parts of each case's time."""

    def __init__(
        self,
        title: str,
        outcomes: Sequence[Outcome],
        table: Table[Outcome],
        *,
        detailed: bool = False,
        sorted_: bool = False,
    ) -> None:
        self._title = one_line(title)
        self._outcomes = outcomes
        self._table = table
        self._width = table.width
        self._profile = max(len(profile_label(outcome.profile)) for outcome in outcomes)
        self._digest = table.width >= _DIGEST_FROM
        self._detailed = detailed
        self._sorted = sorted_

    def lines(self) -> Iterator[Text]:
        """The heading, and for each operator its name and its cases."""
        figures = any(outcome.status is Status.MEASURED for outcome in self._outcomes)
        yield from self._table.heading(self._title, count(len(self._outcomes), "case"), figures=figures)
        if self._sorted:
            for outcome in self._outcomes:
                yield from self._row(outcome)
            return
        for operator, members in picked(self._outcomes, lambda outcome: outcome.operator).items():
            yield Text(one_line(operator), style="bold cyan")
            for outcome in members:
                yield from self._row(outcome)

    def _row(self, outcome: Outcome) -> Iterator[Text]:
        head = self._head(outcome)
        words = [*([one_line(outcome.operator)] if self._sorted else []), *case_words(outcome)]
        if outcome.status is Status.MEASURED:
            yield from self._table.rows(head, words, [outcome])
        else:
            yield from self._unmeasured(outcome, head, words)
        for note in _notes(outcome):
            yield from hanging(" " * len(head), ["note:", *note.split()], self._width, "dim")
        for detail in details(outcome) if self._detailed else ():
            yield from hanging(" " * len(head), detail.split(), self._width, "dim")

    def _head(self, outcome: Outcome) -> str:
        digest = f"{one_line(outcome.case.rpartition('/')[2]):<8}  " if self._digest else ""
        return f"{INDENT}{profile_label(outcome.profile):<{self._profile}}  {digest}"

    def _unmeasured(self, outcome: Outcome, head: str, words: Sequence[str]) -> Iterator[Text]:
        if words:
            yield from hanging(head, words, self._width)
            head = " " * len(head)
        yield from hanging(head, verdict(outcome).split(), self._width, STATUS_STYLE[outcome.status])


def _legend(report: RunReport, table: Table[Outcome], shown: Sequence[Outcome]) -> Iterator[Text]:
    """The meaning of the columns of a table, the machine's load, speed and roofline, and what is left out.

    `shown` are all outcomes of the report, in this table or in those of networks.
    """
    outcomes = report.tabled
    measured = any(outcome.status is Status.MEASURED for outcome in outcomes)
    conditions = [load(shown), speed_line(shown), roofline_line(shown, report.roofline)]
    explanations = _explanations(outcomes, table) if measured else []
    hidden = hidden_line(table.hidden) if measured else ""
    texts = [*explanations, *conditions, hidden, *report.left_out]
    for text in filter(None, texts):
        yield from hanging("", text.split(), table.width, "dim")
    if any(texts):
        yield Text()


def _explanations(outcomes: Sequence[Outcome], table: Table[Outcome]) -> list[str]:
    shown = {column.name for column in table.columns}
    return [
        *dict.fromkeys(column.legend for column in table.columns if column.legend),
        *(legend(outcomes) if WARNINGS in shown else ()),
        front_end_line(outcomes),
    ]


def _unusual(outcomes: Sequence[Outcome], width: int) -> Iterator[Text]:
    """The anomalies, if there are any."""
    lines = list(sentences(outcomes))
    if lines:
        yield Text(TITLE, style="bold")
    for line in lines:
        yield from hanging(INDENT, line.split(), width)
    if lines:
        yield Text()


def provenance_text(provenance: Provenance | None, width: int) -> Iterator[Text]:
    """The provenance for a terminal; nothing if it isn't known."""
    for line in provenance_lines(provenance) if provenance else ():
        yield from hanging("", line.split(), width, "dim")


def _summary_lines(outcomes: Iterable[Outcome], asked: int | None, width: int) -> Iterator[Text]:
    summary = summarise(outcomes, asked)
    times = f"{count(summary.operators, 'operator')} in {span(summary.seconds)}"
    for line in flow(f"{summary.sentence()}; {times}".split(), width, width):
        yield Text(line, style="bold")


def _highlights(outcomes: Sequence[Outcome], width: int) -> Iterator[Text]:
    yield Text("slowest forward", style="bold")
    for outcome in RankedOutcomes(slowest(outcomes, MAX_ALIASES * SLOWEST))[:SLOWEST]:
        series = figure(outcome.forward)
        head = f"{duration(series.median if series else None):>9}  "
        words = [one_line(outcome.operator), profile_label(outcome.profile), *case_words(outcome)]
        yield from hanging(head, words, width)
    yield Text()
    groups = reasons(outcomes)
    if groups:
        yield Text("without a figure", style="bold")
    for status, reason, members in groups:
        words = [*f"{reason}:".split(), *listed(members)]
        yield from hanging(f"{members.total():>5} {status.value:<8} ", words, width, STATUS_STYLE[status])
    if groups:
        yield Text()


def _notes(outcome: Outcome) -> Iterator[str]:
    for name, run in (("forward", outcome.forward), ("backward", outcome.backward)):
        for note in run.notes if run else ():
            yield f"{name}: {one_line(note)}"


def _figures(outcome: Outcome) -> str:
    parts = [
        f"{name} {_medians(run)}"
        for name, run in (("forward", outcome.forward), ("backward", outcome.backward))
        if run is not None
    ]
    return ", ".join([*parts, f"peak {size(peak(outcome))}"])


def _medians(run: Pass) -> str:
    """The median by the first clock, and those by the others: `12.3 us (wall 45.6 us)`."""
    first, *others = (clock for clock in CLOCKS if not clock.on_request or run.series(clock))
    return f"{_median(run, first)} ({', '.join(f'{clock.name} {_median(run, clock)}' for clock in others)})"


def _median(run: Pass, clock: Clock) -> str:
    series = run.series(clock)
    return quantity(series.median if series else None, clock.unit)
