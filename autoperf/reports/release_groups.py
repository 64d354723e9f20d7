"""Ratios between releases by operator or category, as a table of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from autoperf.reports.columns import Column, Place, Value, View, fact
from autoperf.reports.comparison_columns import spell
from autoperf.reports.groups import GroupedReport, RowGroup
from autoperf.reports.layout import grouped
from autoperf.reports.provenance import provenance_lines
from autoperf.reports.release_matrix import ReleaseFigures, common_steps, mean_ratios, release_figures
from autoperf.reports.side_by_side import ReleaseRun
from autoperf.reports.units import NONE

MIN_CHANGES = 100
"""The width that the changes need on a terminal."""
RATIO = "ratio "
NOTE = "ratios are geometric means over the cases, to the first release that has a figure; above 1 it is slower"


def release_group_columns(by: str, labels: Sequence[str]) -> tuple[Column[RowGroup], ...]:
    """The columns of a run of several releases by group: the pass, and the ratio of each release.

    For operators also what changed in which release; the operators of a category rarely change alike.
    """
    counted: Column[RowGroup] = Column("cases", "cases", lambda group: group.count, csv="cases", place=Place.REQUEST)
    ratios: Iterator[Column[RowGroup]] = (
        Column(name, label, _value(name), _ratio(label), csv=name, place=Place.FIGURE)
        for label in labels
        for name in [f"{RATIO}{label}"]
    )
    changes: Column[RowGroup] = Column(
        "changes",
        "changes",
        _value("changes"),
        csv="changes",
        place=Place.FIGURE,
        right=False,
        room=MIN_CHANGES,
        priority=1,
    )
    words: tuple[Column[RowGroup], ...] = (
        fact(by, lambda group: group.name, place=Place.LEAD),
        counted,
        fact("pass", _value("pass"), place=Place.FIGURE),
    )
    return (*words, *ratios, *((changes,) if by == "operator" else ()))


def requested_labels(view: View) -> list[str]:
    """The releases whose ratios a view names, before the releases themselves are known."""
    return [name.removeprefix(RATIO) for name in view.names if name.startswith(RATIO)]


def grouped_releases(runs: Sequence[ReleaseRun]) -> GroupedReport:
    """The runs of several releases by what the first one's view groups by."""
    view, labels = runs[0].run.view, [run.label for run in runs]
    members = grouped(release_figures(runs), lambda row: (str(getattr(row.outcome, view.group_by)), row.pass_))
    groups = [RowGroup(name, len(rows), _values(pass_, rows)) for (name, pass_), rows in members.items()]
    notes = [
        f"{run.label}: {line}"
        for run in runs
        if run.run.provenance is not None
        for line in provenance_lines(run.run.provenance)
    ]
    measured = [group for group in groups if any(group.values[f"{RATIO}{label}"] for label in labels)]
    columns = release_group_columns(view.group_by, labels)
    return GroupedReport(view.group_by, "figure", measured, columns, view, (NOTE, runs[0].run.selection_line, *notes))


def _values(pass_: str, rows: Sequence[ReleaseFigures]) -> dict[str, Value]:
    ratios = zip(rows[0].labels, mean_ratios(rows), strict=True)
    return {
        "pass": pass_,
        **{f"{RATIO}{label}": ratio for label, ratio in ratios},
        "changes": "; ".join(step.sentence() for step in common_steps(rows)),
    }


def _value(name: str) -> Callable[[RowGroup], Value]:
    return lambda group: group.values[name]


def _ratio(label: str) -> Callable[[RowGroup], str]:
    def text(group: RowGroup) -> str:
        ratio = group.values[f"{RATIO}{label}"]
        return spell(ratio) if isinstance(ratio, float) else NONE

    return text
