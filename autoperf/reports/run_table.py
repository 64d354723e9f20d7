"""A run as a table that fits the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from rich.text import Text

from autoperf.core.outcome import Outcome, Status
from autoperf.reports.columns import filled, terminal_columns
from autoperf.reports.composites import composite_lines
from autoperf.reports.front_end_cost import front_end_line
from autoperf.reports.layers import layer_lines
from autoperf.reports.layout import INDENT, FittedColumns, fitted, hanging, hidden_line, listed, picked
from autoperf.reports.networks import network_lines
from autoperf.reports.provenance import provenance_text
from autoperf.reports.runs import RankedOutcomes, RunReport
from autoperf.reports.summary import STATUS_STYLE, details, figure, reasons, slowest, summarise, verdict
from autoperf.reports.units import (
    case_words,
    count,
    duration,
    flow,
    heading_text,
    one_line,
    profile_label,
    span,
)
from autoperf.reports.warnings import ANOMALIES, anomaly_sentences, legend, load, roofline_line, speed_line

LARGE_RUN = 20
SLOWEST = 5
MAX_ALIASES = 4
MAX_REPEATED_NOTES = 2
"""Maximum number of cases that repeat a note; one of more cases is shown once, below the table."""
WARNINGS = "warnings"
_MIN_INPUTS = 30
_DIGEST_FROM = 110
_DIGEST = 10
"""The room of a case's digest with the gap behind it."""


def table_lines(report: RunReport, width: int) -> Iterator[Text]:
    """The categories, the highlights and the summary, line by line, so that memory stays flat."""
    outcomes = report.ranking
    chosen = bool(report.view.columns)
    columns = filled(terminal_columns(report.view, report.columns), outcomes)
    least = _MIN_INPUTS + (_DIGEST if width >= _DIGEST_FROM else 0)
    table = fitted(columns, width, least, fixed=chosen)
    shared = {} if report.view.verbose else _shared_notes(report.tabled)
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
        yield from _Section(
            f"by {report.view.sort}", outcomes, table, shared=shared, detailed=report.view.verbose, sorted_=True
        ).lines()
        yield Text()
    for category, members in sections.items():
        detailed, condensed = report.view.verbose, len(report.tabled) > LARGE_RUN
        yield from _Section(category, members, table, shared=shared, detailed=detailed, condensed=condensed).lines()
        yield Text()
    yield from _legend(report, table, outcomes, shared)
    if len(report.tabled) > LARGE_RUN and not report.view.sort:
        yield from _highlights(report.selected, width)
    yield from _unusual(report.selected, width)
    yield from _summary_lines(report.selected, report.asked, width)
    yield from provenance_text(report.provenance, width, verbose=report.view.verbose)


class _Section:
    """The lines of one category, or of a run that is `sorted_`.

    `shared` are notes that stand below the table. `detailed` adds the parts of each case's time; `condensed` has one
    line for cases of an operator that were skipped for the same reason.
    """

    def __init__(
        self,
        title: str,
        outcomes: Sequence[Outcome],
        table: FittedColumns[Outcome],
        *,
        shared: Container[str],
        detailed: bool = False,
        condensed: bool = False,
        sorted_: bool = False,
    ) -> None:
        self._title = heading_text(title)
        self._outcomes = outcomes
        self._table = table
        self._width = table.width
        self._profile = max(len(profile_label(outcome.profile)) for outcome in outcomes)
        self._digest = table.width >= _DIGEST_FROM
        self._shared = shared
        self._detailed = detailed
        self._condensed = condensed
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
            yield Text(heading_text(operator), style="bold cyan")
            alike = _skipped_alike(members) if self._condensed else {}
            for outcome in members:
                if outcome.status is not Status.SKIPPED or outcome.reason not in alike:
                    yield from self._row(outcome)
            for reason, number in alike.items():
                words = [*count(number, "case").split(), f"{Status.SKIPPED.value}:", *one_line(reason).split()]
                yield from hanging(INDENT, words, self._width, STATUS_STYLE[Status.SKIPPED])

    def _row(self, outcome: Outcome) -> Iterator[Text]:
        head = self._head(outcome)
        words = [*([one_line(outcome.operator)] if self._sorted else []), *case_words(outcome)]
        if outcome.status is Status.MEASURED:
            yield from self._table.rows(head, words, [outcome])
        else:
            yield from self._unmeasured(outcome, head, words)
        for note in _notes(outcome):
            if note not in self._shared:
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


def _skipped_alike(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """The number of skipped cases by reason, where several have the same one."""
    reasons = Counter(outcome.reason for outcome in outcomes if outcome.status is Status.SKIPPED)
    return {reason: number for reason, number in reasons.items() if number > 1}


def _shared_notes(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """The notes that many cases have, with the number of these cases."""
    notes = Counter(note for outcome in outcomes for note in _notes(outcome))
    return {note: cases for note, cases in notes.items() if cases > MAX_REPEATED_NOTES}


def _legend(
    report: RunReport, table: FittedColumns[Outcome], shown: Sequence[Outcome], shared: Mapping[str, int]
) -> Iterator[Text]:
    """The meaning of columns, shared notes, the machine's load, speed and roofline, and the number of hidden rows.

    `shown` are all outcomes of the report, in this table or in those of networks.
    """
    outcomes = report.tabled
    measured = any(outcome.status is Status.MEASURED for outcome in outcomes)
    conditions = [load(shown), speed_line(shown), roofline_line(shown, report.roofline)]
    explanations = _explanations(outcomes, table) if measured else []
    # The tables of networks, layers and composites have no warning codes, so the counts include their cases.
    in_plain_rows = measured and any(column.name == WARNINGS for column in table.columns)
    flags = legend(shown) if report.has_tables_of_groups else legend(outcomes) if in_plain_rows else ()
    hidden = hidden_line(table.hidden, verbose=report.view.verbose) if measured else ""
    notes = (f"note of {count(cases, 'case')}: {note}" for note, cases in shared.items())
    texts = [*explanations, *flags, *notes, *conditions, hidden, *report.left_out]
    for text in filter(None, texts):
        yield from hanging("", text.split(), table.width, "dim")
    if any(texts):
        yield Text()


def _explanations(outcomes: Sequence[Outcome], table: FittedColumns[Outcome]) -> list[str]:
    columns = dict.fromkeys(column.legend for column in table.columns if column.legend)
    return [*columns, front_end_line(outcomes)]


def _unusual(outcomes: Sequence[Outcome], width: int) -> Iterator[Text]:
    """The anomalies, if there are any."""
    lines = list(anomaly_sentences(outcomes))
    if lines:
        yield Text(ANOMALIES, style="bold")
    for line in lines:
        yield from hanging(INDENT, line.split(), width)
    if lines:
        yield Text()


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
    for name, run in outcome.passes.items():
        for note in run.notes:
            yield f"{name}: {one_line(note)}"
