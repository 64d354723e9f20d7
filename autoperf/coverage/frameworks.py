"""The implementations of a release's operators in other frameworks, as `discover --frameworks` reports them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autoperf.cases.build import Recipe, build
from autoperf.cases.gradients import read_gradients
from autoperf.cases.release import Release
from autoperf.cases.selection import Target
from autoperf.core.case import Case
from autoperf.core.coverage import FrameworkCoverage, FrameworkStanding, OperatorStandings, Standing
from autoperf.core.errors import UserRuleError
from autoperf.implementations.implementation import Implementation

CANONICAL_ONLY = Recipe(draws=0)


def framework_coverage(release: Release, chosen: Sequence[Target], frameworks: Sequence[str]) -> FrameworkCoverage:
    """How the chosen operators stand in these frameworks, by the canonical cases of their rules."""
    gradients = read_gradients(release, chosen)
    operators = []
    for target in chosen:
        name = target.operator.name
        gradient = gradients.get(name)
        has_gradient = bool(gradient and gradient.differentiable)
        standings = tuple(_standings(release, target, frameworks, has_gradient=has_gradient))
        operators.append(OperatorStandings(name, target.category, standings))
    forward = len(release.registry.forward)
    return FrameworkCoverage(release.registry.mxnet, tuple(frameworks), tuple(operators), forward)


def _standings(
    release: Release, target: Target, frameworks: Sequence[str], *, has_gradient: bool
) -> Iterator[FrameworkStanding]:
    cases, problem = _cases(release, target)
    for framework in frameworks:
        found = [_of_case(release, framework, target, case) for case in cases]
        yield _standing(framework, found, problem, has_gradient=has_gradient)


def _cases(release: Release, target: Target) -> tuple[list[Case], str]:
    """The canonical cases of an operator, and the reason if there are none."""
    if target.rule is None:
        return [], target.reason
    try:
        built = build(target.operator, target.rule, CANONICAL_ONLY, release.client)
    except UserRuleError as error:
        return [], str(error)
    return built.cases, next((rejection.reason for rejection in built.rejections), "")


def _of_case(release: Release, framework: str, target: Target, case: Case) -> Implementation | str:
    try:
        return release.implementation(framework, target.operator, case)
    except UserRuleError as error:
        return str(error)


def _standing(
    framework: str, found: Sequence[Implementation | str], problem: str, *, has_gradient: bool
) -> FrameworkStanding:
    used = [each for each in found if isinstance(each, Implementation)]
    reasons = [each for each in found if isinstance(each, str)]
    reason = next(iter(reasons), problem)
    if not used:
        return FrameworkStanding(framework, Standing.NONE, None, len(found), len(found), reason)
    gradient = all(each.differentiable for each in used) if has_gradient else None
    expressions = tuple(dict.fromkeys(each.expression for each in used))
    origin = next((each.origin for each in used if each.origin == "user"), used[0].origin)
    return FrameworkStanding(
        framework, Standing(origin), gradient, len(found), len(reasons), reason if reasons else "", expressions
    )
