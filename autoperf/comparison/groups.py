"""Geometric means by operator or category, of a run or of a comparison."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autoperf.comparison.comparison import CHANGED, ComparedFigure, Verdict
from autoperf.comparison.headlines import WIDE
from autoperf.comparison.report import SIDES, ComparisonReport, spell
from autoperf.core.clocks import METRICS, metric_named
from autoperf.core.errors import UsageError
from autoperf.core.outcome import PASSES, Outcome
from autoperf.core.texts import count
from autoperf.reports.columns import MACHINE, Column, Place, Value, View, fact, numeric
from autoperf.reports.layout import grouped
from autoperf.reports.provenance import origin_line, provenance_columns, provenance_lines
from autoperf.reports.table import Report, Table
from autoperf.reports.units import change_words, quantity
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
    table = Table(
        f"by {report.by}",
        report.columns,
        report.rows,
        count(total, report.noun),
        report.view,
        min_words=MIN_NAME,
        compact=True,
    )
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
        for key, value in _medians(outcome):
            logs[name][key].append(value)
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
        *(numeric(side, value_of(side), _reading(side), "us") for side in SIDES),
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


def _medians(outcome: Outcome) -> Iterator[tuple[str, float]]:
    for name, run in outcome.passes.items():
        yield from ((f"{name}_{clock.name}", series.median) for clock, series in run.metrics.items())
        if run.throughput and run.throughput.roofline is not None:
            yield f"{name}_roofline", run.throughput.roofline


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


def _reading(side: str) -> Callable[[RowGroup], str]:
    return lambda group: quantity(number_of(group, side), metric_named(str(group.values["clock"])).unit)


def _change(group: RowGroup) -> str | None:
    """The factor where measurements of the group changed in one direction: `1.10x slower`; `mixed` if in both."""
    ratio = number_of(group, "ratio")
    changed = [verdict for verdict in CHANGED if group.values[verdict.value]]
    if ratio is None or not changed:
        return None
    is_one_way = len(changed) == 1 and (ratio > 1) is (changed[0] is Verdict.SLOWER)
    return change_words(ratio) if is_one_way else "mixed"
