"""Several releases as documents: the operators that changed, then every case by release."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from autoperf.comparison.release_matrix import OperatorRatios, ReleaseStep, operator_ratios, release_figures
from autoperf.comparison.report import spell
from autoperf.comparison.side_by_side import ReleaseRun
from autoperf.comparison.side_by_side import release_reports as case_reports
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import grouped
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, factor, first_of

MAX_NAMED = 3
"""The operators that a sentence names in either direction."""
MAX_CHANGED = 12
"""The operators that the table lists in either direction, unless --limit sets how many."""


def release_reports(runs: Sequence[ReleaseRun]) -> list[Report]:
    """The changes in each release, with the operators that changed most in either direction; then every case."""
    if not _are_releases(runs):
        return case_reports(runs)
    labels, changed = [run.label for run in runs], _changed(runs)
    limit = runs[0].run.view.limit or MAX_CHANGED
    rows = [row for members in grouped(changed, _direction).values() for row in members[:limit]]
    table = Table("", list(_columns(labels)), rows, part=_direction, noun="operator", compact=True)
    return [Report(answer=tuple(release_answer(labels, changed)), tables=(table,) if rows else ()), *case_reports(runs)]


def answer_of_releases(runs: Sequence[ReleaseRun]) -> Iterator[str]:
    """What changed in each release; nothing for runs that don't follow each other."""
    if _are_releases(runs):
        yield from release_answer([run.label for run in runs], _changed(runs))


def _changed(runs: Sequence[ReleaseRun]) -> list[OperatorRatios]:
    return by_change(list(operator_ratios(list(release_figures(runs)))))


def _are_releases(runs: Sequence[ReleaseRun]) -> bool:
    """Whether the runs are of one framework, so that each follows the one before it."""
    releases = [run.run.provenance.release for run in runs if run.run.provenance]
    return len({" " in release and release.partition(" ")[0] for release in releases}) < 2


def by_change(operators: Sequence[OperatorRatios]) -> list[OperatorRatios]:
    """The operators that changed: slower ones, then faster ones, in each the largest change first."""
    changed = [row for row in operators if row.steps]
    return sorted(changed, key=lambda row: (_direction(row) != SLOWER, -abs(math.log(_total(row)))))


SLOWER, FASTER = "slower", "faster"


def _total(row: OperatorRatios) -> float:
    return math.prod(step.ratio for step in row.steps)


def _direction(row: OperatorRatios) -> str:
    return SLOWER if _total(row) > 1 else FASTER


def release_answer(labels: Sequence[str], changed: Sequence[OperatorRatios]) -> Iterator[str]:
    """For each release but the first the operators that became slower and faster, the largest changes first."""
    for before, label in pairwise(labels):
        steps = [(row, step) for row in changed for step in row.steps if step.label == label]
        parts = [
            f"{word} than {before} in {_named(found)}"
            for word in (SLOWER, FASTER)
            if (found := [(row, step) for row, step in steps if (step.ratio > 1) is (word == SLOWER)])
        ]
        yield f"{label} is {'; '.join(parts) or f'nowhere known to differ from {before} by 10% or more'}"


def _named(found: Sequence[tuple[OperatorRatios, ReleaseStep]]) -> str:
    ordered = sorted(found, key=lambda pair: -abs(math.log(pair[1].ratio)))
    names = [f"{row.operator} {row.pass_} ({factor(max(step.ratio, 1 / step.ratio))} times)" for row, step in ordered]
    return ", ".join(first_of(names, MAX_NAMED))


def _columns(labels: Sequence[str]) -> Iterator[Column[OperatorRatios]]:
    yield fact("operator", lambda row: row.operator, place=Place.LEAD)
    yield fact("pass", lambda row: row.pass_, place=Place.FIGURE)
    for at, label in enumerate(labels):
        yield _ratio_column(at, label)


def _ratio_column(at: int, label: str) -> Column[OperatorRatios]:
    """The ratio of a release to the first one."""

    def spelled(row: OperatorRatios) -> str:
        return NONE if (ratio := row.ratios[at]) is None else spell(ratio)

    return Column(label, label, lambda row: row.ratios[at], spelled, place=Place.FIGURE, room=max(10, len(label) + 2))
