"""The one contract over all rules: what each of them promises, whatever the operator."""

from __future__ import annotations

import dataclasses
import types
from pathlib import Path

import msgspec
import pytest

from autoperf.cases.build import BuildResult, Recipe, build, with_drafts
from autoperf.cases.deduction import Subject, deduced
from autoperf.cases.handwritten import HandwrittenCase
from autoperf.cases.release import Release
from autoperf.cases.render import Origin, render, write
from autoperf.cases.selection import Selection, Target, targets
from autoperf.cases.suite import load
from autoperf.core.case import Case
from autoperf.core.errors import RuleError
from autoperf.hunt.point import call_of
from autoperf.rules.catalog import catalog
from autoperf.rules.categories import CATEGORIES
from autoperf.rules.operators import convolution
from autoperf.rules.rule import DRAWN, PROFILES, Draft, Rule

SAMPLES = 4
SIZES = PROFILES[:3]
# The names that the oldest and the newest release register, as `RegistryClient.registry()` listed them.
OTHER_RELEASES = tuple(Path(__file__).parents[1] / "data" / f"names-{version}.txt" for version in ("1.6.0", "2.0.0b1"))


def covered(release: Release, category: str) -> list[Target]:
    every = targets(release.registry, release.catalog, Selection())
    return [target for target in every if target.rule and target.category == category]


def built(release: Release, target: Target, seed: int, samples: int = SAMPLES) -> BuildResult:
    assert target.rule
    return build(target.operator, target.rule, Recipe(seed=seed, draws=samples), release.client)


@pytest.fixture(scope="module", params=sorted(CATEGORIES))
def category(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def made(release: Release, category: str) -> dict[str, BuildResult]:
    """What the rules of a category make, by the operators' names."""
    return {target.operator.name: built(release, target, seed=1) for target in covered(release, category)}


def test_inference_accepts_every_canonical_and_drawn_input(made: dict[str, BuildResult]) -> None:
    refused = [
        f"{rejection.operator} {rejection.profile}: {rejection.reason}"
        for result in made.values()
        for rejection in result.rejections
    ]
    assert not refused


def test_every_rule_has_canonical_inputs_and_draws_others(made: dict[str, BuildResult]) -> None:
    for name, result in made.items():
        drawn = [case for case in result.cases if case.profile == DRAWN]
        assert len(result.cases) > len(drawn), f"{name} has no canonical inputs"
        assert len(drawn) + result.missing_draws == SAMPLES
        assert len({case.id for case in result.cases}) == len(result.cases)


def test_drawn_inputs_stay_in_budget_and_survive_files_and_messages(made: dict[str, BuildResult]) -> None:
    recipe = Recipe()
    for result in made.values():
        for case in result.cases:
            for codec in (msgspec.json, msgspec.msgpack):
                assert codec.decode(codec.encode(case), type=Case) == case
            if case.profile == DRAWN:
                largest = max((item.tensor.type.elements for item in case.inputs), default=0)
                assert largest <= 2 * recipe.elements, f"{case.id}: {largest} elements"


def test_what_tensors_hold_is_a_function_of_the_call(
    release: Release, category: str, made: dict[str, BuildResult]
) -> None:
    """A case whose contents are stripped is completed to itself, but for tensors whose contents the rule varies."""
    for target in covered(release, category):
        assert target.rule
        subject = Subject(target.operator, target.rule, release.client)
        for case in made[target.operator.name].cases:
            if case.graphs:
                continue
            given = with_drafts(call_of(case, target.operator.variadic_count), without_content)
            written = HandwrittenCase(
                case.operator, given.tensors, given.params, (target.rule.dtype,), training=case.training
            )
            (again,) = deduced(written, subject).cases
            stated = {item.name: item.tensor for item in case.inputs if item.name not in target.rule.varied}
            assert {item.name: item.tensor for item in again.inputs if item.name in stated} == stated, case
            assert (again.in_place, again.way) == (case.in_place, case.way), case


def without_content(_name: str, draft: Draft) -> Draft:
    return dataclasses.replace(draft, content=None)


def test_a_varied_content_has_a_reason_and_a_stated_one(release: Release) -> None:
    varied = {rule.source: rule for rule in release.catalog.named.values() if rule.varied}
    assert all(rule.contents and all(rule.varied.values()) for rule in varied.values())


def test_a_rendered_file_states_the_cases_that_run(made: dict[str, BuildResult], tmp_path: Path) -> None:
    for result in made.values():
        loaded = load(write(render(result.cases, Origin("1.9.1", 1, "a rule", "exact")), tmp_path)).cases
        stated = [(one.label, one.case.digest, one.case.profile, one.case.category) for one in loaded]
        assert stated == [(case.id, case.digest, case.profile, case.category) for case in result.cases]


def test_every_operator_has_three_sizes_that_grow(either: Release) -> None:
    recipe = Recipe(draws=0, profiles=frozenset(SIZES))
    for target in targets(either.registry, either.catalog, Selection()):
        if target.rule:
            cases = build(target.operator, target.rule, recipe, either.client).cases
            sizes = {case.profile: elements(case) for case in cases}
            assert sorted(sizes, key=sizes.__getitem__) == list(SIZES), f"{target.operator.name}: {sizes}"
            assert len(set(sizes.values())) == len(SIZES), f"{target.operator.name}: {sizes}"


def elements(case: Case) -> int:
    """Of all inputs and outputs; outputs whose shapes depend on the contents aren't known before they are made."""
    return sum(item.tensor.type.elements for item in case.inputs) + sum(output.elements for output in case.outputs)


def test_a_seed_is_stable_and_fewer_samples_are_a_prefix(release: Release, category: str) -> None:
    for target in covered(release, category)[:6]:
        few = built(release, target, seed=4, samples=2).cases
        many = built(release, target, seed=4, samples=5).cases
        assert many[: len(few)] == few


def test_no_two_rules_speak_for_one_operator(release: Release) -> None:
    for operator in release.registry.forward:
        speaking = {rule.source for name in operator.names if (rule := release.catalog.named.get(name))}
        assert len(speaking) <= 1, f"{operator.name}: {speaking}"


def test_every_name_in_a_rule_is_registered_in_some_release(release: Release) -> None:
    known = {name for operator in release.registry.selectable for name in operator.names}
    known |= {name for names in OTHER_RELEASES for name in names.read_text().split()}
    assert not sorted(set(release.catalog.named) - known)


def test_two_rules_for_a_name_are_refused_by_both_names() -> None:
    first = next(value for value in vars(convolution).values() if isinstance(value, Rule))
    other = types.ModuleType("other")
    vars(other)["twin"] = dataclasses.replace(first, source="rules/other.py:twin")
    with pytest.raises(RuleError, match=r"convolution\.py:.* and rules/other\.py:twin"):
        catalog([convolution, other])
