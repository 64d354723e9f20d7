"""A run as documents: its answer, tables of networks, modes and cases, what its figures are worth; and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.text import Text

from autoperf.core.graph import LAYERS, MODES
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import BROKEN, PASSES, VIEW, Outcome, PassName, Status
from autoperf.core.texts import count
from autoperf.networks.report import ModeTimes, network_answer, network_record, network_reports, next_commands
from autoperf.reports import provenance, table, totals, units
from autoperf.reports.columns import Column, Place, fact, numeric
from autoperf.reports.layout import INDENT, grouped, hanging
from autoperf.reports.run_columns import WARNING_CODES, front_end_line
from autoperf.reports.table import Report, Table
from autoperf.runs.anomalies import anomalies
from autoperf.summary.runs import RankedOutcomes, RunReport, case_time

MAX_KERNELS = 4
MIN_SHARE = 0.01
"""A kernel is listed if it takes this share of the pass's wall time in one of the modes."""
NOUN = "configuration"
"""The noun of the compared items: a layer with its arguments and arrays, or a composite with its arrays."""
LEGEND = (
    "wall: the median time of a call, of a layer through Gluon with its Python. static: hybridized with static_alloc "
    "and static_shape. speed-up: against the imperative mode. no kernel: Python, dispatch, the engine's queue. "
    "GFLOP/s, GB/s: the work of the operators in the graph, over the kernels' time. memory: the peak of its allocations"
)
FRAMEWORKS_LEGEND = (
    "python: the median time of a call from Python. imperative: MXNet's functions of mx.nd one after the other; "
    "hybridized, static: its CachedOp, static with static_alloc and static_shape. speed-up: against imperative. other "
    "columns: a function of straight-line code in that framework. kernels, no kernel: the time with and without one"
)
RATIO = "ratio"
_TITLES = {LAYERS: "layers", COMPOSITE_NAMESPACE: "composites"}


@dataclass(frozen=True)
class ModeRow:
    """One quantity of a pass by mode, in its unit. `name` names the input: its operator, arrays and arguments."""

    name: str
    pass_: PassName
    quantity: str
    values: Mapping[str, float]
    unit: str = "us"

    def spell(self, mode: str) -> str:
        """The value in a mode for a person."""
        value = self.values.get(mode)
        if value is None:
            return units.NONE
        return units.factor(value) if self.unit == RATIO else units.quantity(value, self.unit)


def mode_reports(times: Sequence[ModeTimes], limit: int | None) -> Iterator[Report]:
    """A report for layers, and one for composites, each with the first inputs up to a limit."""
    for category, members in grouped(times, lambda each: each.outcome.category).items():
        shown = members[:limit]
        hidden = f"{len(shown)} of {count(len(members), NOUN)} shown; --limit sets how many"
        legend = FRAMEWORKS_LEGEND if any(each.of_frameworks for each in members) else LEGEND
        notes = [*([hidden] if len(shown) < len(members) else []), legend]
        rows = [row for each in shown for row in mode_rows(each)]
        own = () if any(each.of_frameworks for each in shown) else tuple(MODES)
        modes = dict.fromkeys((*own, *(mode for each in shown for mode in each.modes)))
        table = Table(
            _TITLES[category], (*_FACTS, *map(_column, modes)), rows, count(len(shown), NOUN),
            section=lambda row: row.name, words=lambda row: [f"{row.pass_:<8}", units.one_line(row.quantity)],
        )  # fmt: skip
        yield Report(answer=tuple(median_speedups(members)), tables=(table,), notes=notes)


def mode_rows(times: ModeTimes) -> Iterator[ModeRow]:
    """The rows of each measured pass: time, speed-up, kernels, the time without one, work and memory."""
    # A composite's inputs have no name but its profile.
    size = [units.profile_label(times.outcome.profile)] if times.outcome.category == COMPOSITE_NAMESPACE else []
    name = " ".join([units.one_line(times.outcome.operator), *size, *units.case_words(times.outcome)])
    for pass_ in PASSES:
        wall, speedup = times.wall(pass_), times.speedup(pass_)
        if wall:
            yield ModeRow(name, pass_, times.clock.name, wall)
            yield from [ModeRow(name, pass_, "speed-up", speedup, RATIO)] if speedup else []
            yield from (ModeRow(name, pass_, kernel, us) for kernel, us in _kernels(times, pass_))
            rates = times.throughput(pass_)
            roofline = {mode: rate.roofline for mode, rate in rates.items() if rate.roofline is not None}
            amounts = (
                ("GFLOP/s", {mode: rate.gflop_per_s for mode, rate in rates.items() if rate.gflop_per_s}, RATIO),
                ("GB/s", {mode: rate.gb_per_s for mode, rate in rates.items()}, RATIO),
                ("roofline", roofline, "share"),
                ("memory", times.memory(pass_), "bytes"),
            )
            yield from (ModeRow(name, pass_, *amount) for amount in amounts if amount[1])


def _kernels(times: ModeTimes, pass_: PassName) -> Iterator[tuple[str, Mapping[str, float]]]:
    """The longest kernels, the others together, and the time without one; of several frameworks all together."""
    kernels, wall = times.kernels(pass_), times.wall(pass_)
    counting = [name for name, by_mode in kernels.items() if _counts(by_mode, wall)]
    listed = [] if times.of_frameworks else counting[:MAX_KERNELS]
    yield from ((name, kernels[name]) for name in listed)
    others = _sum(by_mode for name, by_mode in kernels.items() if name not in listed)
    if _counts(others, wall):
        more = count(len(kernels) - len(listed), "more kernel", "more kernels")
        yield "kernels" if times.of_frameworks else more, others
    without = times.without_kernel(pass_)
    if without:
        yield "no kernel", without


def _counts(times: Mapping[str, float], wall: Mapping[str, float]) -> bool:
    return any(us >= MIN_SHARE * wall[mode] for mode, us in times.items() if mode in wall)


def median_speedups(times: Sequence[ModeTimes]) -> Iterator[str]:
    """The median speed-up of each pass by mode, of several inputs."""
    bases = {each.base for each in times}
    modes = dict.fromkeys((*MODES, *(mode for each in times for mode in each.modes)))
    for pass_ in PASSES:
        speedups = [each.speedup(pass_) for each in times]
        by_mode = {mode: [each[mode] for each in speedups if mode in each] for mode in modes if mode not in bases}
        parts = [f"{mode} {units.factor(median(values))}" for mode, values in by_mode.items() if len(values) > 1]
        if parts:
            counted = count(max(map(len, by_mode.values())), NOUN)
            yield f"speed-up of the {pass_} pass in the median of {counted}: {', '.join(parts)}"


def mode_record(times: ModeTimes) -> dict[str, object]:
    """A layer or a composite as JSON has it: its cases by mode, and times by pass and mode in microseconds."""
    outcome = times.outcome
    names: dict[str, object] = {"layer": outcome.operator}
    if outcome.category != LAYERS:
        names = {"composite": outcome.operator, "profile": outcome.profile, "inputs": units.describe_inputs(outcome)}
        names["operators"] = times.operators
    return {
        **names,
        "cases": {mode: outcome.case for mode, outcome in times.modes.items()},
        "passes": [
            {
                "pass": pass_,
                "wall_us": times.wall(pass_),
                "speedup": times.speedup(pass_),
                "kernels": times.kernels(pass_),
                "no_kernel_us": times.without_kernel(pass_),
                "throughput": times.throughput(pass_),
                "memory_bytes": times.memory(pass_),
            }
            for pass_ in PASSES
            if times.wall(pass_)
        ],
    }


def _sum(kernels: Iterator[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for times in kernels:
        for mode, us in times.items():
            total[mode] = total.get(mode, 0.0) + us
    return total


def _column(mode: str) -> Column[ModeRow]:
    return numeric(mode, lambda row: row.values.get(mode), lambda row: row.spell(mode), "us")


_FACTS: tuple[Column[ModeRow], ...] = (
    fact("configuration", lambda row: row.name, place=Place.LEAD),
    fact("pass", lambda row: row.pass_, place=Place.LEAD),
    fact("quantity", lambda row: row.quantity, place=Place.LEAD),
)


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
    highlights: list[Table[Any]] = []
    if len(report.tabled) > LARGE_RUN and not report.view.sort:
        rows = RankedOutcomes(totals.slowest(report.selected, MAX_ALIASES * SLOWEST))[:SLOWEST]
        highlights += [Table("slowest forward", _SLOWEST, rows)] if rows else []
        highlights += totals.reasons_table(totals.reasons(report.selected))
    summary = totals.summarise(report.selected)
    yield Report(
        tables=(cases, *highlights) if report.tabled else (),
        notes=tuple(_notes(report, cases)),
        brief=(provenance.origin_line({"": report.provenance}),),
        # The machine's load and speed, on which nobody acts: warnings name the disturbed cases.
        asides=(
            *(provenance.provenance_lines(report.provenance) if report.provenance else ()),
            provenance.load(report.ranking),
            "" if provenance.speed_advice(report.ranking) else provenance.speed_line(report.ranking),
        ),
        verbose=report.view.verbose,
        commands=tuple(next_commands(report.networks, report.case_files)),
        sums=(f"{summary.sentence()}; {count(summary.operators, 'operator')} in {_time(report, summary)}",),
    )


def _time(report: RunReport, summary: totals.RunSummary) -> str:
    """The time of measuring; before it that of a whole run on several machines, which measure at once."""
    machines = {outcome.machine for outcome in report.selected if outcome.machine}
    if len(machines) < 2:
        return units.span(summary.seconds)
    measuring = f"{units.span(summary.seconds)} of measuring on {count(len(machines), 'machine')}"
    if report.end and len(report.selected) == len(report.outcomes):
        return f"{units.span(report.end.seconds)}, {measuring}"
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
    # Why the first case failed, crashed or timed out, and how many more did.
    broken = [] if measured else [outcome for outcome in outcomes if outcome.status in BROKEN]
    more = f"; {len(broken) - 1} more failed, crashed or timed out" if len(broken) > 1 else ""
    for outcome in broken[:1]:
        name = f"{outcome.operator} ({units.profile_label(outcome.profile)})"
        parts.append(units.one_line(f"{name} {outcome.status.value}: {outcome.reason}{more}"))
    for outcome in totals.slowest([] if report.networks else outcomes, 1):
        inputs = units.brief_inputs(units.describe_case(outcome), outcome.profile)
        parts.append(f"the slowest: {outcome.operator} forward {units.duration(case_time(outcome))} ({inputs})")
    yield from ["; ".join(parts)] if outcomes else []


def _cases(report: RunReport) -> Table[Outcome]:
    """The cases by category and operator, or in the requested order."""
    view, rows = report.view, report.tabled
    room = max((units.width_of(units.profile_label(outcome.profile)) for outcome in rows), default=0)
    shared = {} if view.verbose else shared_notes(rows)

    def head(outcome: Outcome, width: int) -> str:
        digest = f"{units.one_line(outcome.case.rpartition('/')[2]):<8}  " if width >= _DIGEST_FROM else ""
        return f"{INDENT}{units.padded(units.profile_label(outcome.profile), room)}  {digest}"

    def below(outcome: Outcome, width: int) -> Iterator[Text]:
        lines = [f"note: {note}" for note in totals.notes_of(outcome) if note not in shared]
        for line in (*lines, *(totals.details(outcome) if view.verbose else ())):
            yield from hanging(" " * units.width_of(head(outcome, width)), line.split(), width, "dim")

    def words(outcome: Outcome) -> list[str]:
        return [*([units.one_line(outcome.operator)] if view.sort else []), *units.case_words(outcome)]

    def skipped(outcome: Outcome) -> str:
        return totals.verdict(outcome) if outcome.status is Status.SKIPPED else ""

    return Table(
        f"by {view.sort}" if view.sort else "", report.columns, rows, count(len(rows), "case"), view,
        part=None if view.sort else lambda outcome: outcome.category, noun="case",
        section=None if view.sort else lambda outcome: outcome.operator,
        words=words, head=head, instead=totals.failure, below=below,
        alike=skipped if len(rows) > LARGE_RUN and not view.sort else None,
        style=lambda outcome: "" if outcome.status is Status.MEASURED else totals.STATUS_STYLE[outcome.status],
    )  # fmt: skip


def shared_notes(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """The notes that many cases have, with the number of these cases; each view is told at its case."""
    notes = Counter(note for outcome in outcomes for note in totals.notes_of(outcome))
    return {note: cases for note, cases in notes.items() if cases > MAX_REPEATED_NOTES and not note.endswith(VIEW)}


def _notes(report: RunReport, cases: Table[Outcome]) -> Iterator[str]:
    """The meaning of warnings, shared notes, advice on the machine's speed and roofline, hidden rows, provenance."""
    shown, rows, verbose = report.ranking, report.tabled, report.view.verbose
    if any(outcome.status is Status.MEASURED for outcome in rows):
        yield front_end_line(rows)
        backward = not report.header or bool(report.header.settings.get("backward", True))
        yield totals.without_gradient(rows, backward=backward)
    # The tables of networks and modes have no warning codes, so the counts include their cases.
    if report.has_tables_of_groups or any(column.name == WARNING_CODES for column in cases.shown):
        yield from report.warnings.legend([outcome] for outcome in shown)
    if not verbose:
        yield from (f"note of {count(cases_, 'case')}: {note}" for note, cases_ in shared_notes(rows).items())
    yield from (provenance.speed_advice(shown), provenance.roofline_line(shown, report.roofline), *report.left_out)


_SLOWEST: tuple[Column[Outcome], ...] = (
    fact("operator", lambda outcome: outcome.operator, place=Place.LEAD),
    fact("profile", lambda outcome: outcome.profile, place=Place.LEAD),
    fact("inputs", units.describe_case, place=Place.LEAD),
    numeric("time", case_time, unit="us"),
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
        "summary": totals.summarise(report.selected),
        **{name: records for name, records in groups.items() if records},
        "anomalies": anomalies(report.selected),
        "provenance": report.provenance,
        "end": report.end,
    })  # fmt: skip
