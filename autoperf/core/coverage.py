"""Operator coverage: covered by which rule, or not covered and why; and its baseline, the ledger."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping

import msgspec


class Coverage(enum.Enum):
    """The coverage of an operator."""

    COVERED = "covered"
    UNCOVERED = "uncovered"
    EXCLUDED = "excluded"


class RuleReference(msgspec.Struct, frozen=True):
    """The rule that covers an operator: its tier and its source location."""

    tier: str
    source: str


class DtypeAnswers(msgspec.Struct, frozen=True):
    """The dtypes that an operator supports, and MXNet's error message for each of the others."""

    taken: tuple[str, ...]
    refused: dict[str, str] = {}


class OperatorCoverage(msgspec.Struct, frozen=True):
    """A forward operator. `differentiable` is None if no rule gives inputs, `dtypes` if none were tried here yet."""

    name: str
    aliases: tuple[str, ...]
    namespace: str
    category: str
    status: Coverage
    reason: str
    rule: RuleReference | None
    differentiable: bool | None
    backward_kernels: tuple[str, ...]
    dtypes: DtypeAnswers | None = None


class CoverageSummary(msgspec.Struct, frozen=True):
    """Totals that add up: registered = canonical + alias; canonical = backward + forward; forward = the other three."""

    registered: int
    canonical: int
    alias: int
    backward: int
    forward: int
    covered: int
    uncovered: int
    excluded: int


class CoverageReport(msgspec.Struct, frozen=True):
    """The coverage of one MXNet release; `names` counts all registered names."""

    mxnet: str
    names: int
    operators: tuple[OperatorCoverage, ...]
    summary: CoverageSummary
    backward: tuple[str, ...] = ()


class ReleaseCoverage(msgspec.Struct, frozen=True):
    """A release's coverage; the label distinguishes two builds of one version."""

    label: str
    report: CoverageReport


class Standing(enum.Enum):
    """Where an operator's implementation in another framework comes from."""

    FOUND = "found"
    """Introspection found it."""
    HAND = "hand"
    USER = "user"
    NONE = "none"


class FrameworkStanding(msgspec.Struct, frozen=True):
    """How an operator stands in a framework.

    `gradient` says whether the implementation has one; None where MXNet or the operator has none. `cases` are those
    that the operator's rule names; `without` of them have no implementation, the first for this `reason`.
    """

    framework: str
    standing: Standing
    gradient: bool | None = None
    cases: int = 0
    without: int = 0
    reason: str = ""
    expressions: tuple[str, ...] = ()


class OperatorStandings(msgspec.Struct, frozen=True):
    """One operator in each of the frameworks."""

    name: str
    category: str
    frameworks: tuple[FrameworkStanding, ...]


class FrameworkCoverage(msgspec.Struct, frozen=True):
    """The implementations of a release's operators; `forward` counts all of the release's forward operators."""

    mxnet: str
    frameworks: tuple[str, ...]
    operators: tuple[OperatorStandings, ...]
    forward: int


class CoverageEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """An operator's coverage: the category if covered, the reason if excluded; `differentiable` is None if unknown."""

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
    UNKNOWN_BACKWARD = "backward pass no longer known"
    APPEARED = "newly registered"
    VANISHED = "no longer registered"
    GAINED = "gained coverage"
    GAINED_BACKWARD = "gained the backward pass"
    CHANGED = "changed"

    @property
    def finding(self) -> bool:
        """Whether a person must review it before the ledger is updated."""
        return self in _FINDINGS


_FINDINGS = frozenset(ChangeKind) - {ChangeKind.GAINED, ChangeKind.GAINED_BACKWARD, ChangeKind.CHANGED}
_BACKWARD = {
    (True, False): ChangeKind.LOST_BACKWARD,
    (True, None): ChangeKind.LOST_BACKWARD,
    (False, None): ChangeKind.UNKNOWN_BACKWARD,
    (False, True): ChangeKind.GAINED_BACKWARD,
    (None, True): ChangeKind.GAINED_BACKWARD,
}
_RANK = {Coverage.UNCOVERED: 0, Coverage.EXCLUDED: 1, Coverage.COVERED: 2}


class Change(msgspec.Struct, frozen=True):
    """One operator whose coverage changed; `alias_of` is the operator that now has its name."""

    kind: ChangeKind
    operator: str
    before: CoverageEntry | None
    after: CoverageEntry | None
    alias_of: str = ""


class BaselineCheck(msgspec.Struct, frozen=True):
    """A check: the number of operators, and every change by kind and name; `ledger_mxnet` is the ledger's release."""

    mxnet: str
    ledger_mxnet: str
    operators: int
    changes: tuple[Change, ...]

    @property
    def passed(self) -> bool:
        """Whether there are no findings."""
        return not any(change.kind.finding for change in self.changes)


def compare(before: CoverageBaseline, after: CoverageBaseline, aliases: Mapping[str, str]) -> BaselineCheck:
    """The changes; `aliases` has the canonical name of each alias that is registered now."""
    changes = []
    for name in before.operators.keys() | after.operators.keys():
        old, new = before.operators.get(name), after.operators.get(name)
        if kind := _kind(old, new):
            changes.append(Change(kind, name, old, new, aliases.get(name, "") if new is None else ""))
    order = list(ChangeKind)
    changes.sort(key=lambda change: (order.index(change.kind), change.operator))
    return BaselineCheck(after.mxnet, before.mxnet, len(after.operators), tuple(changes))


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
    return _BACKWARD.get((old.differentiable, new.differentiable), ChangeKind.CHANGED) if old != new else None


class Health(enum.Enum):
    """The status of a check, best first."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Check(msgspec.Struct, frozen=True):
    """One check; `advice` is the remedy, empty if none is needed."""

    name: str
    status: Health
    finding: str
    advice: str = ""


def worst(checks: Iterable[Check]) -> Health:
    """The worst status; ok without checks."""
    order = list(Health)
    return max((check.status for check in checks), key=order.index, default=Health.OK)
