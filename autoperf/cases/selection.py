"""The selection of operators by category, name or glob, and namespace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autoperf.core.errors import UnknownNameError, UsageError, UserRuleError
from autoperf.core.graph import LAYERS, profile_names
from autoperf.core.operator import UNREGISTERED_NAMESPACES, Operator, Registry
from autoperf.registry.names import Names
from autoperf.rules.catalog import Catalog
from autoperf.rules.categories import named_group
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.rule import DRAWN, Exclusion, InputSpec, Rule, in_each_mode

UNREGISTERED_CATEGORIES = UNREGISTERED_NAMESPACES | {LAYERS}
"""The categories of benchmarks that aren't registered operators, selected by name only."""
NO_RULE = "no rule makes inputs for it, and its signature does not determine valid ones"


@dataclass(frozen=True)
class Selection:
    """The selected operators; empty means all. Names may be aliases, Python names or globs, categories opperf's."""

    categories: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Target:
    """A selected operator, and its rule or the reason for having none (`missing`: one of two sides lacks it)."""

    operator: Operator
    rule: Rule | None
    excluded: Exclusion | None = None
    missing: str = ""

    @property
    def category(self) -> str:
        """The rule's category; `none` without a rule."""
        return self.rule.category if self.rule else "none"

    @property
    def reason(self) -> str:
        """The reason if the operator can't be measured, else empty."""
        if self.rule or self.missing:
            return "" if self.rule else self.missing
        return f"{self.excluded.reason.value}: {self.excluded.evidence}" if self.excluded else NO_RULE


def targets(registry: Registry, rules: Catalog, selection: Selection) -> list[Target]:
    """The selected operators in the order of their names. Raises UnknownNameError and UsageError."""
    groups = [named_group(name) for name in selection.categories]
    chosen = Names(registry, FRONT_END).select(selection.operators, selection.namespaces)
    unregistered = any(UNREGISTERED_CATEGORIES & group.categories for group in groups)
    if unregistered and not (selection.operators or selection.namespaces):
        chosen += registry.unregistered
    found = (target_of(operator, rules) for operator in chosen)
    selected = [
        target
        for target in found
        if not groups or any(group.holds(target.category, target.operator.names) for group in groups)
    ]
    parts = {"named": selection.operators, "in category": selection.categories, "in namespace": selection.namespaces}
    if not selected:
        described = " and ".join(f"{label} {' or '.join(values)}" for label, values in parts.items() if values)
        raise UsageError(f"no operator is {described}; `autoperf discover` lists all with their categories")
    return selected


def check_categories(categories: Sequence[str]) -> None:
    """Raises UnknownNameError for the first name that is neither a category nor an opperf group."""
    for category in categories:
        named_group(category)


def check_profiles(chosen: Sequence[Target], profiles: Sequence[str]) -> None:
    """Raises UnknownNameError for a profile that none of the chosen operators has."""
    if not profiles:
        return
    known = {DRAWN}
    for target in chosen:
        if target.rule:
            try:
                canonical = target.rule.canonical(InputSpec(target.operator, target.rule.dtype))
            except UserRuleError:
                # Its profiles are unknown; the failure is reported when its cases are made.
                return
            for name, call in canonical.items():
                in_modes = (*in_each_mode(name, call), *in_each_mode(DRAWN, call))
                known.update(known_name for mode in in_modes for known_name in profile_names(mode))
    for profile in profiles:
        if profile not in known:
            raise UnknownNameError("profile", profile, known)


def target_of(operator: Operator, rules: Catalog) -> Target:
    """The operator with its rule, or the reason why it has none."""
    rule = rules.find(operator)
    return Target(operator, rule) if isinstance(rule, Rule) else Target(operator, None, rule)
