"""Which operators a command is about: by category, by name or glob, by namespace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autoperf.core.errors import UnknownNameError, UsageError, UserRuleError
from autoperf.core.operator import Operator, Registry
from autoperf.registry.names import select
from autoperf.rules.catalog import Catalog
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.groups import named_group
from autoperf.rules.rule import DRAWN, Exclusion, InputSpec, Rule

NO_RULE = "no rule gives it inputs, and its signature alone does not tell valid ones"


@dataclass(frozen=True)
class Selection:
    """What the user asked for; empty means all. Names are registry names, aliases, users' names or globs.

    Categories may be opperf's groups too.
    """

    categories: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Target:
    """A selected operator, and its rule or the reason why it has none."""

    operator: Operator
    rule: Rule | None
    excluded: Exclusion | None = None

    @property
    def category(self) -> str:
        """The rule's category; `none` where there is no rule."""
        return self.rule.category if self.rule else "none"

    @property
    def reason(self) -> str:
        """Why the operator can't be measured; empty where it can."""
        if self.rule:
            return ""
        if self.excluded:
            return f"{self.excluded.reason.value}: {self.excluded.evidence}"
        return NO_RULE


def targets(registry: Registry, rules: Catalog, selection: Selection) -> list[Target]:
    """The selected operators in the order of their names. Raises UnknownNameError and UsageError."""
    groups = [named_group(name) for name in selection.categories]
    chosen = select(registry, selection.operators, selection.namespaces, FRONT_END)
    found = [target_of(operator, rules) for operator in chosen]
    if groups:
        found = [one for one in found if any(group.holds(one.category, one.operator.names) for group in groups)]
    if not found:
        raise UsageError(f"no operator is {_spell(selection)}; `autoperf discover` lists all with their categories")
    return found


def check_categories(categories: Sequence[str]) -> None:
    """Raises UnknownNameError for the first name that is no category, nor a group of opperf's."""
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
                known.update(target.rule.canonical(InputSpec(target.operator, target.rule.dtype)))
            except UserRuleError:
                # What profiles it would have nobody knows; whoever makes its cases says what is wrong with it.
                return
    for profile in profiles:
        if profile not in known:
            raise UnknownNameError("profile", profile, known)


def target_of(operator: Operator, rules: Catalog) -> Target:
    """The operator with the rule that speaks for it, or the reason why there is none."""
    found = rules.find(operator)
    if isinstance(found, Rule):
        return Target(operator, found)
    return Target(operator, None, found)


def _spell(selection: Selection) -> str:
    parts = {
        "named": selection.operators,
        "in category": selection.categories,
        "in namespace": selection.namespaces,
    }
    return " and ".join(f"{label} {' or '.join(values)}" for label, values in parts.items() if values)
