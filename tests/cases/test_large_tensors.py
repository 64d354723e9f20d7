"""Cases with more than 2**32 elements, made from canonical inputs."""

from __future__ import annotations

from math import prod

import pytest

from autoperf.cases.build import Recipe
from autoperf.cases.large_tensors import ELEMENTS, PROFILE, built_cases, enlarged
from autoperf.pipeline.release import Release
from autoperf.registry.names import Names
from autoperf.rules.rule import Rule, inputs, tensor


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
