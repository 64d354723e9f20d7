"""The coverage of several releases: each release, then totals and operators side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from autoperf.core.coverage import Coverage, OperatorCoverage, ReleaseCoverage
from autoperf.reports import coverage
from autoperf.reports.csv_text import csv_line
from autoperf.reports.layout import grouped, hanging
from autoperf.reports.markdown import cells, escape, heading
from autoperf.reports.units import NONE

_GAP = "  "
_TOTALS = ("names", "operators", "aliases", "backward", "forward", "covered", "uncovered", "excluded")


@dataclass(frozen=True)
class _CoverageLine:
    """An operator by its name in the first release that has it, and its coverage in each release; None: absent."""

    name: str
    category: str
    by_release: tuple[OperatorCoverage | None, ...]


def table(releases: Sequence[ReleaseCoverage], detailed: bool) -> RenderableType:
    """Each release's table or listing, then the operators by release if they were listed, then the totals."""
    parts: list[RenderableType] = []
    for release in releases:
        if detailed:
            parts += [Text(f"MXNet {release.label}", style="bold"), Text(), coverage.listing(release.report), Text()]
        else:
            parts += [coverage.table(release.report), Text()]
    if detailed:
        parts += [_Operators(releases), Text()]
    return Group(*parts, _Totals(releases))


def to_json(releases: Sequence[ReleaseCoverage]) -> str:
    """`{"releases": [{"label", "report"}], "operators": [{"name", "category", "releases": {label: status or null}}]}`.

    An operator's `name` is the one that it has in the first of the releases that has it.
    """
    reports = ",\n".join(
        f'{{"label": {_json(release.label)}, "report": {coverage.to_json(release.report).rstrip()}}}'
        for release in releases
    )
    labels = [release.label for release in releases]
    rows = ",\n".join(
        _json({
            "name": line.name,
            "category": line.category,
            "releases": {
                label: operator.status if operator else None
                for label, operator in zip(labels, line.by_release, strict=True)
            },
        })
        for line in _lines(releases)
    )  # fmt: skip
    return f'{{"releases": [\n{reports}\n],\n"operators": [\n{rows}\n]}}\n'


def to_csv(releases: Sequence[ReleaseCoverage]) -> str:
    """Each release's rows below one heading, with its label in a first column `release`."""
    lines = []
    for number, release in enumerate(releases):
        title, *rows = coverage.csv_rows(release.report)
        lines += [("release", *title)] if number == 0 else []
        lines += [(release.label, *row) for row in rows]
    return "".join(map(csv_line, lines))


def to_markdown(releases: Sequence[ReleaseCoverage]) -> str:
    """The totals side by side, then a table of operators and releases for each category."""
    return "".join(_markdown(releases))


def _markdown(releases: Sequence[ReleaseCoverage]) -> Iterator[str]:
    titles = [(release.label, True) for release in releases]
    yield heading([("", False), *titles])
    for row in _total_rows(releases):
        yield cells(row)
    for category, lines in sorted(grouped(_lines(releases), lambda line: line.category).items()):
        yield f"\n### {escape(category or coverage.UNSORTED)}\n\n" + heading([("operator", False), *titles])
        for line in lines:
            yield cells((line.name, *_cells(line)))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


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


def _cells(line: _CoverageLine) -> Iterator[str]:
    """How each release covers the operator, with the name there if it differs."""
    for operator in line.by_release:
        if operator is None:
            yield NONE
            continue
        how = operator.rule.tier if operator.rule and operator.status is Coverage.COVERED else operator.status.value
        yield how if operator.name == line.name else f"{how}: {operator.name}"


def _total_rows(releases: Sequence[ReleaseCoverage]) -> Iterator[tuple[str, ...]]:
    totals = [release.report.summary for release in releases]
    figures = [
        (
            *(total.registered, total.canonical, total.alias, total.backward),
            *(total.forward, total.covered, total.uncovered, total.excluded),
        )
        for total in totals
    ]
    for index, name in enumerate(_TOTALS):
        yield (name, *(str(numbers[index]) for numbers in figures))
    shown = tuple(str(len(release.report.operators)) for release in releases)
    if any(count != str(total.forward) for count, total in zip(shown, totals, strict=True)):
        yield ("shown", *shown)


class _Totals:
    """The totals, a column a release."""

    def __init__(self, releases: Sequence[ReleaseCoverage]) -> None:
        self._rows = [("release", *(release.label for release in releases)), *_total_rows(releases)]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the heading and a line for each total."""
        widths = [max(map(len, column)) for column in zip(*self._rows, strict=True)]
        for number, row in enumerate(self._rows):
            figures = "".join(f"{_GAP}{text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True))
            yield Text(f"{row[0]:<{widths[0]}}{figures}", style="bold" if number == 0 else "")


class _Operators:
    """The operators of each category, a column a release; on a narrow terminal a line a release."""

    def __init__(self, releases: Sequence[ReleaseCoverage]) -> None:
        self._labels = [release.label for release in releases]
        self._lines = _lines(releases)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the categories with their operators."""
        name = max((len(line.name) for line in self._lines), default=0)
        columns = zip(*(tuple(_cells(line)) for line in self._lines), strict=True)
        widths = [max(len(label), *map(len, column)) for label, column in zip(self._labels, columns, strict=False)]
        fits = len(_GAP) + name + sum(len(_GAP) + width for width in widths) <= options.max_width
        for category, lines in sorted(grouped(self._lines, lambda line: line.category).items()):
            titles = "".join(f"{_GAP}{label:<{width}}" for label, width in zip(self._labels, widths, strict=True))
            title = f"{category or coverage.UNSORTED:<{name + len(_GAP)}}"
            yield Text.assemble((title, "bold"), (titles if fits else "", "dim"))
            for line in lines:
                texts = list(_cells(line))
                if fits:
                    text = "".join(f"{_GAP}{cell:<{width}}" for cell, width in zip(texts, widths, strict=True))
                    yield Text(f"{_GAP}{line.name:<{name}}{text}".rstrip())
                else:
                    words = [f"{label}: {cell}" for label, cell in zip(self._labels, texts, strict=True)]
                    yield from hanging(f"{_GAP}{line.name}  ", words, options.max_width)
