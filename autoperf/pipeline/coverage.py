"""The coverage report: registered, covered and differentiable operators."""

from __future__ import annotations

from collections import Counter

from autoperf.core.coverage import Coverage, CoverageReport, CoverageSummary, OperatorCoverage, RuleReference
from autoperf.core.operator import Registry, Role
from autoperf.pipeline.dtypes import Answers
from autoperf.pipeline.gradients import Gradients
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Target


def report(
    release: Release, every: list[Target], chosen: list[Target], gradients: Gradients, dtypes: Answers
) -> CoverageReport:
    """The coverage of the chosen operators; the summary counts every registered one."""
    registry = release.registry
    rows = tuple(_row(release, target, gradients, dtypes) for target in chosen)
    backward = tuple(operator.name for operator in registry.operators if operator.role is Role.BACKWARD)
    return CoverageReport(registry.mxnet, registry.names, rows, summary(registry, every), backward)


def summary(registry: Registry, every: list[Target]) -> CoverageSummary:
    """Totals over the whole registry: each forward operator is covered, uncovered or excluded."""
    roles = Counter(operator.role for operator in registry.operators)
    status = Counter(status_of(target) for target in every)
    return CoverageSummary(
        registered=registry.names,
        canonical=len(registry.operators),
        alias=sum(len(operator.aliases) for operator in registry.operators),
        backward=roles[Role.BACKWARD],
        forward=roles[Role.FORWARD],
        covered=status[Coverage.COVERED],
        uncovered=status[Coverage.UNCOVERED],
        excluded=status[Coverage.EXCLUDED],
    )


def _row(release: Release, target: Target, gradients: Gradients, dtypes: Answers) -> OperatorCoverage:
    operator, rule = target.operator, target.rule
    gradient = gradients.get(operator.name)
    return OperatorCoverage(
        name=operator.name,
        aliases=operator.aliases,
        namespace=operator.namespace,
        category=target.category,
        status=status_of(target),
        reason=target.reason,
        rule=RuleReference(release.tier(rule).value, rule.source) if rule else None,
        differentiable=gradient.differentiable if gradient else None,
        backward_kernels=gradient.kernels if gradient else (),
        dtypes=dtypes.get(operator.name),
    )


def status_of(target: Target) -> Coverage:
    """Whether an operator is covered, excluded or uncovered."""
    if target.rule:
        return Coverage.COVERED
    return Coverage.EXCLUDED if target.excluded else Coverage.UNCOVERED
