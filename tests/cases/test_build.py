"""From a rule to cases: what inference deduces, what it refuses, and cases with more than 2**32 elements."""

from __future__ import annotations

import dataclasses
from math import prod

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from autoperf.cases.build import BuildResult, Recipe, build
from autoperf.cases.release import Release
from autoperf.cases.render import ELEMENTS, PROFILE, built_cases, enlarged
from autoperf.cases.selection import Target
from autoperf.core.tensors import Integers, Mask, Uniform
from autoperf.measurement.batches import skipped_outcomes
from autoperf.registry.names import Names
from autoperf.rules.rule import Inputs, InputSpec, Rule, inputs, rule, tensor


def built(release: Release, name: str, recipe: Recipe, **changes: object) -> BuildResult:
    operator = release.registry.find(name)
    assert operator
    found = release.catalog.find(operator)
    assert isinstance(found, Rule)
    return build(operator, dataclasses.replace(found, **changes), recipe, release.client)  # type: ignore[arg-type]


def own(release: Release, name: str, made: Rule, recipe: Recipe) -> BuildResult:
    operator = release.registry.find(name)
    assert operator
    return build(operator, made, recipe, release.client)


def test_weights_and_biases_are_deduced(release: Release) -> None:
    case = built(release, "Convolution", Recipe(draws=0, profiles=frozenset({"small"}))).cases[0]
    shapes = {item.name: item.tensor.shape for item in case.inputs}
    filters = case.params["num_filter"]
    assert list(shapes) == ["data", "weight", "bias"]
    assert shapes["weight"][0] == filters
    assert shapes["bias"] == (filters,)
    assert case.outputs[0].shape[1] == filters


def test_contents_suit_the_dtype(release: Release) -> None:
    @rule(
        "where",
        category="indexing",
        canonical={"small": inputs(condition=tensor(4, dtype="bool"), x=tensor(4), y=tensor(4, dtype="int32"))},
    )
    def plain(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        return inputs(condition=tensor(draw(st.integers(2, 9)), dtype="bool"))

    made = dataclasses.replace(plain, inferable=False)
    contents = [type(item.tensor.content) for item in own(release, "where", made, Recipe(draws=0)).cases[0].inputs]
    assert contents == [Mask, Uniform, Integers]


def test_what_inference_refuses_is_reported_in_mxnets_words(release: Release) -> None:
    @rule("dot", category="gemm", canonical={"small": inputs(lhs=tensor(2, 3), rhs=tensor(4, 5))})
    def wrong(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        return inputs(lhs=tensor(draw(st.integers(2, 9)), 3), rhs=tensor(4, 5))

    made = own(release, "dot", wrong, Recipe(draws=3))
    assert not made.cases
    assert made.missing_draws == 3
    assert made.rejections[0].profile == "small"
    assert all("dot shape error" in rejection.reason for rejection in made.rejections)


def test_what_could_not_be_rendered_is_rejected_in_words(release: Release) -> None:
    @rule("exp", category="exponential", canonical={"small": inputs(data=tensor(4)).writing("weight")})
    def wrong(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        return inputs(data=tensor(draw(st.integers(2, 9)), content=Mask(9)))

    made = own(release, "exp", wrong, Recipe(draws=1))
    assert not made.cases
    assert [made.rejections[0].reason, made.rejections[-1].reason] == [
        "invalid in_place 'weight': expected an input of this case",
        "input data: invalid density of the mask 9: expected a share from 0 to 1",
    ]


def test_cases_that_would_not_fit_are_rejected_with_the_numbers(release: Release) -> None:
    made = built(release, "exp", Recipe(draws=0, max_bytes=1 << 20))
    assert {case.profile for case in made.cases} == {"small", "common", "skewed"}
    assert [rejection.reason for rejection in made.rejections] == [
        "inputs and outputs take 8,388,608 bytes, above 1,048,576"
    ]


def test_few_distinct_draws_are_counted_as_missing(release: Release) -> None:
    @rule("exp", category="exponential", canonical={"small": inputs(data=tensor(4, 4))})
    def three(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        return inputs(data=tensor(draw(st.integers(1, 3))))

    made = own(release, "exp", three, Recipe(draws=10))
    assert len(made.cases) == 1 + 3
    assert made.missing_draws == 7


def test_draws_that_the_rule_rejects_are_told_as_such(release: Release) -> None:
    @rule("exp", category="exponential", canonical={"small": inputs(data=tensor(4, 4))})
    def rare(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        size = draw(st.integers(1, 100_000))
        assume(size % 1000 == 0)
        return inputs(data=tensor(size))

    made = own(release, "exp", rare, Recipe(draws=10))
    assert made.missing_draws == 10 - len(made.cases[1:])
    assert made.empty_draws >= made.missing_draws
    operator = release.registry.find("exp")
    assert operator
    (outcome,) = skipped_outcomes(Target(operator, rare), made)
    assert "its assume() and filter() reject too many" in outcome.reason


@pytest.mark.parametrize("fewer", [1, 3, 7])
def test_fewer_samples_are_a_prefix(release: Release, fewer: int) -> None:
    few = built(release, "Pooling", Recipe(seed=5, draws=fewer)).cases
    assert built(release, "Pooling", Recipe(seed=5, draws=12)).cases[: len(few)] == few


def test_the_dtype_is_the_datas(release: Release) -> None:
    for case in built(release, "softmax", Recipe(draws=2, dtypes=("float64",))).cases:
        assert case.inputs[0].tensor.dtype == "float64"
        assert case.outputs[0].dtype == "float64"


def large_case(release: Release, name: str, **options: object) -> object:
    (operator,) = Names(release.registry).select((name,))
    rule = release.catalog.find(operator)
    assert isinstance(rule, Rule)
    recipe = Recipe(int64_tensor=True, **options)  # type: ignore[arg-type]
    return built_cases(operator, rule, recipe, release.client)


def test_tensors_of_one_shape_grow_together_first() -> None:
    first, second, third = enlarged(inputs(lhs=tensor(32, 32), rhs=tensor(32, 32), axis=1))
    extent = ELEMENTS // 32 + 1
    assert [draft.shape for draft in first.tensors.values()] == [(extent, 32), (extent, 32)]  # type: ignore[union-attr]
    assert first == second
    assert [draft.shape for draft in third.tensors.values()] == [(extent, 32), (32, 32)]  # type: ignore[union-attr]


def test_tensors_with_its_first_extent_may_belong_to_the_largest() -> None:
    _, second, _ = enlarged(inputs(data=tensor(32, 8), label=tensor(32), weight=tensor(8)))
    shapes = {name: draft.shape for name, draft in second.tensors.items()}  # type: ignore[union-attr]
    assert shapes == {"data": (ELEMENTS // 8 + 1, 8), "label": (ELEMENTS // 8 + 1,), "weight": (8,)}


def test_a_call_without_tensors_has_a_larger_shape() -> None:
    (call,) = enlarged(inputs(shape=(4, 4), dtype="float32"))
    assert call.params == {"shape": (ELEMENTS // 4 + 1, 4), "dtype": "float32"}
    assert list(enlarged(inputs(N=3))) == []


@pytest.mark.parametrize("name", ["abs", "broadcast_add", "sum", "take", "Concat", "FullyConnected", "Embedding"])
def test_inference_accepts_a_large_case_of_each_kind(next_release: Release, name: str) -> None:
    (case,) = large_case(next_release, name).cases  # type: ignore[attr-defined]
    assert case.profile == PROFILE
    assert max(prod(item.tensor.shape) for item in case.inputs) > ELEMENTS


def test_the_smallest_dtype_that_inference_accepts_is_the_default(next_release: Release) -> None:
    (small,) = large_case(next_release, "abs").cases  # type: ignore[attr-defined]
    (chosen,) = large_case(next_release, "abs", dtypes=("float16",)).cases  # type: ignore[attr-defined]
    assert [case.inputs[0].tensor.dtype for case in (small, chosen)] == ["int8", "float16"]


def test_what_cannot_be_enlarged_is_told(next_release: Release) -> None:
    built = large_case(next_release, "_eye")
    assert built.cases == []  # type: ignore[attr-defined]
    (rejection,) = built.rejections  # type: ignore[attr-defined]
    assert "can be enlarged" in rejection.reason
