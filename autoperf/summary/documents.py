"""A run as documents: its answer, the tables of networks and modes, the cases, what its figures are worth; and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.text import Text

from autoperf.core.modes import LAYERS
from autoperf.core.outcome import BROKEN, VIEW, Outcome, Status
from autoperf.networks.report import network_answer, network_record, network_reports, next_commands
from autoperf.reports import provenance, table, totals
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import INDENT, hanging
from autoperf.reports.run_columns import WARNING_CODES, front_end_line
from autoperf.reports.table import Report, Table
from autoperf.reports.units import (
    brief_inputs,
    case_words,
    count,
    describe_case,
    duration,
    one_line,
    profile_label,
    span,
)
from autoperf.runs.anomalies import anomalies
from autoperf.runs.runfile import RunEnd
from autoperf.summary.layers import mode_record, mode_reports
from autoperf.summary.runs import RankedOutcomes, RunReport, case_time

LARGE_RUN = 20
SLOWEST = 5
MAX_ALIASES = 4
MAX_REPEATED_NOTES = 2
"""Maximum number of cases that repeat a note; one of more cases is shown once, below the table."""
_DIGEST_FROM = 110
"""The width of a terminal from which it shows the digest of each case."""


def run_reports(report: RunReport) -> Iterator[Report]:
    """The answer, the tables of networks and modes, and the cases with notes and sums."""
    yield Report(answer=tuple(run_answer(report)))
    if report.ranks_networks:
        yield from network_reports(report.networks, report.view.limit)
    if report.compares_modes:
        yield from mode_reports(report.modes, report.view.limit)
    cases = _cases(report)
    highlights = _highlights(report.selected) if len(report.tabled) > LARGE_RUN and not report.view.sort else ()
    summary = totals.summarise(report.selected, report.asked)
    yield Report(
        tables=(cases, *highlights) if report.tabled else (),
        notes=tuple(_notes(report, cases)),
        brief=(provenance.origin_line({"": report.provenance}),),
        asides=tuple(_asides(report)),
        verbose=report.view.verbose,
        commands=tuple(next_commands(report.networks, report.case_files)),
        sums=(f"{summary.sentence()}; {count(summary.operators, 'operator')} in {_time(report, summary)}",),
    )


def _time(report: RunReport, summary: totals.RunSummary) -> str:
    """The time of measuring; before it that of a whole run on several machines, which measure at once."""
    machines = {outcome.machine for outcome in report.selected if outcome.machine}
    if len(machines) < 2:
        return span(summary.seconds)
    measuring = f"{span(summary.seconds)} of measuring on {count(len(machines), 'machine')}"
    if isinstance(report.end, RunEnd) and len(report.selected) == len(report.outcomes):
        return f"{span(report.end.seconds)}, {measuring}"
    return measuring


def run_answer(report: RunReport) -> Iterator[str]:
    """The networks, then the suspicious cases, the numbers of measured and doubtful cases, and the slowest case."""
    outcomes = report.selected
    yield from (sentence for network in report.networks for sentence in network_answer(network))
    yield from provenance.anomaly_sentences(outcomes)
    doubts = report.warnings.words
    measured = sum(outcome.status is Status.MEASURED for outcome in outcomes)
    of_measured = f", {f'warnings: {doubts}' if doubts else 'no warning'}" if measured else ""
    parts = [f"{measured} of {count(len(outcomes), 'case')} measured{of_measured}"]
    parts += [] if measured else _broken(outcomes)
    parts += (f"the slowest: {_slow(outcome)}" for outcome in totals.slowest([] if report.networks else outcomes, 1))
    yield from ["; ".join(parts)] if outcomes else []


def _broken(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Why the first case failed, crashed or timed out, and how many more did."""
    broken = [outcome for outcome in outcomes if outcome.status in BROKEN]
    more = f"; {len(broken) - 1} more failed, crashed or timed out" if len(broken) > 1 else ""
    for outcome in broken[:1]:
        name = f"{outcome.operator} ({profile_label(outcome.profile)})"
        yield one_line(f"{name} {outcome.status.value}: {outcome.reason}{more}")


def _slow(outcome: Outcome) -> str:
    inputs = brief_inputs(describe_case(outcome), outcome.profile)
    return f"{outcome.operator} forward {duration(case_time(outcome))} ({inputs})"


def _cases(report: RunReport) -> Table[Outcome]:
    """The cases by category and operator, or in the requested order."""
    view, rows = report.view, report.tabled
    room = max((len(profile_label(outcome.profile)) for outcome in rows), default=0)
    shared = {} if view.verbose else shared_notes(rows)

    def head(outcome: Outcome, width: int) -> str:
        digest = f"{one_line(outcome.case.rpartition('/')[2]):<8}  " if width >= _DIGEST_FROM else ""
        return f"{INDENT}{profile_label(outcome.profile):<{room}}  {digest}"

    def below(outcome: Outcome, width: int) -> Iterator[Text]:
        lines = [f"note: {note}" for note in totals.notes_of(outcome) if note not in shared]
        for line in (*lines, *(totals.details(outcome) if view.verbose else ())):
            yield from hanging(" " * len(head(outcome, width)), line.split(), width, "dim")

    return Table(
        f"by {view.sort}" if view.sort else "", report.columns, rows, count(len(rows), "case"), view,
        part=None if view.sort else lambda outcome: outcome.category, noun="case",
        section=None if view.sort else lambda outcome: outcome.operator,
        words=_sorted_words if view.sort else case_words, head=head, instead=totals.failure, below=below,
        alike=_skipped if len(rows) > LARGE_RUN and not view.sort else None,
        style=lambda outcome: "" if outcome.status is Status.MEASURED else totals.STATUS_STYLE[outcome.status],
    )  # fmt: skip


def _sorted_words(outcome: Outcome) -> list[str]:
    return [one_line(outcome.operator), *case_words(outcome)]


def _skipped(outcome: Outcome) -> str:
    return totals.verdict(outcome) if outcome.status is Status.SKIPPED else ""


def shared_notes(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """The notes that many cases have, with the number of these cases; each view is told at its case."""
    notes = Counter(note for outcome in outcomes for note in totals.notes_of(outcome))
    return {note: cases for note, cases in notes.items() if cases > MAX_REPEATED_NOTES and not note.endswith(VIEW)}


def _notes(report: RunReport, cases: Table[Outcome]) -> Iterator[str]:
    """The meaning of warnings, shared notes, advice on the machine's speed and roofline, hidden rows, provenance."""
    shown, rows, verbose = report.ranking, report.tabled, report.view.verbose
    if any(outcome.status is Status.MEASURED for outcome in rows):
        yield front_end_line(rows)
        yield totals.without_gradient(rows, backward=report.runs_backward)
    # The tables of networks and modes have no warning codes, so the counts include their cases.
    if report.has_tables_of_groups or any(column.name == WARNING_CODES for column in cases.shown):
        yield from report.warnings.legend([outcome] for outcome in shown)
    if not verbose:
        yield from (f"note of {count(cases_, 'case')}: {note}" for note, cases_ in shared_notes(rows).items())
    yield from (provenance.speed_advice(shown), provenance.roofline_line(shown, report.roofline), *report.left_out)


def _asides(report: RunReport) -> Iterator[str]:
    """The provenance; the machine's load and speed, on which nobody acts: warnings name the disturbed cases."""
    yield from provenance.provenance_lines(report.provenance) if report.provenance else ()
    yield from (
        provenance.load(report.ranking),
        "" if provenance.speed_advice(report.ranking) else provenance.speed_line(report.ranking),
    )


def _highlights(outcomes: Sequence[Outcome]) -> Iterator[Table[Any]]:
    """The slowest cases, and the reasons for missing figures."""
    rows = RankedOutcomes(totals.slowest(outcomes, MAX_ALIASES * SLOWEST))[:SLOWEST]
    if rows:
        yield Table("slowest forward", _SLOWEST, rows)
    yield from totals.reasons_table(totals.reasons(outcomes))


_SLOWEST: tuple[Column[Outcome], ...] = (
    fact("operator", lambda outcome: outcome.operator, place=Place.LEAD),
    fact("profile", lambda outcome: outcome.profile, place=Place.LEAD),
    fact("inputs", describe_case, place=Place.LEAD),
    Column("time", "time", case_time, unit="us", place=Place.FIGURE),
)


def json_lines(report: RunReport) -> Iterator[str]:
    """A JSON object: an outcome a line, as the run file has it.

    `{"run": header, "machines": [...], "outcomes": [...], "summary": {...}, "anomalies": [...],
    "provenance": {...}, "end": end}`; where there are networks, layers and composites, `"networks": [...]`,
    `"layers": [...]` and `"composites": [...]` too.
    """
    groups: dict[str, object] = {
        "networks": list(map(network_record, report.networks)),
        "layers": [mode_record(times) for times in report.modes if times.outcome.category == LAYERS],
        "composites": [mode_record(times) for times in report.modes if times.outcome.category != LAYERS],
    }
    return table.json_lines({
        "run": report.header,
        "machines": report.machines,
        "outcomes": iter(report.rows),
        "summary": totals.summarise(report.selected, report.asked),
        **{name: records for name, records in groups.items() if records},
        "anomalies": anomalies(report.selected),
        "provenance": report.provenance,
        "end": report.end,
    })  # fmt: skip
