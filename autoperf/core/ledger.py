"""The coverage ledger: where every operator of one release stood, and what has changed since."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping

import msgspec

from autoperf.core.coverage import Coverage


class CoverageEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where one operator stands: its category if it is covered, the reason if it is excluded, and whether MXNet
    differentiates it (None where MXNet wasn't asked)."""

    status: Coverage
    category: str = ""
    reason: str = ""
    differentiable: bool | None = None


class CoverageBaseline(msgspec.Struct, frozen=True):
    """Every forward operator of one MXNet release, by its canonical name."""

    mxnet: str
    operators: dict[str, CoverageEntry]


class Kind(enum.Enum):
    """What can happen to an operator between a ledger and now, the findings first."""

    LOST = "lost coverage"
    LOST_BACKWARD = "lost the backward pass"
    APPEARED = "newly registered"
    VANISHED = "no longer registered"
    GAINED = "gained coverage"
    GAINED_BACKWARD = "gained the backward pass"
    CHANGED = "changed"

    @property
    def finding(self) -> bool:
        """Whether somebody has to look at it before the ledger is written anew."""
        return self in _FINDINGS


_FINDINGS = frozenset((Kind.LOST, Kind.LOST_BACKWARD, Kind.APPEARED, Kind.VANISHED))
_RANK = {Coverage.UNCOVERED: 0, Coverage.EXCLUDED: 1, Coverage.COVERED: 2}


class Change(msgspec.Struct, frozen=True):
    """One operator that stands elsewhere than before; `alias_of` has the operator that took over its name."""

    kind: Kind
    operator: str
    before: CoverageEntry | None
    after: CoverageEntry | None
    alias_of: str = ""


class BaselineCheck(msgspec.Struct, frozen=True):
    """What a check found: how many operators the release has, and every change, in the order of kinds and names."""

    mxnet: str
    operators: int
    changes: tuple[Change, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing was lost, and nothing appeared or vanished."""
        return not any(change.kind.finding for change in self.changes)


def compare(before: CoverageBaseline, after: CoverageBaseline, aliases: Mapping[str, str]) -> BaselineCheck:
    """What has changed; `aliases` has the canonical name of each alias that is registered now."""
    order = list(Kind)
    changes = sorted(_changes(before, after, aliases), key=lambda change: (order.index(change.kind), change.operator))
    return BaselineCheck(after.mxnet, len(after.operators), tuple(changes))


def _changes(before: CoverageBaseline, after: CoverageBaseline, aliases: Mapping[str, str]) -> Iterator[Change]:
    for name in before.operators.keys() | after.operators.keys():
        old, new = before.operators.get(name), after.operators.get(name)
        kind = _kind(old, new)
        if kind:
            yield Change(kind, name, old, new, aliases.get(name, "") if new is None else "")


def _kind(old: CoverageEntry | None, new: CoverageEntry | None) -> Kind | None:
    """The gravest thing that can be said of the change; None if there is none."""
    if old is None:
        return Kind.APPEARED
    if new is None:
        return Kind.VANISHED
    if _RANK[new.status] < _RANK[old.status]:
        return Kind.LOST
    if old.status is not new.status:
        return Kind.GAINED if new.status is Coverage.COVERED else Kind.CHANGED
    if (old.differentiable is True) is not (new.differentiable is True):
        return Kind.LOST_BACKWARD if old.differentiable else Kind.GAINED_BACKWARD
    return Kind.CHANGED if old != new else None
