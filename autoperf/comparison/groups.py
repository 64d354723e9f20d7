"""The headlines of a comparison: geometric means by operator or category, whole networks, and sides by name."""

from __future__ import annotations

import math
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import PurePath
from typing import NamedTuple

from autoperf.comparison.comparison import CHANGED, ComparedFigure, Comparison, Verdict
from autoperf.comparison.report import SIDES, ComparisonReport, spell
from autoperf.core.clocks import CLOCKS, KERNEL, METRICS, PYTHON, WALL, metric_named
from autoperf.core.errors import UsageError
from autoperf.core.outcome import BROKEN, PASSES, Outcome, PassName
from autoperf.core.releases import release_title
from autoperf.reports.columns import MACHINE, Column, Place, Value, View, fact
from autoperf.reports.layout import grouped
from autoperf.reports.provenance import origin_line, provenance_columns, provenance_lines
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, change_words, count, factor, one_line, quantity
from autoperf.runs.runfile import Provenance
from autoperf.summary.runs import RunReport

MAX_NAMED = 3
"""Maximum number of operators and passes that a sentence names."""
WIDE = 2.0
"""The ratio of the ends of an interval from which no sentence gives its ratio."""
UNEQUAL = 1.5
"""The ratio of the largest and the smallest effect on an operator's inputs from which a sentence gives both."""
NAMES = ("base", "new")


def side_names(comparison: Comparison) -> tuple[str, str]:
    """Base and new by what differs: their releases, the paths of their builds, or the variables of `--env`."""
    base, new = comparison.base_provenance, comparison.new_provenance
    if not (base and new):
        return NAMES
    titles = release_title(base.release), release_title(new.release)
    if titles[0] != titles[1]:
        return titles
    if base.build != new.build:
        return _differing(base.build, new.build)
    return _variables(base)


def _differing(base: str, new: str) -> tuple[str, str]:
    """The parts of two libraries' folders between their common beginning and end."""
    parts = [[*PurePath(path).parent.parts] for path in (base, new)]
    for at in (0, -1):
        while min(map(len, parts)) > 1 and parts[0][at] == parts[1][at]:
            for each in parts:
                each.pop(at)
    first, second = (str(PurePath(*each)) if each else "" for each in parts)
    return (first, second) if first != second else NAMES


def _variables(provenance: Provenance) -> tuple[str, str]:
    """The variables that a command which compared gave to each side."""
    given: dict[str, list[str]] = {"A": [], "B": []}
    for option, value in pairwise(shlex.split(provenance.command.replace("--env=", "--env "))):
        if option == "--env" and value[:1] in given and value[1:2] == ":":
            given[value[0]].append(value[2:])
    base, new = (" ".join(values) or name for values, name in zip(given.values(), NAMES, strict=True))
    return base, new


class Effect(NamedTuple):
    """A change of an operator's pass in one direction, by the clock that shows it on the most of its inputs.

    `factors` are above 1; those with a wide interval are left out. `least` is the smallest that any interval allows.
    """

    name: str
    factors: tuple[float, ...]
    least: float
    changed: int
    inputs: int

    @property
    def strength(self) -> tuple[bool, float]:
        """The order of effects: those that are known within a factor of two first, the largest first."""
        return bool(self.factors), max(self.factors, default=self.least)

    @property
    def times(self) -> str:
        """`1.40`, `1.08 to 8.39` of unequal ones, or `at least 1.10` if no interval is narrow."""
        if not self.factors:
            return f"at least {factor(self.least)}"
        low, high = min(self.factors), max(self.factors)
        if high / low >= UNEQUAL:
            return f"{factor(low)} to {factor(high)}"
        return factor((low * high) ** 0.5)


def effects(figures: Sequence[ComparedFigure], verdict: Verdict) -> list[Effect]:
    """The effects in one direction on each operator and pass, the largest first; whole networks are none."""
    operators = (figure for figure in figures if not (figure.network or figure.code))
    groups = grouped(operators, lambda figure: (figure.operator, figure.pass_)).values()
    found = (_effect(members, verdict) for members in groups if any(each.verdict is verdict for each in members))
    return sorted(found, key=lambda effect: effect.strength, reverse=True)


def _effect(members: Sequence[ComparedFigure], verdict: Verdict) -> Effect:
    by_clock = grouped((figure for figure in members if figure.verdict is verdict), lambda figure: figure.clock)
    order = [metric.name for metric in METRICS]
    clock = min(by_clock, key=lambda name: (-len(by_clock[name]), order.index(name)))
    changed, sign = by_clock[clock], 1 if verdict is Verdict.SLOWER else -1
    inputs = {figure.case for figure in members if figure.clock == clock}
    words = "" if clock in (KERNEL.name, PYTHON.name) else f" {metric_named(clock).title}"
    return Effect(
        one_line(f"{members[0].operator} {members[0].pass_}{words}"),
        tuple(figure.ratio**sign for figure in changed if figure.high <= WIDE * figure.low),
        min(figure.low if sign > 0 else 1 / figure.high for figure in changed),
        len(changed),
        len(inputs),
    )


def headlines(comparison: Comparison) -> Iterator[str]:
    """Whole networks; then what is slower, and what is faster."""
    base, new = side_names(comparison)
    yield from network_sentences(comparison)
    for verdict in CHANGED:
        found = effects(comparison.cases, verdict)
        if found:
            yield _sentence(found, f"{new} is", f"times {verdict.value} than {base}")
        elif verdict is Verdict.SLOWER and _is_timed_without(verdict, comparison):
            yield "no measurement is slower"


def _is_timed_without(verdict: Verdict, comparison: Comparison) -> bool:
    """Whether some times were compared, and none has this verdict, or is accepted."""
    timed = [figure.verdict for figure in comparison.cases if not figure.code]
    is_of_results = bool(comparison.cases or comparison.equal_results)
    return not {verdict, Verdict.ACCEPTED} & {*timed} and (bool(timed) or not is_of_results)


def _sentence(found: Sequence[Effect], subject: str, words: str) -> str:
    """`new is 1.40 times slower than base in softmax forward (3 of 3 inputs), 1.20 times in exp forward (1 of 3)`."""
    first, *others = found[:MAX_NAMED]
    parts = [f"{subject} {first.times} {words} in {first.name} ({first.changed} of {count(first.inputs, 'input')})"]
    parts += [f"{each.times} times in {each.name} ({each.changed} of {each.inputs})" for each in others]
    if len(found) > MAX_NAMED:
        parts.append(f"and in {len(found) - MAX_NAMED} more")
    return ", ".join(parts)


def network_sentences(comparison: Comparison) -> Iterator[str]:
    """The whole of each network that fails on one side alone; its time on both sides, and the verdict."""
    names = dict(zip(NAMES, side_names(comparison), strict=True))
    for entry in comparison.unmatched:
        broken = entry.reason.startswith(tuple(status.value for status in BROKEN))
        if entry.network and entry.missing in names and broken:
            yield one_line(f"{entry.network}, {entry.profile}: fails in {names[entry.missing]} ({entry.reason})")
    whole = grouped(
        (figure for figure in comparison.cases if figure.network),
        lambda figure: (figure.network, figure.profile, figure.pass_),
    )
    for (network, mode, pass_), members in whole.items():
        by_clock = {figure.clock: figure for figure in members}
        figure = next((by_clock[clock.name] for clock in (PYTHON, WALL) if clock.name in by_clock), members[0])
        unit = metric_named(figure.clock).unit
        times = f"{names['base']} {quantity(figure.base_us, unit)}, {names['new']} {quantity(figure.new_us, unit)}"
        yield one_line(f"{network}, {mode} {pass_}: {times}: {_verdict(figure)}")


def _verdict(figure: ComparedFigure) -> str:
    if figure.verdict not in CHANGED:
        return figure.verdict.value
    is_slower = figure.verdict is Verdict.SLOWER
    times = figure.ratio if is_slower else 1 / figure.ratio
    if figure.high > WIDE * figure.low:
        return f"at least {factor(figure.low if is_slower else 1 / figure.high)} times {figure.verdict.value}"
    return f"{factor(times)} times {figure.verdict.value}"


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
        order = self.view.order(self.groups, self.columns)
        ordered = self.groups if order is None else [self.groups[position] for position in order]
        return ordered[: self.view.limit]

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
    times = (
        Column(
            f"{name}_{clock.name}", clock.name, _value(f"{name}_{clock.name}"), None, name, clock.unit,
            f"{name}_{clock.name}{clock.csv_suffix}", Place.FIGURE,
            optional=clock.on_request,
        )
        for name in PASSES
        for clock in CLOCKS
    )  # fmt: skip
    return (*_leading(by, "cases"), *times, *map(_roofline, PASSES))


def _roofline(pass_: PassName) -> Column[RowGroup]:
    name = f"{pass_}_roofline"
    return Column(
        name, "roofline", _value(name), group=pass_, unit="share", csv=name, place=Place.FIGURE, optional=True,
        always=True, room=10,
    )  # fmt: skip


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
    words = (
        Column(name, name, _value(name), csv=name, place=Place.FIGURE, right=False, room=room)
        for name, room in (("pass", 10), ("clock", 8))
    )
    times = (
        Column(side, side, _value(side), _reading(side), csv=f"{side}_us", unit="us", place=Place.FIGURE)
        for side in ("base", "new")
    )
    counts = (
        Column(verdict.value, verdict.value, _value(verdict.value), csv=verdict.value, place=place, room=8)
        for verdict, place in ((verdict, Place.FIGURE if verdict in CHANGED else Place.REQUEST) for verdict in Verdict)
    )
    ratio: Column[RowGroup] = Column("ratio", "ratio", _value("ratio"), _ratio, csv="ratio", place=Place.FIGURE, room=8)
    change: Column[RowGroup] = Column("change", "change", _change, place=Place.FIGURE, room=14, optional=True)
    return (*_leading(by, "figures"), *words, *times, ratio, change, *counts)


def grouped_comparison(report: ComparisonReport) -> GroupedReport:
    """The figures of a comparison by group, pass and clock; the quotient of the geometric means is their ratio."""
    by = group_of_sides(report.view)
    members: dict[tuple[str, str, str], list[ComparedFigure]] = defaultdict(list)
    for figure in report.selected:
        if not figure.returns_view:
            members[getattr(figure, by), figure.pass_, figure.clock].append(figure)
    groups = [RowGroup(key[0], len(figures), _compared(key, figures)) for key, figures in members.items()]
    columns = (*comparison_group_columns(by), *report.columns_of_sides)
    notices = report.comparison.notices
    told = (NOTE, views_line(report.operators_of_views), *notices)
    return GroupedReport(by, "figure", groups, columns, report.view, told, dict(report.provenances))


def views_line(operators: Sequence[str], noun: str = "figure", how: str = "left out of means") -> str:
    """How many figures are of views, given by their operators; empty without any."""
    listed = ", ".join(dict.fromkeys(operators))
    return f"{how}: {count(len(operators), noun)} of views, which move no memory: {listed}" if operators else ""


def _medians(outcome: Outcome) -> Iterator[tuple[str, float]]:
    for name in PASSES:
        run = outcome.passes.get(name)
        for clock in CLOCKS:
            series = run.series(clock) if run else None
            if series:
                yield f"{name}_{clock.name}", series.median
        throughput = run.throughput if run else None
        if throughput and throughput.roofline is not None:
            yield f"{name}_roofline", throughput.roofline


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
    number: Column[RowGroup] = Column(
        counted, counted, lambda group: group.count, csv=counted, place=Place.FIGURE, room=9
    )
    return fact(by, lambda group: group.name, place=Place.LEAD), number


def _value(name: str) -> Callable[[RowGroup], Value]:
    return lambda group: group.values.get(name)


def _number(group: RowGroup, name: str) -> float | None:
    value = group.values.get(name)
    return float(value) if isinstance(value, int | float) else None


def _reading(side: str) -> Callable[[RowGroup], str]:
    return lambda group: quantity(_number(group, side), metric_named(str(group.values["clock"])).unit)


def _ratio(group: RowGroup) -> str:
    ratio = _number(group, "ratio")
    return NONE if ratio is None else spell(ratio)


def _change(group: RowGroup) -> str | None:
    """The factor where measurements of the group changed in one direction: `1.10x slower`; `mixed` if in both."""
    ratio = _number(group, "ratio")
    changed = [verdict for verdict in CHANGED if group.values[verdict.value]]
    if ratio is None or not changed:
        return None
    is_one_way = len(changed) == 1 and (ratio > 1) is (changed[0] is Verdict.SLOWER)
    return change_words(ratio) if is_one_way else "mixed"
