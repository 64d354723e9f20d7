"""The changes that a check against the coverage baseline reports, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from autoperf.core.coverage import BaselineCheck, Change, ChangeKind, Coverage, CoverageEntry
from autoperf.reports.table import Report, Table
from autoperf.reports.units import count

_KIND_STYLE = {kind: "red" if kind.finding else "green" for kind in ChangeKind} | {ChangeKind.CHANGED: "yellow"}
_GRADIENT = {True: "backward", False: "no backward", None: "backward not asked"}


@dataclass(frozen=True)
class LedgerReport:
    """A check against the ledger at `path`; `refresh` is the command that rewrites it."""

    check: BaselineCheck
    path: str
    refresh: str


def ledger_reports(report: LedgerReport) -> list[Report]:
    """The verdict, every change below its kind, and the command that refreshes the ledger."""
    check = report.check
    operator = max((len(change.operator) for change in check.changes), default=0)
    changes = Table(
        "", (), check.changes, part=lambda change: change.kind.value, noun="operator", words=_change_words,
        head=lambda change, _width: f"  {change.operator:<{operator}}  ",
        title_style=lambda kind: _KIND_STYLE[ChangeKind(kind)],
    )  # fmt: skip
    answer = f"MXNet {check.mxnet}, {count(check.operators, 'operator')}, against {report.path}: {verdict(check)}"
    commands = (("refresh the ledger", report.refresh),) if check.changes else ()
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
