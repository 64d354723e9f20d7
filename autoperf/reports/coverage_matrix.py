"""The coverage of several releases side by side: totals, and operators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autoperf.core.coverage import Coverage, OperatorCoverage, ReleaseCoverage
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.table import Table
from autoperf.reports.units import NONE

UNSORTED = "(no category)"
_TOTALS = ("names", "operators", "aliases", "backward", "forward", "covered", "uncovered", "excluded")


@dataclass(frozen=True)
class _Line:
    """A name with a text for each release; an operator also has a category."""

    name: str
    texts: Sequence[str]
    category: str = ""


@dataclass(frozen=True)
class _CoverageLine:
    """An operator by its name in the first release that has it, and its coverage in each release; None: absent."""

    name: str
    category: str
    by_release: tuple[OperatorCoverage | None, ...]


def total_table(releases: Sequence[ReleaseCoverage]) -> Table[_Line]:
    """The totals, a column for each release."""
    rows = [_Line(*row) for row in _totals(releases)]
    return Table("", _columns("release", releases, rows), rows, head=lambda _row, _width: "", compact=True)


def operator_table(releases: Sequence[ReleaseCoverage]) -> Table[_Line]:
    """The operators of each category: how each release covers them."""
    lines = sorted(_lines(releases), key=lambda line: line.category)
    rows = [_Line(line.name, list(_texts(line)), line.category or UNSORTED) for line in lines]
    columns = _columns("operator", releases, rows)
    return Table("", columns, rows, part=lambda line: line.category, compact=True)


def operator_records(releases: Sequence[ReleaseCoverage]) -> list[dict[str, object]]:
    """`{"name", "category", "releases": {label: status or null}}` for each operator, as JSON has it.

    `name` is the operator's name in the first release that has it.
    """
    labels = [release.label for release in releases]
    return [
        {
            "name": line.name,
            "category": line.category,
            "releases": {
                label: operator.status if operator else None
                for label, operator in zip(labels, line.by_release, strict=True)
            },
        }
        for line in _lines(releases)
    ]


def _columns(lead: str, releases: Sequence[ReleaseCoverage], rows: Sequence[_Line]) -> list[Column[_Line]]:
    named: Column[_Line] = fact("name", lambda line: line.name, place=Place.LEAD, header=lead)
    return [named, *(_column(release.label, at, rows) for at, release in enumerate(releases))]


def _column(label: str, at: int, rows: Sequence[_Line]) -> Column[_Line]:
    room = 2 + max(map(len, (label, *(line.texts[at] for line in rows))))
    return Column(label, label, lambda line: line.texts[at], place=Place.FIGURE, room=room)


def _lines(releases: Sequence[ReleaseCoverage]) -> list[_CoverageLine]:
    """Every operator once, by name; an alias in another release counts as the same operator."""
    rows: list[list[OperatorCoverage | None]] = []
    for column, release in enumerate(releases):
        named = {name: operator for operator in release.report.operators for name in (operator.name, *operator.aliases)}
        new = {operator.name: operator for operator in release.report.operators}
        for row in rows:
            first = next(operator for operator in row if operator)
            same = next((named[name] for name in (first.name, *first.aliases) if name in named), None)
            row.append(same)
            if same:
                new.pop(same.name, None)
        rows += [[*[None] * column, operator] for operator in new.values()]
    firsts = [next(operator for operator in row if operator) for row in rows]
    lines = [_CoverageLine(first.name, first.category, tuple(row)) for first, row in zip(firsts, rows, strict=True)]
    return sorted(lines, key=lambda line: line.name)


def _texts(line: _CoverageLine) -> Iterator[str]:
    """How each release covers the operator, with the name there if it differs."""
    for operator in line.by_release:
        if operator is None:
            yield NONE
            continue
        how = operator.rule.tier if operator.rule and operator.status is Coverage.COVERED else operator.status.value
        yield how if operator.name == line.name else f"{how}: {operator.name}"


def _totals(releases: Sequence[ReleaseCoverage]) -> Iterator[tuple[str, Sequence[str]]]:
    totals = [release.report.summary for release in releases]
    for name, field in zip(_TOTALS, ("registered", "canonical", "alias", *_TOTALS[3:]), strict=True):
        yield name, [str(getattr(total, field)) for total in totals]
    shown = [str(len(release.report.operators)) for release in releases]
    if any(count != str(total.forward) for count, total in zip(shown, totals, strict=True)):
        yield "shown", shown
