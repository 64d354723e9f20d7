"""How close a rule is to an operator follows from the operators that it serves in a release."""

from __future__ import annotations

from collections import Counter

from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Selection, targets
from autoperf.rules.catalog import catalog_of
from autoperf.rules.operators.elementwise import REAL, SameShape
from autoperf.rules.rule import Tier
from autoperf.rules.table import Row, table


def test_a_rule_for_one_operator_is_exact_and_one_for_several_is_of_a_family(either: Release) -> None:
    rules = [target.rule for target in targets(either.registry, either.catalog, Selection()) if target.rule]
    served = Counter(rule.source for rule in rules)
    tiers = {rule.source: either.tier(rule) for rule in rules if not rule.matches}
    assert set(tiers.values()) == {Tier.EXACT, Tier.FAMILY}
    assert {source: tier is Tier.EXACT for source, tier in tiers.items()} == {
        source: served[source] == 1 for source in tiers
    }


def test_names_of_one_operator_make_no_family(release: Release) -> None:
    names = {"both": ("sin", "cos"), "aliases": ("broadcast_add", "broadcast_plus"), "elsewhere": ("tan", "no_such")}
    rows = {key: Row(operators, SameShape((REAL,)), "Any.") for key, operators in names.items()}
    tiers = catalog_of(table("mine", "unary", **rows)).tiers(release.registry.forward)
    assert tiers == {"mine.py:both": Tier.FAMILY, "mine.py:aliases": Tier.EXACT, "mine.py:elsewhere": Tier.EXACT}
