"""Several releases: ratios by operator and case, their changes, and both as documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from autoperf.comparison.groups import GroupedReport, RowGroup, geometric_mean, number_of, value_of, views_line
from autoperf.comparison.report import counts_advice, spell
from autoperf.comparison.side_by_side import ReleaseFigures, ReleaseRun, ReleaseStep, methods_line, release_figures
from autoperf.comparison.side_by_side import release_reports as case_reports
from autoperf.core.clocks import COUNTERS
from autoperf.core.outcome import PassName
from autoperf.core.texts import count
from autoperf.reports.columns import Column, Place, Value, View, fact, numeric
from autoperf.reports.layout import grouped
from autoperf.reports.table import Report, Table
from autoperf.reports.units import change_words, factor, first_of

EARLIER = "earlier releases"
"""The base of a change whose cases were last measured in several releases."""


@dataclass(frozen=True, slots=True)
class GroupRatios:
    """A pass of an operator or of a category, with the number of its figures.

    `ratios` has for each release the geometric mean of the cases' ratios to their first release, `steps` the changes of
    which all cases that changed in a release agree whether it became slower.
    """

    name: str
    category: str
    pass_: PassName
    figures: int
    ratios: tuple[float | None, ...]
    steps: tuple[ReleaseStep, ...]

    def ratio(self, at: int) -> float | None:
        """The ratio of a release."""
        return self.ratios[at]


def group_ratios(figures: Iterable[ReleaseFigures], by: str) -> Iterator[GroupRatios]:
    """The ratios of each pass by this attribute of outcomes, such as `operator`, in the order of the figures."""
    groups = grouped(figures, lambda row: (str(getattr(row.outcome, by)), row.pass_))
    for (name, pass_), members in groups.items():
        ratios, steps = mean_ratios(members), tuple(common_steps(members))
        yield GroupRatios(name, members[0].outcome.category, pass_, len(members), ratios, steps)


def mean_ratios(members: Sequence[ReleaseFigures]) -> tuple[float | None, ...]:
    """For each release the geometric mean of the figures' ratios to their first release, without views.

    A case that a later release has first would add a 1 there, and hide what became of the others.
    """
    kernels = [row for row in members if not row.returns_view and any(row.series)]
    start = min((row.first for row in kernels), default=0)
    releases = range(len(members[0].labels))
    ratios = ([row.ratio(at) for row in kernels if row.first < at or at == start] for at in releases)
    return tuple(geometric_mean(filter(None, known)) for known in ratios)


def common_steps(members: Sequence[ReleaseFigures]) -> Iterator[ReleaseStep]:
    """The changes of which all figures that changed in a release agree whether it became slower."""
    by_label = grouped((step for row in members for step in row.steps()), lambda step: step.label)
    for label in members[0].labels:
        ratios = [step.ratio for step in by_label.get(label, ())]
        mean = geometric_mean(ratios)
        if mean and len({ratio > 1 for ratio in ratios}) == 1:
            bases = {step.base for step in by_label[label]}
            yield ReleaseStep(label, mean, bases.pop() if len(bases) == 1 else EARLIER)


MIN_CHANGES = 100
"""The width that the changes need on a terminal."""
RATIO = "ratio "
NOTE = "ratios are geometric means over the cases, to the first release that has a figure; above 1 it is slower"


def release_group_columns(by: str, labels: Sequence[str]) -> tuple[Column[RowGroup], ...]:
    """The columns of a run of several releases by group: the pass, and the ratio of each release.

    Operators also have the changes by release; the operators of a category rarely change alike.
    """
    columns: list[Column[RowGroup]] = [
        fact(by, lambda group: group.name, place=Place.LEAD),
        Column("cases", "cases", lambda group: group.count, csv="cases"),
        fact("pass", value_of("pass"), place=Place.FIGURE),
    ]
    for label, name in ((label, f"{RATIO}{label}") for label in labels):
        columns.append(numeric(name, value_of(name), _spelled(name), header=label))
    changes: Column[RowGroup] = fact("changes", value_of("changes"), place=Place.FIGURE, room=MIN_CHANGES)
    return (*columns, *([replace(changes, priority=1)] if by == "operator" else []))


def requested_labels(view: View) -> list[str]:
    """The releases whose ratios a view names, before the releases themselves are known."""
    return [name.removeprefix(RATIO) for name in view.names if name.startswith(RATIO)]


def grouped_releases(runs: Sequence[ReleaseRun]) -> GroupedReport:
    """The runs of several releases in the groups that the first one's view requests."""
    view, labels = runs[0].run.view, [run.label for run in runs]
    figures = list(release_figures(runs))
    groups = []
    for row in group_ratios(figures, view.group_by):
        ratios: dict[str, Value] = {f"{RATIO}{label}": ratio for label, ratio in zip(labels, row.ratios, strict=True)}
        values = {"pass": row.pass_, **ratios, "changes": changes_text(row.steps)}
        groups.append(RowGroup(row.name, row.figures, values))
    measured = [group for group in groups if any(group.values[f"{RATIO}{label}"] for label in labels)]
    columns = release_group_columns(view.group_by, labels)
    views = [row.outcome.operator for row in figures if row.returns_view]
    lacking = len(groups) - len(measured)
    left_out = f"left out: {count(lacking, 'row')} without a time in any release" if lacking else ""
    selected = runs[0].run.selection_line
    told = (NOTE, methods_line(runs), views_line(views), left_out, selected, *_without_times(labels, figures).values())
    origins = {run.label: run.run.provenance for run in runs}
    return GroupedReport(view.group_by, "figure", measured, columns, view, told, origins)


def changes_text(steps: Iterable[ReleaseStep]) -> str:
    """The changes by release: `2.15x faster in 2.0.0b1; 1.20x slower in 2.0.0`."""
    return "; ".join(f"{change_words(step.ratio)} in {step.label}" for step in steps)


def _spelled(name: str) -> Callable[[RowGroup], str]:
    return lambda group: spell(number_of(group, name))


MAX_NAMED = 3
"""The operators that a sentence names in either direction."""
MAX_CHANGED = 12
"""The operators that the table lists in either direction, unless --limit sets how many."""


def release_reports(runs: Sequence[ReleaseRun]) -> list[Report]:
    """The changes in each release, with the operators that changed most in either direction; then every case."""
    if not _are_releases(runs):
        return case_reports(runs)
    labels, figures = [run.label for run in runs], list(release_figures(runs))
    changed = by_change(group_ratios(figures, "operator"))
    limit = runs[0].run.view.limit or MAX_CHANGED
    rows = [row for members in grouped(changed, _direction).values() for row in members[:limit]]
    rooms = [max(10, len(label) + 2) for label in labels]
    columns: list[Column[GroupRatios]] = [
        fact("operator", lambda row: row.name, place=Place.LEAD),
        fact("pass", lambda row: row.pass_, place=Place.FIGURE),
        *(ratio_column(label, label, at, place=Place.FIGURE, room=rooms[at]) for at, label in enumerate(labels)),
    ]
    table = Table("", columns, rows, part=_direction, noun="operator", compact=True)
    answer = tuple(release_answer(labels, figures, changed))
    return [Report(answer=answer, tables=(table,) if rows else ()), *case_reports(runs)]


def answer_of_releases(runs: Sequence[ReleaseRun]) -> Iterator[str]:
    """The changes in each release; nothing for runs that don't follow each other."""
    if _are_releases(runs):
        figures = list(release_figures(runs))
        changed = by_change(group_ratios(figures, "operator"))
        yield from release_answer([run.label for run in runs], figures, changed)


def _are_releases(runs: Sequence[ReleaseRun]) -> bool:
    releases = [run.run.provenance.release for run in runs if run.run.provenance]
    return len({" " in release and release.partition(" ")[0] for release in releases}) < 2


def by_change(operators: Iterable[GroupRatios]) -> list[GroupRatios]:
    """The operators that changed: slower ones, then faster ones, in each the largest change first."""
    changed = [row for row in operators if row.steps]
    return sorted(changed, key=lambda row: (_direction(row) != SLOWER, -abs(math.log(_total(row)))))


SLOWER, FASTER = "slower", "faster"


def _total(row: GroupRatios) -> float:
    return math.prod(step.ratio for step in row.steps)


def _direction(row: GroupRatios) -> str:
    return SLOWER if _total(row) > 1 else FASTER


def release_answer(
    labels: Sequence[str], figures: Sequence[ReleaseFigures], changed: Sequence[GroupRatios]
) -> Iterator[str]:
    """For each release but the first the operators that became slower and faster, the largest changes first."""
    without = _without_times(labels, figures)
    for before, label in pairwise(labels):
        if label in without:
            yield without[label]
            continue
        steps = [(row, step) for row in changed for step in row.steps if step.label == label]
        parts = [
            f"{word} than {base} in {_named(found)}"
            for word in (SLOWER, FASTER)
            for base, found in grouped(
                (pair for pair in steps if (pair[1].ratio > 1) is (word == SLOWER)), lambda pair: pair[1].base
            ).items()
        ]
        yield f"{label} is {'; '.join(parts) or f'nowhere known to differ from {before} by 10% or more'}"


def _without_times(labels: Sequence[str], figures: Sequence[ReleaseFigures]) -> dict[str, str]:
    """The releases that have no time in common with those before them, each with a line that says so."""
    passes = [run for row in figures if not any(row.series) and (run := row.outcome.passes.get(row.pass_))]
    advice = counts_advice(counter for counter in COUNTERS if any(run.series(counter) for run in passes))
    return {
        label: f"{label} and {before} have no time in common, so nothing is compared{advice}"
        for at, (before, label) in enumerate(pairwise(labels), 1)
        if not any(row.series[at] and any(row.series[:at]) for row in figures)
    }


def _named(found: Sequence[tuple[GroupRatios, ReleaseStep]]) -> str:
    ordered = sorted(found, key=lambda pair: -abs(math.log(pair[1].ratio)))
    names = [f"{row.name} {row.pass_} ({factor(max(step.ratio, 1 / step.ratio))} times)" for row, step in ordered]
    return ", ".join(first_of(names, MAX_NAMED))


def ratio_column(name: str, header: str, at: int, **layout: Any) -> Column[Any]:
    """The ratio of a release, by its number, of a row that has the ratios of all."""
    return Column(name, header, lambda row: row.ratio(at), lambda row: spell(row.ratio(at)), **layout)
