"""Canonical cases of operators, completed by MXNet's own inference."""

from __future__ import annotations

from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, Target, targets
from autoperf.core.case import Case
from autoperf.rules.rule import Exclusion, Rule

PATIENCE = 60.0
"""The seconds that a case may take in these tests."""


def covered(release: Release) -> list[Target]:
    """All operators that have a rule."""
    return [target for target in targets(release.registry, release.catalog, Selection()) if target.rule]


def canonical(release: Release, operator: str, profile: str) -> tuple[Case, Rule]:
    """A canonical case of an operator, and its rule."""
    known = release.registry.find(operator)
    assert known
    rule = release.catalog.find(known)
    assert rule
    assert not isinstance(rule, Exclusion)
    (case,) = build(known, rule, Recipe(draws=0, profiles=frozenset({profile})), release.client).cases
    return case, rule
