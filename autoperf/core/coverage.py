"""Operator coverage: covered by which rule, or not covered and why. `discover` reports it."""

from __future__ import annotations

import enum

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
    """One forward operator. `differentiable` is None if unknown (no rule gives inputs).

    `dtypes` is None if they weren't tried on this machine yet.
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
