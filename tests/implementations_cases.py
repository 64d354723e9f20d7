"""Small and drawn cases of an operator, for tests of implementations."""

from __future__ import annotations

from autoperf.cases.build import Recipe, build
from autoperf.core.case import Case
from autoperf.core.operator import Operator
from autoperf.pipeline.release import Release
from autoperf.rules.rule import DRAWN, Rule

RECIPE = Recipe(seed=3, draws=3, profiles=frozenset({"small", DRAWN}), elements=500)


def cases_of(operator: Operator, release: Release) -> list[Case]:
    """Its cases in single precision."""
    rule = release.catalog.find(operator)
    assert isinstance(rule, Rule)
    return build(operator, rule, RECIPE, release.client).cases
