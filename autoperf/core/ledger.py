"""The coverage ledger: a baseline of every operator's coverage, and the changes since."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping

import msgspec

from autoperf.core.coverage import Coverage


class CoverageEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """The coverage of one operator: its category if covered, the reason if excluded, and whether it is
    differentiable (None if unknown)."""

    status: Coverage
    category: str = ""
    reason: str = ""
    differentiable: bool | None = None


class CoverageBaseline(msgspec.Struct, frozen=True):
    """Every forward operator of one MXNet release, by its canonical name."""

    mxnet: str
    operators: dict[str, CoverageEntry]


class ChangeKind(enum.Enum):
    """The changes of an operator since the ledger was written, findings first."""

    LOST = "lost coverage"
    LOST_BACKWARD = "lost the backward pass"
    APPEARED = "newly registered"
    VANISHED = "no longer registered"
    GAINED = "gained coverage"
    GAINED_BACKWARD = "gained the backward pass"
    CHANGED = "changed"

    @property
    def finding(self) -> bool:
        """Whether a person must review it before the ledger is updated."""
        return self in _FINDINGS


_FINDINGS = frozenset((ChangeKind.LOST, ChangeKind.LOST_BACKWARD, ChangeKind.APPEARED, ChangeKind.VANISHED))
_RANK = {Coverage.UNCOVERED: 0, Coverage.EXCLUDED: 1, Coverage.COVERED: 2}


class Change(msgspec.Struct, frozen=True):
    """One operator whose coverage changed; `alias_of` is the operator that now has its name."""

    kind: ChangeKind
    operator: str
    before: CoverageEntry | None
    after: CoverageEntry | None
    alias_of: str = ""


class BaselineCheck(msgspec.Struct, frozen=True):
    """The result of a check: the number of operators, and every change, sorted by kind and name."""

    mxnet: str
    operators: int
    changes: tuple[Change, ...]

    @property
    def passed(self) -> bool:
        """Whether there are no findings."""
        return not any(change.kind.finding for change in self.changes)


def compare(before: CoverageBaseline, after: CoverageBaseline, aliases: Mapping[str, str]) -> BaselineCheck:
    """The changes; `aliases` has the canonical name of each alias that is registered now."""
    order = list(ChangeKind)
    changes = sorted(_changes(before, after, aliases), key=lambda change: (order.index(change.kind), change.operator))
    return BaselineCheck(after.mxnet, len(after.operators), tuple(changes))


def _changes(before: CoverageBaseline, after: CoverageBaseline, aliases: Mapping[str, str]) -> Iterator[Change]:
    for name in before.operators.keys() | after.operators.keys():
        old, new = before.operators.get(name), after.operators.get(name)
        kind = _kind(old, new)
        if kind:
            yield Change(kind, name, old, new, aliases.get(name, "") if new is None else "")


def _kind(old: CoverageEntry | None, new: CoverageEntry | None) -> ChangeKind | None:
    """The most severe kind that applies; None without a change."""
    if old is None:
        return ChangeKind.APPEARED
    if new is None:
        return ChangeKind.VANISHED
    if _RANK[new.status] < _RANK[old.status]:
        return ChangeKind.LOST
    if old.status is not new.status:
        return ChangeKind.GAINED if new.status is Coverage.COVERED else ChangeKind.CHANGED
    if (old.differentiable is True) is not (new.differentiable is True):
        return ChangeKind.LOST_BACKWARD if old.differentiable else ChangeKind.GAINED_BACKWARD
    return ChangeKind.CHANGED if old != new else None
