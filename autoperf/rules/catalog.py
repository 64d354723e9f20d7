"""The catalog of rules by operator; rules are collected from the package, without registration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from types import ModuleType

from autoperf.core.errors import RuleError
from autoperf.core.operator import Operator
from autoperf.core.releases import parts
from autoperf.rules import operators
from autoperf.rules.composites.composite import composite_modules
from autoperf.rules.front_end_benchmarks import front_end_benchmarks_by_name
from autoperf.rules.gluon_layers.layer import gluon_layers_by_name
from autoperf.rules.rule import Exclusion, Rule, Tier, modules_of, top_level


@dataclass(frozen=True)
class Catalog:
    """Rules by name, rules by signature, and exclusions by name; `user_rules` have precedence."""

    named: dict[str, Rule]
    inferred: tuple[Rule, ...]
    excluded: dict[str, Exclusion]
    user_rules: Catalog | None = None

    def find(self, operator: Operator) -> Rule | Exclusion | None:
        """The exact or family rule, else the exclusion, else the first inferred rule that matches, else None."""
        user_rule = self.user_rules.by_name(operator) if self.user_rules else None
        if rule := user_rule or self.by_name(operator):
            return rule
        inferred = (*(self.user_rules.inferred if self.user_rules else ()), *self.inferred)
        return next((rule for rule in inferred if rule.matches and rule.matches(operator)), None)

    @property
    def rules(self) -> list[Rule]:
        """All rules that name their operators; a user's rules are last."""
        return [*self.named.values(), *(self.user_rules.rules if self.user_rules else ())]

    def with_user_rules(self, user_rules: Catalog) -> Catalog:
        """This catalog with the rules of a user, which have precedence."""
        return replace(self, user_rules=user_rules)

    def for_release(self, version: str) -> Catalog:
        """The catalog of one release: later exclusions are dropped, and those with `since` outrank rules."""
        excluded_now = {
            name: exclusion
            for name, exclusion in self.excluded.items()
            if exclusion.since and exclusion.since <= parts(version)
        }
        always = {name: exclusion for name, exclusion in self.excluded.items() if not exclusion.since}
        named = {name: rule for name, rule in self.named.items() if name not in excluded_now}
        return replace(self, named=named, excluded=always | excluded_now)

    def by_name(self, operator: Operator) -> Rule | Exclusion | None:
        """The rule, else the exclusion, that has one of the operator's names. Raises RuleError for two rules."""
        rules = {id(rule): rule for name in operator.names if (rule := self.named.get(name))}
        if len(rules) > 1:
            sources = " and ".join(sorted(rule.source for rule in rules.values()))
            raise RuleError(f"two rules for {operator.name}: {sources}; keep one")
        if rules:
            return next(iter(rules.values()))
        return next((self.excluded[name] for name in operator.names if name in self.excluded), None)

    def tiers(self, operators: Iterable[Operator]) -> dict[str, Tier]:
        """The tier of each rule by its source: exact if it serves only one of these operators."""
        rules = [rule for operator in operators if isinstance(rule := self.find(operator), Rule)]
        served = Counter(rule.source for rule in rules)
        tiers = {rule.source: Tier.EXACT if served[rule.source] == 1 else Tier.FAMILY for rule in rules}
        return {**tiers, **{rule.source: Tier.INFERRED for rule in rules if rule.matches}}


def catalog(modules: Iterable[ModuleType] | None = None) -> Catalog:
    """The catalog of the rules in `rules/operators/` (or in `modules`), and of composites, benchmarks and layers."""
    sources = (*(modules or modules_of(operators)), *composite_modules())
    items = [item for module in sources for item in members(module)]
    benchmarks = (entry.rule() for entry in front_end_benchmarks_by_name().values())
    layers = (entry.rule() for entry in gluon_layers_by_name().values())
    return catalog_of([*items, *benchmarks, *layers])


def catalog_of(items: Iterable[Rule | Exclusion]) -> Catalog:
    """The catalog of these rules and exclusions. Raises RuleError for two rules that name one operator."""
    entries = list(items)
    rules = [item for item in entries if isinstance(item, Rule)]
    exclusions = [item for item in entries if isinstance(item, Exclusion)]
    inferred = sorted((rule for rule in rules if rule.matches), key=lambda rule: (rule.rank, rule.source))
    named: dict[str, Rule] = {}
    for rule in rules:
        for name in rule.names:
            other = named.setdefault(name, rule)
            if other is not rule:
                raise RuleError(f"two rules for {name}: {other.source} and {rule.source}; keep one")
    return Catalog(named, tuple(inferred), {name: item for item in exclusions for name in item.names})


def members(module: ModuleType) -> Iterator[Rule | Exclusion]:
    """The rules and exclusions at the top level of a module, alone or in tuples."""
    return (item for item in top_level(module) if isinstance(item, Exclusion | Rule))
