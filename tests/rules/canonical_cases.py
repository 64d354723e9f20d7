"""Canonical cases of operators, completed by MXNet's own inference."""

from __future__ import annotations

from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.rules.rule import Exclusion, Rule


def canonical(release: Release, operator: str, profile: str) -> tuple[Case, Rule]:
    """A canonical case of an operator, and its rule."""
    known = release.registry.find(operator)
    assert known
    rule = release.catalog.find(known)
    assert rule
    assert not isinstance(rule, Exclusion)
    (case,) = build(known, rule, Recipe(draws=0, profiles=frozenset({profile})), release.client).cases
    return case, rule
