"""The coverage of releases, as `discover` reports it, and its changes against a ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import msgspec
from rich.text import Text

from autoperf.core.coverage import (
    BaselineCheck,
    Change,
    ChangeKind,
    Coverage,
    CoverageEntry,
    CoverageReport,
    OperatorCoverage,
    ReleaseCoverage,
)
from autoperf.core.graph import LAYERS
from autoperf.core.operator import COMPOSITE_NAMESPACE, FRONT_END_NAMESPACE
from autoperf.core.texts import count
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import INDENT, grouped, hanging
from autoperf.reports.table import Report, Table
from autoperf.reports.units import heading_text

Row = TypeVar("Row")
_Category: TypeAlias = "tuple[str, Counter[str]]"
"""A category with its counts."""
UNSORTED = "(no category)"
_BELOW = " " * 6
COVERAGE_STYLE = {Coverage.COVERED: "green", Coverage.UNCOVERED: "red", Coverage.EXCLUDED: "yellow"}
_WORDS = {True: "yes", False: "no", None: "unknown"}
_TIERS = ("exact", "family", "inferred")
_COUNTS = (*(status.value for status in Coverage), *_TIERS, "gradient")
_MAX_NAME = 40
"""The room for the names of operators in a listing, in characters."""
_UNREGISTERED = {FRONT_END_NAMESPACE: "front-end benchmark", LAYERS: "layer", COMPOSITE_NAMESPACE: "composite"}
"""The noun for selectable items that MXNet doesn't register, by their category."""


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
        shown, changed = [], msgspec.structs.replace
        for release in self.releases:
            kept = tuple(row for row in release.report.operators if row.status is self.status)
            shown.append(changed(release, report=changed(release.report, operators=kept)))
        return shown


def totals(report: CoverageReport) -> tuple[str, ...]:
    """The totals as additions; each line splits a term of the line before."""
    total = report.summary
    operators = count(total.canonical, "operator")
    lines = (
        f"{count(total.registered, 'name')} = {operators} + {count(total.alias, 'alias', 'aliases')}",
        f"{operators} = {total.backward} backward + {total.forward} forward",
        f"{total.forward} forward = {total.covered} covered + {total.uncovered} uncovered + {total.excluded} excluded",
    )
    return (*lines, *shown_notes((operator.category for operator in report.operators), total.forward))


def shown_notes(categories: Iterable[str], forward: int) -> list[str]:
    """How many of a release's forward operators are shown, and how many items beside them, by their categories."""
    counts = Counter(categories)
    unregistered = {noun: counts[category] for category, noun in _UNREGISTERED.items()}
    notes = [f"{count(number, noun)} shown, not registered by MXNet" for noun, number in unregistered.items() if number]
    shown = counts.total() - sum(unregistered.values())
    if shown != forward and (shown or not notes):
        notes.insert(0, f"{shown} of {forward} forward operators shown")
    return notes


def terminal_reports(view: CoverageView) -> list[Report]:
    """Each release by category, or operator by operator if `detailed`."""
    several = len(view.shown) > 1
    reports = []
    for release in view.shown:
        tables = (_listing(release.report),) if view.detailed else _overview(release.report)
        title = f"MXNet {release.label}" if several or not view.detailed else ""
        reports.append(Report(title, tables=tables, sums=totals(release.report)))
    return reports


def markdown_reports(view: CoverageView) -> list[Report]:
    """The totals of each release, then the operators of each category."""
    return [_markdown_report(release.label, release.report) for release in view.shown]


def _markdown_report(label: str, report: CoverageReport) -> Report:
    operators = Table("", _MARKDOWN_COLUMNS, _by_category(report.operators), part=_category_of)
    return Report(f"MXNet {label}", tables=(_categories(report.operators), operators), sums=totals(report))


def operator_table(view: CoverageView) -> Table[tuple[str, OperatorCoverage]]:
    """A row for each operator of each release, for CSV; lists are joined by spaces."""
    rows = [(release.label, operator) for release in view.shown for operator in release.report.operators]
    return Table("", _CSV_COLUMNS if len(view.shown) > 1 else _CSV_COLUMNS[1:], rows)


def coverage_document(view: CoverageView) -> Mapping[str, object]:
    """The coverage of a release, an operator a line; of several `{"releases": [{"label", "report"}]}`."""
    return msgspec.structs.asdict(view.shown[0].report) if len(view.shown) == 1 else {"releases": view.shown}


def _overview(report: CoverageReport) -> tuple[Table[Any], ...]:
    others = [operator for operator in report.operators if operator.status is not Coverage.COVERED]
    others.sort(key=lambda operator: (operator.status.value, operator.reason, operator.name))
    reasons = grouped(others, lambda operator: (operator.status, operator.reason))
    uncovered: Table[Sequence[OperatorCoverage]] = Table(
        "not covered", (), list(reasons.values()),
        words=lambda members: [*_status(members[0], "no reason given").split(), f"({len(members)})"],
        below=lambda members, width: hanging(INDENT * 2, [operator.name for operator in members], width),
        style=lambda members: COVERAGE_STYLE[members[0].status],
    )  # fmt: skip
    return (_categories(report.operators), uncovered) if reasons else (_categories(report.operators),)


def _categories(operators: Iterable[OperatorCoverage]) -> Table[_Category]:
    groups = grouped(_by_category(operators), _category_of)
    rows = [(name, Counter(word for each in members for word in _counted(each))) for name, members in groups.items()]
    return with_sum(_CATEGORY_COLUMNS, rows, ("sum", sum((counts for _, counts in rows), Counter[str]())))


def with_sum(columns: Sequence[Column[Row]], rows: Sequence[Row], total: Row) -> Table[Row]:
    """A compact table whose last row, in bold, is the sum of the others."""
    return Table(
        "", columns, [*rows, total], head=lambda _row, _width: "", compact=True,
        style=lambda row: "bold" if row is total else "",
    )  # fmt: skip


def _counted(operator: OperatorCoverage) -> list[str]:
    tiers = [operator.rule.tier] if operator.rule else []
    return [operator.status.value, *(["gradient"] if operator.differentiable else []), *tiers]


def _listing(report: CoverageReport) -> Table[OperatorCoverage]:
    """Every operator with its rule and gradient; aliases, dtypes, and of one operator why dtypes are refused below."""
    groups = grouped(report.operators, _category_of)
    rooms = {name: min(_MAX_NAME, max(len(each.name) for each in members)) for name, members in groups.items()}

    def below(operator: OperatorCoverage, width: int) -> Iterator[Text]:
        if operator.aliases:
            yield from hanging(_BELOW, ["alias", *operator.aliases], width, "dim")
        if operator.dtypes:
            yield from hanging(_BELOW, ["takes", *_dtypes(operator).split()], width, "dim")
            for dtype, reason in operator.dtypes.refused.items() if len(report.operators) == 1 else ():
                yield from hanging(f"{_BELOW}{dtype:<7} ", f"refused: {reason}".split(), width, "dim")

    return Table(
        "", (), _by_category(report.operators), part=_category_of, words=_facts, below=below,
        head=lambda operator, _width: f"  {operator.name:<{rooms[_category_of(operator)]}}  ",
    )  # fmt: skip


def _by_category(operators: Iterable[OperatorCoverage]) -> list[OperatorCoverage]:
    return sorted(operators, key=_category_of)


def _facts(operator: OperatorCoverage) -> list[str]:
    if operator.status is not Coverage.COVERED:
        return f"{operator.status.value}: {operator.reason}".split()
    gradient = {True: "backward by", False: "no gradient", None: "gradient unknown"}[operator.differentiable]
    kernels = operator.backward_kernels or (("unknown kernels",) if operator.differentiable else ())
    source = operator.rule.source if operator.rule else ""
    return [f"{_tier(operator):<8}", source, *gradient.split(), *kernels]


def _dtypes(operator: OperatorCoverage) -> str:
    return ", ".join(operator.dtypes.taken) or "none" if operator.dtypes else ""


def _tier(operator: OperatorCoverage) -> str:
    return operator.rule.tier if operator.rule else "-"


def _count_column(name: str) -> Column[_Category]:
    return Column(
        name, name, lambda row: row[1][name], lambda row: str(row[1][name] or "."), place=Place.FIGURE,
        priority=int(name in _TIERS), room=len(name) + 2,
    )  # fmt: skip


def _category_of(operator: OperatorCoverage) -> str:
    return operator.category or UNSORTED


def _status(operator: OperatorCoverage, without: str = "") -> str:
    return ": ".join(filter(None, (operator.status.value, operator.reason or without)))


_CATEGORY_COLUMNS: tuple[Column[_Category], ...] = (
    fact("category", lambda row: row[0], place=Place.LEAD),
    *map(_count_column, _COUNTS),
)
_MARKDOWN_COLUMNS: tuple[Column[OperatorCoverage], ...] = (
    fact("operator", lambda operator: operator.name, place=Place.LEAD),
    fact("status", _status, place=Place.LEAD),
    fact("rule", _tier, place=Place.LEAD),
    fact("gradient", lambda operator: _WORDS[operator.differentiable], place=Place.LEAD),
    fact("backward kernels", lambda operator: ", ".join(operator.backward_kernels), place=Place.LEAD),
    fact("dtypes", _dtypes, place=Place.LEAD),
)
_CSV_COLUMNS: tuple[Column[tuple[str, OperatorCoverage]], ...] = (
    fact("release", lambda row: row[0]),
    fact("name", lambda row: row[1].name),
    fact("aliases", lambda row: " ".join(row[1].aliases)),
    fact("namespace", lambda row: row[1].namespace),
    fact("category", lambda row: row[1].category),
    fact("status", lambda row: row[1].status.value),
    fact("reason", lambda row: row[1].reason),
    fact("tier", lambda row: row[1].rule.tier if row[1].rule else ""),
    fact("source", lambda row: row[1].rule.source if row[1].rule else ""),
    fact("differentiable", lambda row: {True: "true", False: "false", None: ""}[row[1].differentiable]),
    fact("backward_kernels", lambda row: " ".join(row[1].backward_kernels)),
    fact("dtypes", lambda row: " ".join(row[1].dtypes.taken) if row[1].dtypes else ""),
)

_KIND_STYLE = {kind: "red" if kind.finding else "green" for kind in ChangeKind} | {ChangeKind.CHANGED: "yellow"}
_GRADIENT = {True: "backward", False: "no backward", None: "backward unknown"}


@dataclass(frozen=True)
class LedgerReport:
    """A check against the ledger at `path`; `refresh` is the command that rewrites it."""

    check: BaselineCheck
    path: str
    refresh: str


def ledger_reports(report: LedgerReport) -> list[Report]:
    """The verdict, every change below its kind, and the command that refreshes the ledger of this release."""
    check = report.check
    is_other = check.ledger_mxnet != check.mxnet
    names = {change.operator: heading_text(change.operator) for change in check.changes}
    room = max(map(len, names.values()), default=0)
    changes = Table(
        "", (), check.changes, part=lambda change: change.kind.value, noun="operator", words=_change_words,
        head=lambda change, _width: f"  {names[change.operator]:<{room}}  ",
        title_style=lambda kind: _KIND_STYLE[ChangeKind(kind)],
    )  # fmt: skip
    ledger = f"{report.path} of MXNet {check.ledger_mxnet}" if is_other else report.path
    answer = f"MXNet {check.mxnet}, {count(check.operators, 'operator')}, against {ledger}: {verdict(check)}"
    commands = (("refresh the ledger", report.refresh),) if check.changes and not is_other else ()
    return [Report(answer=(answer,), tables=(changes,), commands=commands)]


def verdict(check: BaselineCheck) -> str:
    """The number of changed operators by kind; "no change" if none did."""
    counts = Counter(change.kind.value for change in check.changes)
    return ", ".join(f"{number} {kind}" for kind, number in counts.items()) or "no change"


def ledger_document(report: LedgerReport) -> dict[str, object]:
    """The check with its changes, and the command that refreshes the ledger."""
    check = report.check
    return {
        "ledger": report.path,
        "mxnet": check.mxnet,
        "ledger_mxnet": check.ledger_mxnet,
        "operators": check.operators,
        "passed": check.passed,
        "changes": check.changes,
        "refresh": report.refresh,
    }


def _change_words(change: Change) -> list[str]:
    words = " -> ".join(_spelled(entry) for entry in (change.before, change.after) if entry)
    return f"{words}; now an alias of {change.alias_of}".split() if change.alias_of else words.split()


def _spelled(entry: CoverageEntry) -> str:
    details = [entry.category or entry.reason]
    if entry.status is Coverage.COVERED:
        details.append(_GRADIENT[entry.differentiable])
    spelled = ", ".join(filter(None, details))
    return f"{entry.status.value} ({spelled})" if spelled else entry.status.value
