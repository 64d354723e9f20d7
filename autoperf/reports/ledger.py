"""The changes that a check against the coverage baseline reports, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from autoperf.core.coverage import Coverage
from autoperf.core.ledger import BaselineCheck, Change, ChangeKind, CoverageEntry
from autoperf.reports.coverage import COVERAGE_STYLE
from autoperf.reports.units import count

_KIND_STYLE = {kind: "red" if kind.finding else "green" for kind in ChangeKind} | {ChangeKind.CHANGED: "yellow"}
_GRADIENT = {True: "backward", False: "no backward", None: "backward not asked"}


@dataclass(frozen=True)
class LedgerReport:
    """A check against the ledger at `path`; `refresh` is the command that rewrites it."""

    check: BaselineCheck
    path: str
    refresh: str


def table(check: BaselineCheck, ledger: str) -> RenderableType:
    """Every change below its kind."""
    head = f"MXNet {check.mxnet}, {count(check.operators, 'operator')}, against {ledger}: {verdict(check)}"
    return Group(Text(head, style="bold"), *_lines(check))


def verdict(check: BaselineCheck) -> str:
    """How many operators changed, by kind; "no change" if none did."""
    counts = [f"{len(list(group))} {kind.value}" for kind, group in _by_kind(check)]
    return ", ".join(counts) or "no change"


def to_json(check: BaselineCheck, ledger: str, refresh: str) -> str:
    """One document, a change a line."""
    changes = ",\n".join(_json(change) for change in check.changes)
    head = {"ledger": ledger, "mxnet": check.mxnet, "operators": check.operators, "passed": check.passed}
    body = f'"changes": [\n{changes}\n]' if changes else '"changes": []'
    return f'{_json(head)[:-1]},\n{body},\n"refresh": {_json(refresh)}}}\n'


def _lines(check: BaselineCheck) -> Iterator[Text]:
    for kind, group in _by_kind(check):
        changes = list(group)
        width = max(len(change.operator) for change in changes)
        yield Text()
        yield Text(f"{kind.value} ({len(changes)})", style=_KIND_STYLE[kind])
        for change in changes:
            yield Text(f"  {change.operator:<{width}}  ").append(_change_text(change))


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


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
