"""Which operators are covered, by which rule, and which are not and why: what `discover` reports."""

from __future__ import annotations

import enum

import msgspec


class Coverage(enum.Enum):
    """Where an operator stands."""

    COVERED = "covered"
    UNCOVERED = "uncovered"
    EXCLUDED = "excluded"


class RuleReference(msgspec.Struct, frozen=True):
    """The rule that answered: its tier and where it is written."""

    tier: str
    source: str


class DtypeAnswers(msgspec.Struct, frozen=True):
    """The dtypes that an operator takes, and why it doesn't take the others, in MXNet's words."""

    taken: tuple[str, ...]
    refused: dict[str, str] = {}


class OperatorCoverage(msgspec.Struct, frozen=True):
    """One forward operator. `differentiable` is None where MXNet wasn't asked (no rule gives it inputs).

    `dtypes` is None where they weren't tried on this machine yet.
    """

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
    """What one MXNet release has, and how much of it is covered; `names` is how many names it registers."""

    mxnet: str
    names: int
    operators: tuple[OperatorCoverage, ...]
    summary: CoverageSummary
    backward: tuple[str, ...] = ()


class ReleaseCoverage(msgspec.Struct, frozen=True):
    """A release's coverage under its label, which tells two of one version apart."""

    label: str
    report: CoverageReport
