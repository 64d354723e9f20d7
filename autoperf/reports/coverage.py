"""The coverage of a release: the tables, JSON, CSV and Markdown of `discover`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from autoperf.core.coverage import Coverage, CoverageReport, OperatorCoverage, ReleaseCoverage
from autoperf.core.layers import CATEGORY as LAYERS
from autoperf.core.operator import COMPOSITE_NAMESPACE, FRONT_END_NAMESPACE
from autoperf.reports.csv_text import csv_line
from autoperf.reports.markdown import cells, escape, heading
from autoperf.reports.units import count, flow

_MIN_ROOM = 20
UNSORTED = "(no category)"
COVERAGE_STYLE = {Coverage.COVERED: "green", Coverage.UNCOVERED: "red", Coverage.EXCLUDED: "yellow"}
_WORDS = {True: "yes", False: "no", None: "not asked"}
_TIERS = ("exact", "family", "inferred")
_COUNTS = (*(status.value for status in Coverage), *_TIERS, "gradient")
_GAP = "  "
_CSV_COLUMNS = (
    "name", "aliases", "namespace", "category", "status", "reason", "tier", "source", "differentiable",
    "backward_kernels", "dtypes",
)  # fmt: skip

_UNREGISTERED = {FRONT_END_NAMESPACE: "front-end benchmark", LAYERS: "layer", COMPOSITE_NAMESPACE: "composite"}
"""What is selected like an operator and isn't registered, by its category."""
_MARKDOWN_COLUMNS = ("operator", "status", "rule", "gradient", "backward kernels", "dtypes")


@dataclass(frozen=True)
class CoverageView:
    """The requested coverage of releases: of one status, or of all; `detailed`: operator by operator."""

    releases: Sequence[ReleaseCoverage]
    status: Coverage | None = None
    detailed: bool = False

    @cached_property
    def shown(self) -> Sequence[ReleaseCoverage]:
        """The releases with the operators of that status; their summaries always count all."""
        if self.status is None:
            return self.releases
        return [msgspec.structs.replace(release, report=self._kept(release.report)) for release in self.releases]

    def _kept(self, report: CoverageReport) -> CoverageReport:
        kept = tuple(row for row in report.operators if row.status is self.status)
        return msgspec.structs.replace(report, operators=kept)


def totals(report: CoverageReport) -> tuple[str, ...]:
    """The totals as additions; each line splits a term of the line before."""
    total = report.summary
    operators = count(total.canonical, "operator")
    lines = (
        f"{count(total.registered, 'name')} = {operators} + {count(total.alias, 'alias', 'aliases')}",
        f"{operators} = {total.backward} backward + {total.forward} forward",
        f"{total.forward} forward = {total.covered} covered + {total.uncovered} uncovered + {total.excluded} excluded",
    )
    unregistered = {noun: _in_category(report, category) for category, noun in _UNREGISTERED.items()}
    notes = [f"{count(number, noun)} shown, not counted above" for noun, number in unregistered.items() if number]
    shown = len(report.operators) - sum(unregistered.values())
    if shown != total.forward and (shown or not notes):
        notes.insert(0, f"{shown} of {total.forward} forward operators shown")
    return (*lines, *notes)


def _in_category(report: CoverageReport, category: str) -> int:
    return sum(operator.category == category for operator in report.operators)


def table(report: CoverageReport) -> RenderableType:
    """The overview: categories with their counts, then the operators without coverage by reason, then the totals."""
    parts: list[RenderableType] = [Text(f"MXNet {report.mxnet}", style="bold"), Text(), _Categories(report.operators)]
    without = [operator for operator in report.operators if operator.status is not Coverage.COVERED]
    if without:
        parts += [Text(), Text("not covered", style="bold"), _Reasons(without)]
    return Group(*parts, Text(), *(Text(line, style="bold") for line in totals(report)))


def listing(report: CoverageReport) -> RenderableType:
    """Every operator of the report with its tier, whether it has a gradient and by which kernels; then the totals."""
    parts: list[RenderableType] = []
    for category, operators in _by_category(report.operators).items():
        parts += [Text(category, style="bold"), _Listing(operators, reasons=len(report.operators) == 1), Text()]
    return Group(*parts, *(Text(line, style="bold") for line in totals(report)))


def to_json(report: CoverageReport) -> str:
    """The documented JSON, an operator a line, so that two releases can be compared with diff."""
    operators = ",\n".join(_json(operator) for operator in report.operators)
    return (
        f'{{"mxnet": {_json(report.mxnet)}, "names": {report.names}, "operators": [\n{operators}\n],\n'
        f'"summary": {_json(report.summary)},\n"backward": {_json(report.backward)}}}\n'
    )


def to_csv(report: CoverageReport) -> str:
    """A row for each operator; lists are joined by spaces."""
    return "".join(map(csv_line, csv_rows(report)))


def csv_rows(report: CoverageReport) -> Iterator[Sequence[str]]:
    """The heading of the CSV and its rows."""
    yield _CSV_COLUMNS
    yield from map(_csv_row, report.operators)


def to_markdown(report: CoverageReport) -> str:
    """The totals, the categories, and each operator, as GitHub renders them."""
    return "".join(_markdown(report))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _csv_row(operator: OperatorCoverage) -> Sequence[str]:
    return (
        operator.name,
        " ".join(operator.aliases),
        operator.namespace,
        operator.category,
        operator.status.value,
        operator.reason,
        operator.rule.tier if operator.rule else "",
        operator.rule.source if operator.rule else "",
        {True: "true", False: "false", None: ""}[operator.differentiable],
        " ".join(operator.backward_kernels),
        " ".join(operator.dtypes.taken) if operator.dtypes else "",
    )


def _markdown(report: CoverageReport) -> Iterator[str]:
    yield f"## MXNet {escape(report.mxnet)}\n\n"
    yield from (f"- {line}\n" for line in totals(report))
    yield "\n" + heading([("category", False), *((name, True) for name in _COUNTS)])
    for row in _count_rows(report.operators):
        yield cells(row)
    for category, operators in _by_category(report.operators).items():
        yield f"\n### {escape(category)}\n\n"
        yield heading([(name, False) for name in _MARKDOWN_COLUMNS])
        for operator in operators:
            status = f"{operator.status.value}: {operator.reason}" if operator.reason else operator.status.value
            kernels = ", ".join(operator.backward_kernels)
            gradient = _WORDS[operator.differentiable]
            yield cells((operator.name, status, _tier(operator), gradient, kernels, _dtypes(operator)))


def _count_rows(operators: Iterable[OperatorCoverage]) -> Iterator[Sequence[str]]:
    sum_: Counter[str] = Counter()
    for category, members in _by_category(operators).items():
        counts = _counts(members)
        sum_ += counts
        yield (category, *(_number(counts[name]) for name in _COUNTS))
    yield ("sum", *(_number(sum_[name]) for name in _COUNTS))


def _counts(operators: Iterable[OperatorCoverage]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for operator in operators:
        counts[operator.status.value] += 1
        counts["gradient"] += operator.differentiable is True
        if operator.rule is not None:
            counts[operator.rule.tier] += 1
    return counts


def _number(number: int) -> str:
    return str(number) if number else "."


class _Categories:
    """A row of counts a category, and their sum; a narrow terminal shows no tiers."""

    def __init__(self, operators: Iterable[OperatorCoverage]) -> None:
        self._rows = [("category", *_COUNTS), *_count_rows(operators)]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the heading, the categories and the sum."""
        name = max(len(row[0]) for row in self._rows)
        fits = name + sum(len(title) + len(_GAP) for title in _COUNTS) <= options.max_width
        shown = [i for i, title in enumerate(_COUNTS, 1) if fits or title not in _TIERS]
        for number, row in enumerate(self._rows):
            figures = "".join(f"{_GAP}{row[i]:>{len(_COUNTS[i - 1])}}" for i in shown)
            style = "dim" if number == 0 else "bold" if number == len(self._rows) - 1 else ""
            yield Text(f"{row[0]:<{name}}{figures}", style=style)


def _by_category(operators: Iterable[OperatorCoverage]) -> dict[str, list[OperatorCoverage]]:
    groups: dict[str, list[OperatorCoverage]] = {}
    for operator in operators:
        groups.setdefault(operator.category or UNSORTED, []).append(operator)
    return dict(sorted(groups.items()))


def _dtypes(operator: OperatorCoverage) -> str:
    return ", ".join(operator.dtypes.taken) or "none" if operator.dtypes else ""


def _tier(operator: OperatorCoverage) -> str:
    return operator.rule.tier if operator.rule else "-"


class _Reasons:
    """The operators without coverage, grouped by reason."""

    def __init__(self, operators: Iterable[OperatorCoverage]) -> None:
        self._groups: dict[tuple[Coverage, str], list[str]] = {}
        for operator in sorted(operators, key=lambda operator: (operator.status.value, operator.reason, operator.name)):
            self._groups.setdefault((operator.status, operator.reason), []).append(operator.name)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield a line for each reason, and the names below."""
        for (status, reason), names in self._groups.items():
            words = [*f"{status.value}: {reason or 'no reason given'}".split(), f"({len(names)})"]
            yield from _lines("  ", words, options.max_width, COVERAGE_STYLE[status])
            yield from _lines("    ", names, options.max_width)


class _Listing:
    """An operator a line, with aliases and dtypes below; `reasons`: also why dtypes are refused."""

    def __init__(self, operators: Sequence[OperatorCoverage], *, reasons: bool) -> None:
        self._operators = operators
        self._name = max(len(operator.name) for operator in operators)
        self._reasons = reasons

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the operators in the report's order."""
        width = options.max_width
        for operator in self._operators:
            yield from _lines(f"  {operator.name:<{min(self._name, width // 2)}}  ", _facts(operator), width)
            if operator.aliases:
                yield from _lines("      ", ["alias", *operator.aliases], width, "dim")
            if operator.dtypes:
                yield from _lines("      ", ["takes", *_dtypes(operator).split()], width, "dim")
                for dtype, reason in operator.dtypes.refused.items() if self._reasons else ():
                    yield from _lines(f"      {dtype:<7} ", f"refused: {reason}".split(), width, "dim")


def _facts(operator: OperatorCoverage) -> list[str]:
    if operator.status is not Coverage.COVERED:
        return f"{operator.status.value}: {operator.reason}".split()
    gradient = {True: "backward by", False: "no gradient", None: "gradient not asked"}[operator.differentiable]
    kernels = operator.backward_kernels or (("unknown kernels",) if operator.differentiable else ())
    source = operator.rule.source if operator.rule else ""
    return [f"{_tier(operator):<8}", source, *gradient.split(), *kernels]


def _lines(head: str, words: Sequence[str], width: int, style: str = "") -> Iterator[Text]:
    room = max(_MIN_ROOM, width - len(head))
    for number, line in enumerate(flow(words, room, room)):
        yield Text.assemble(head if number == 0 else " " * len(head), (line, style))
