"""Geometric means by operator or category, of a run or of a comparison; and the gains of networks."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import msgspec

from autoperf.cases.store import StoredGroups
from autoperf.comparison.comparison import CHANGED, ComparedFigure, Comparison, NetworkChange, Verdict
from autoperf.comparison.headlines import WIDE
from autoperf.comparison.report import SIDES, ComparisonReport, spell
from autoperf.core.case import Case
from autoperf.core.clocks import KERNEL, METRICS, PYTHON, WALL, metric_named
from autoperf.core.errors import UsageError
from autoperf.core.files import NDJSON
from autoperf.core.graph import NETWORK, RANKING_MODES
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.texts import count
from autoperf.reports.columns import MACHINE, Column, Place, Value, View, fact, numeric
from autoperf.reports.layout import grouped
from autoperf.reports.provenance import origin_line, provenance_columns, provenance_lines
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, change_words, duration, percent, quantity
from autoperf.runs.runfile import Provenance
from autoperf.summary.runs import RunReport

MIN_NAME = 26
NOTE = "figures are geometric means"


@dataclass(frozen=True, slots=True)
class RowGroup:
    """The rows of one operator or category: its name, how many there are, and its values by column."""

    name: str
    count: int
    values: Mapping[str, Value]


@dataclass(frozen=True)
class GroupedReport:
    """A run or a comparison by group, as every format receives it. `noun` names the members: cases or figures."""

    by: str
    noun: str
    groups: Sequence[RowGroup]
    columns: tuple[Column[RowGroup], ...]
    view: View = field(default_factory=View)
    notes: tuple[str, ...] = ()
    provenances: Mapping[str, Provenance | None] = field(default_factory=dict)

    @cached_property
    def rows(self) -> Sequence[RowGroup]:
        """The groups in the requested order, as many as requested."""
        return self.view.limited(self.view.ordered(self.groups, self.columns))

    @property
    def left_out(self) -> str:
        """The number of groups that --limit leaves out, in words; empty if none."""
        return self.view.limit_line(len(self.rows), len(self.groups), "row")


def group_reports(report: GroupedReport) -> list[Report]:
    """The groups as a table, with the notes below."""
    total = sum(group.count for group in report.groups)
    parts = (report.columns, report.rows, count(total, report.noun), report.view)
    table = Table(f"by {report.by}", *parts, min_words=MIN_NAME, compact=True)
    lines = (
        f"{label}: {line}".removeprefix(": ")
        for label, provenance in report.provenances.items()
        for line in (provenance_lines(provenance) if provenance else ())
    )
    origin = (origin_line(report.provenances),)
    return [Report(tables=(table,), notes=(report.left_out, *report.notes), brief=origin, asides=tuple(lines))]


def group_document(report: GroupedReport) -> dict[str, object]:
    """`{"by": "operator", "groups": [...]}`, under the names of the CSV."""
    return {"by": report.by, "groups": Table("", report.columns, report.rows).records()}


def geometric_mean(values: Iterable[float]) -> float | None:
    """The geometric mean of the positive values; None without any."""
    logs = [math.log(value) for value in values if value > 0]
    return math.exp(math.fsum(logs) / len(logs)) if logs else None


def run_group_columns(by: str) -> tuple[Column[RowGroup], ...]:
    """The columns of a run by group, in the order of the CSV."""
    columns = [*_leading(by, "cases")]
    for pass_ in PASSES:
        for clock in METRICS:
            name = f"{pass_}_{clock.name}"
            value, optional = value_of(name), clock.on_request
            columns.append(numeric(name, value, unit=clock.unit, header=clock.name, group=pass_, optional=optional))
    for pass_ in PASSES:
        name = f"{pass_}_roofline"
        columns.append(numeric(
            name, value_of(name), unit="share", header="roofline", group=pass_, optional=True, always=True, room=10,
        ))  # fmt: skip
    return tuple(columns)


def grouped_run(report: RunReport) -> GroupedReport:
    """The selected cases of a run by group, with geometric means of medians; the work of one pass over the file."""
    by = report.view.group_by
    logs: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    counts: Counter[str] = Counter()
    views: list[str] = []
    for outcome in report.selected:
        name = report.machine_name(outcome) if by == MACHINE else getattr(outcome, by)
        counts[name] += 1
        for pass_, run in outcome.passes.items():
            for clock, series in run.metrics.items():
                logs[name][f"{pass_}_{clock.name}"].append(series.median)
            if run.throughput and run.throughput.roofline is not None:
                logs[name][f"{pass_}_roofline"].append(run.throughput.roofline)
        if any(run.returns_view for run in outcome.passes.values()):
            views.append(outcome.operator)
    groups = [
        RowGroup(name, number, {key: geometric_mean(values) for key, values in logs[name].items()})
        for name, number in counts.items()
    ]
    columns = (*run_group_columns(by), *provenance_columns(report.provenance))
    told = (NOTE, views_line(views, "case", "included"), report.selection_line)
    return GroupedReport(by, "case", groups, columns, report.view, told, {"": report.provenance})


def group_of_sides(view: View) -> str:
    """The attribute by which figures of several sides are grouped. Raises UsageError for the machine."""
    if view.group_by == MACHINE:
        raise UsageError("--group-by machine is for a single run: a figure of several sides is of several machines")
    return view.group_by


def comparison_group_columns(by: str) -> tuple[Column[RowGroup], ...]:
    """The columns of a comparison by group, in the order of the CSV."""
    counts = (
        numeric(each.value, value_of(each.value), place=Place.FIGURE if each in CHANGED else Place.REQUEST, room=8)
        for each in Verdict
    )
    return (
        *_leading(by, "figures"),
        fact("pass", value_of("pass"), place=Place.FIGURE, room=10),
        fact("clock", value_of("clock"), place=Place.FIGURE, room=8),
        *(numeric(side, value_of(side), partial(_reading, side=side), "us") for side in SIDES),
        numeric("ratio", value_of("ratio"), lambda group: spell(number_of(group, "ratio")), room=8),
        numeric("change", _change, csv="", room=14, optional=True),
        *counts,
    )


def grouped_comparison(report: ComparisonReport) -> GroupedReport:
    """The figures of a comparison by group, pass and clock; the quotient of the geometric means is their ratio."""
    by = group_of_sides(report.view)
    figures = (figure for figure in report.comparison.cases if not figure.returns_view)
    members = grouped(figures, lambda figure: _key(figure, by))
    listed = {_key(figure, by) for figure in report.listed}
    groups = [RowGroup(key[0], len(rows), _compared(key, rows)) for key, rows in members.items() if key in listed]
    columns = (*comparison_group_columns(by), *report.columns_of_sides)
    notices = report.comparison.notices
    hidden = f"{len(groups)} of {count(len(members), 'row')} with a change" if len(groups) < len(members) else ""
    told = (NOTE, hidden, views_line(report.operators_of_views), *notices)
    return GroupedReport(by, "figure", groups, columns, report.view, told, report.provenances)


def _key(figure: ComparedFigure, by: str) -> tuple[str, str, str]:
    return getattr(figure, by), figure.pass_, figure.clock


def views_line(operators: Sequence[str], noun: str = "figure", how: str = "left out of means") -> str:
    """How many figures are of views, given by their operators; empty without any."""
    listed = ", ".join(dict.fromkeys(operators))
    return f"{how}: {count(len(operators), noun)} of views, which move no memory: {listed}" if operators else ""


def _compared(key: tuple[str, str, str], figures: Sequence[ComparedFigure]) -> dict[str, Value]:
    verdicts = Counter(figure.verdict for figure in figures)
    # One uncertain ratio would decide the mean.
    certain = [figure for figure in figures if figure.high <= WIDE * figure.low] or figures
    base, new = (geometric_mean(getattr(figure, f"{side}_us") for figure in certain) for side in SIDES)
    return {
        "pass": key[1],
        "clock": key[2],
        "base": base,
        "new": new,
        "ratio": new / base if base and new else None,
        **{verdict.value: verdicts[verdict] for verdict in Verdict},
    }


def _leading(by: str, counted: str) -> tuple[Column[RowGroup], ...]:
    return fact(by, lambda group: group.name, place=Place.LEAD), numeric(counted, lambda group: group.count, room=9)


def value_of(name: str) -> Callable[[RowGroup], Value]:
    """The value of a column in a group."""
    return lambda group: group.values.get(name)


def number_of(group: RowGroup, name: str) -> float | None:
    """The value of a column in a group if it is a number."""
    value = group.values.get(name)
    return float(value) if isinstance(value, int | float) else None


def _reading(group: RowGroup, side: str) -> str:
    return quantity(number_of(group, side), metric_named(str(group.values["clock"])).unit)


def _change(group: RowGroup) -> str | None:
    """The factor where measurements of the group changed in one direction: `1.10x slower`; `mixed` if in both."""
    ratio = number_of(group, "ratio")
    changed = [verdict for verdict in CHANGED if group.values[verdict.value]]
    if ratio is None or not changed:
        return None
    is_one_way = len(changed) == 1 and (ratio > 1) is (changed[0] is Verdict.SLOWER)
    return change_words(ratio) if is_one_way else "mixed"


_CLOCKS = [clock.name for clock in (KERNEL, PYTHON, WALL)]
"""The clocks of calls, the first that a call has."""
MAX_NAMED, MAX_OPERATORS = 3, 3


def captured_files(path: Path) -> tuple[Path, ...]:
    """A captured file, or those of a folder."""
    return tuple(sorted(path.glob(f"*{NDJSON}"))) if path.is_dir() else (path,)


def captured_calls(path: Path, option: str = "--networks") -> list[Case]:
    """The calls and wholes of the networks in a captured file, or in a folder of them.

    Raises CaseFileError, and UsageError where there are none.
    """
    stored = (StoredGroups(file) for file in captured_files(path) if file.suffix == NDJSON)
    cases = [case for groups in stored for group in groups for case in group if case.calls]
    if not cases:
        raise UsageError(
            f"invalid {option} {path}: expected the file of `autoperf capture NETWORK --cases-file FILE{NDJSON}`, "
            "which counts the calls of a network, or a folder of such files"
        )
    return cases


def with_networks(comparison: Comparison, cases: Sequence[Case]) -> Comparison:
    """The comparison with what it gives the networks that make these calls.

    These are the changes of each pass of each network of which a call was compared, the largest share first.
    """
    by_case = grouped(comparison.cases, lambda figure: figure.case)
    calls: dict[str, dict[str, Case]] = defaultdict(dict)
    for case in cases:
        for name in case.calls or {}:
            calls[name][case.id] = case
    found = (_gain(name, pass_, list(members.values()), by_case) for name, members in calls.items() for pass_ in PASSES)
    networks = sorted(filter(None, found), key=lambda each: -abs(each.share or 0.0))
    return msgspec.structs.replace(comparison, networks=tuple(networks))


def _gain(
    name: str, pass_: PassName, cases: Sequence[Case], figures: Mapping[str, Sequence[ComparedFigure]]
) -> NetworkChange | None:
    """The change of a pass; None if none of its calls was compared."""
    calls = [(case, _figure(figures.get(case.id, ()), pass_)) for case in cases if case.category != NETWORK]
    covered = [((case.calls or {})[name], figure) for case, figure in calls if figure]
    if not covered:
        return None
    operators: dict[str, float] = defaultdict(float)
    for number, figure in covered:
        if figure.verdict in (*CHANGED, Verdict.ACCEPTED):
            operators[figure.operator] += number * (figure.new_us - figure.base_us)
    ordered = sorted(operators.items(), key=lambda item: -abs(item[1]))
    made = max((case.network_calls or {}).get(name, 0) for case in cases)
    compared = sum(number for number, _ in covered)
    return NetworkChange(
        name,
        pass_,
        calls=compared,
        made=max(made, compared),
        base_us=math.fsum(number * figure.base_us for number, figure in covered),
        change_us=math.fsum(operators.values()),
        operators=dict(ordered),
        whole_us=_whole(cases, pass_, figures),
    )


def _figure(figures: Iterable[ComparedFigure], pass_: PassName) -> ComparedFigure | None:
    timed = [figure for figure in figures if figure.pass_ == pass_ and figure.clock in _CLOCKS]
    return min(timed, key=lambda figure: _CLOCKS.index(figure.clock), default=None)


def _whole(cases: Iterable[Case], pass_: PassName, figures: Mapping[str, Sequence[ComparedFigure]]) -> float | None:
    """The time of a pass of the whole in base, by the clock of whole calls; None if it wasn't compared."""
    wholes = {case.mode: case for case in cases if case.category == NETWORK}
    for mode in RANKING_MODES:
        for figure in figures.get(wholes[mode].id, ()) if mode in wholes else ():
            if figure.pass_ == pass_ and figure.clock in _CLOCKS[1:]:
                return figure.base_us
    return None


def network_answer(comparison: Comparison) -> Iterator[str]:
    """A sentence for each of the networks that change most."""
    for change in comparison.networks[:MAX_NAMED]:
        operators = list(change.operators.items())[:MAX_OPERATORS]
        named = f", by {', '.join(f'{name} {_signed(us)}' for name, us in operators)}" if operators else ""
        whole = max(change.whole_us or 0.0, change.base_us)
        share = "" if change.share is None else f" ({change.share:+.1%} of {duration(whole)})"
        calls = f"{change.calls} of {count(change.made, 'call was', 'calls were')} compared"
        covered = "" if change.coverage is None else f", with {percent(change.coverage)} of its time"
        yield f"{change.name}, {change.pass_}: {_signed(change.change_us)}{share}{named}; {calls}{covered}"


def _signed(us: float) -> str:
    return f"{'+' if us > 0 else '-'}{duration(abs(us))}" if us else "no change"


def network_table(comparison: Comparison) -> Iterator[Table[NetworkChange]]:
    """The networks by the share that changes; nothing without --networks."""
    if comparison.networks:
        yield Table("networks", COLUMNS, comparison.networks, min_words=24)


COLUMNS: tuple[Column[NetworkChange], ...] = (
    fact("network", lambda change: change.name, place=Place.LEAD),
    fact("pass", lambda change: change.pass_, place=Place.LEAD),
    numeric("calls", lambda change: change.calls, lambda change: f"{change.calls} of {change.made}", room=14),
    numeric(
        "covered", lambda change: change.coverage, unit="share", header="of its time", csv="coverage", optional=True,
        room=13,
    ),
    numeric("base", lambda change: change.base_us, unit="us"),
    numeric("change", lambda change: change.change_us, lambda change: _signed(change.change_us), "us", room=12),
    numeric(
        "share", lambda change: change.share, lambda change: NONE if change.share is None else f"{change.share:+.1%}",
        "share", room=9,
    ),
)  # fmt: skip
