"""The changes that a check against the coverage baseline reports, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from rich.text import Text

from autoperf.core.coverage import Coverage
from autoperf.core.ledger import BaselineCheck, Change, ChangeKind, CoverageEntry
from autoperf.reports import table
from autoperf.reports.coverage import COVERAGE_STYLE
from autoperf.reports.layout import hanging
from autoperf.reports.units import count

_KIND_STYLE = {kind: "red" if kind.finding else "green" for kind in ChangeKind} | {ChangeKind.CHANGED: "yellow"}
_GRADIENT = {True: "backward", False: "no backward", None: "backward not asked"}


@dataclass(frozen=True)
class LedgerReport:
    """A check against the ledger at `path`; `refresh` is the command that rewrites it."""

    check: BaselineCheck
    path: str
    refresh: str


def table_lines(report: LedgerReport, width: int) -> Iterator[Text | str]:
    """Every change below its kind, then the command, which isn't broken into lines, since it is to be copied."""
    check = report.check
    head = f"MXNet {check.mxnet}, {count(check.operators, 'operator')}, against {report.path}: {verdict(check)}"
    yield from hanging("", head.split(), width, "bold")
    for kind, group in _by_kind(check):
        changes = list(group)
        operator = max(len(change.operator) for change in changes)
        yield Text()
        yield Text(f"{kind.value} ({len(changes)})", style=_KIND_STYLE[kind])
        for change in changes:
            yield Text(f"  {change.operator:<{operator}}  ").append(_change_text(change))
    if check.changes:
        yield f"\nrefresh the ledger: {report.refresh}\n"


def verdict(check: BaselineCheck) -> str:
    """The number of changed operators by kind; "no change" if none did."""
    counts = [f"{len(list(group))} {kind.value}" for kind, group in _by_kind(check)]
    return ", ".join(counts) or "no change"


def json_lines(report: LedgerReport) -> Iterator[str]:
    """One document, a change a line."""
    check = report.check
    return table.json_lines({
        "ledger": report.path,
        "mxnet": check.mxnet,
        "operators": check.operators,
        "passed": check.passed,
        "changes": check.changes,
        "refresh": report.refresh,
    })  # fmt: skip


def _by_kind(check: BaselineCheck) -> groupby[ChangeKind, Change]:
    return groupby(check.changes, key=lambda change: change.kind)


def _change_text(change: Change) -> Text:
    if change.before is None or change.after is None:
        (entry,) = (entry for entry in (change.before, change.after) if entry)
        moved = f"; now an alias of {change.alias_of}" if change.alias_of else ""
        return _entry_text(entry).append(moved)
    return _entry_text(change.before).append(" -> ").append_text(_entry_text(change.after))


def _entry_text(entry: CoverageEntry) -> Text:
    details = [entry.category or entry.reason]
    if entry.status is Coverage.COVERED:
        details.append(_GRADIENT[entry.differentiable])
    spelled = ", ".join(filter(None, details))
    return Text(entry.status.value, style=COVERAGE_STYLE[entry.status]).append(
        f" ({spelled})" if spelled else "", "default"
    )
