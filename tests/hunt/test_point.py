"""Points: drawn and given ones, a case's own call, and inputs that are too large."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.tensors import Integers, Patterned
from autoperf.core.work import work_of
from autoperf.hunt.contents import with_pattern
from autoperf.hunt.edits import resized, with_param
from autoperf.hunt.point import Point, PointFactory, call_of
from autoperf.rules.rule import Rule, inputs, tensor
from tests.hunt.hunt_values import factory_of, point

ODD = (
    *("softmax", "Concat", "take", "BatchNorm", "RNN", "dot", "Custom", "_foreach", "sgd_update", "topk"),
    *("_zeros", "_random_uniform", "cast_storage", "Embedding", "_npi_einsum"),
)


def replace_tensor(case: Case, **fields: object) -> Case:
    """The case with these fields of its first tensor."""
    first, *others = case.inputs
    tensor = msgspec.structs.replace(first.tensor, **fields)
    return msgspec.structs.replace(case, inputs=(msgspec.structs.replace(first, tensor=tensor), *others))


def test_canonical_and_drawn_points_are_the_cases_that_a_run_would_make(release: Release) -> None:
    factory = factory_of(release, "softmax")
    (operator,) = (one for one in release.registry.operators if one.name == "softmax")
    built = build(operator, factory.rule, Recipe(draws=0, elements=2**16), release.client)
    assert [one.case.id for one in factory.canonical("float32")] == [case.id for case in built.cases]


def test_draws_are_the_same_for_a_seed_and_others_for_another(release: Release) -> None:
    factory = factory_of(release, "softmax")
    once, again = (factory.drawn("float32", "5/softmax", 4, 0) for _ in range(2))
    assert [one.key for one in once] == [one.key for one in again]
    assert {one.key for one in once}.isdisjoint(one.key for one in factory.drawn("float32", "6/softmax", 4, 0))


def test_a_later_block_goes_on_where_the_first_ended(release: Release) -> None:
    factory = factory_of(release, "exp")
    whole = [one.key for one in factory.drawn("float32", "1", 8, 0)]
    parts = [one.key for start in (0, 4) for one in factory.drawn("float32", "1", 4, start)]
    assert whole == parts


def test_a_point_knows_its_work(release: Release) -> None:
    dot = point(release, "dot", inputs(lhs=tensor(8, 16), rhs=tensor(16, 4)))
    assert dot.work == work_of(dot.case, factory_of(release, "dot").rule.flops)
    assert dot.work.flops == 2 * 8 * 16 * 4
    row = inputs(data=tensor(64, 32), scalar=1.0, begin=(0,), end=(1,)).writing("data")
    assert point(release, "_slice_assign_scalar", row).work.bytes_out == 4 * 32


def test_where_a_rules_formula_does_not_reach_there_is_no_point(release: Release) -> None:
    factory = factory_of(release, "_contrib_interleaved_matmul_selfatt_qk")
    taken = factory.canonical("float32")[0].call
    assert factory.make([(with_param(taken, "heads", 0), "float32")]) == [None]


def test_another_dtype_is_that_of_what_the_rule_left_open(release: Release) -> None:
    half = point(release, "take", inputs(a=tensor(4, 3), indices=tensor(2, dtype="int32")), "float16")
    assert [item.tensor.dtype for item in half.case.inputs] == ["float16", "int32"]


@pytest.mark.parametrize("name", ODD)
def test_a_case_made_into_a_call_makes_the_same_case(release: Release, name: str) -> None:
    factory = factory_of(release, name)
    cases = build(factory.operator, factory.rule, Recipe(seed=3, draws=4, elements=2**12), release.client).cases
    assert cases
    for case in cases:
        call = call_of(case, factory.operator.variadic_count)
        (again,) = factory.make([(call, factory.rule.dtype)])
        assert again, case
        assert (again.case.id, again.case.outputs) == (case.id, case.outputs)
        given = factory.from_case(case)
        assert isinstance(given, Point)
        assert given.case == again.case


def test_contents_follow_an_edited_call_unless_they_are_the_users(release: Release) -> None:
    factory = factory_of(release, "gather_nd")
    (drawn,) = factory.make([(inputs(data=tensor(10, 4), indices=tensor(2, 5, dtype="int32")), "float32")])
    assert drawn
    kept = factory.from_case(drawn.case)
    own = factory.from_case(
        msgspec.structs.replace(
            drawn.case,
            inputs=tuple(
                msgspec.structs.replace(item, tensor=msgspec.structs.replace(item.tensor, content=Integers(0, 2)))
                if item.name == "indices"
                else item
                for item in drawn.case.inputs
            ),
        )
    )
    assert isinstance(kept, Point)
    assert isinstance(own, Point)
    for known, before, after in ((drawn, 4, 10), (kept, 4, 10), (own, 2, 2)):
        assert known.case.inputs[1].tensor.content == Integers(0, before)
        (longer,) = factory.make([(resized(known.call, ("data", 0, 1), 30)[0], "float32")])
        assert longer
        assert longer.case.inputs[1].tensor.content == Integers(0, after)
        patterned = with_pattern(known.call, "indices", "sorted", "float32")
        (longer,) = factory.make([(resized(patterned, ("data", 0, 1), 30)[0], "float32")])
        assert longer
        content = longer.case.inputs[1].tensor.content
        assert isinstance(content, Patterned)
        assert (content.content, content.pattern) == (Integers(0, after), "sorted")


def test_what_inference_refuses_is_no_point(release: Release) -> None:
    good = (inputs(lhs=tensor(2, 3), rhs=tensor(3, 2)), "float32")
    bad = (inputs(lhs=tensor(2, 3), rhs=tensor(2, 3)), "float32")
    assert [one is None for one in factory_of(release, "dot").make([bad, good, bad])] == [True, False, True]
    assert factory_of(release, "dot").make([]) == []


def test_a_case_without_a_point_has_the_reason(release: Release) -> None:
    factory = factory_of(release, "dot")
    case = factory.canonical("float32")[0].case
    refused = factory.from_case(replace_tensor(case, shape=(3, 7)))
    assert str(refused).startswith("MXNet refuses these inputs: Check failed: L[!Ta].Size() == R[Tb].Size()")
    uncounted = "the rule can't count its work: tuple index out of range"
    assert factory.from_case(replace_tensor(case, shape=())) == uncounted
    small = PointFactory(factory.operator, factory.rule, release.client, elements=2**10, max_bytes=100)
    assert small.from_case(case) == "its tensors take more memory than a hunt's may"
    correlation = factory_of(release, "Correlation")
    fits = correlation.canonical("float32")[0].case
    unfit = correlation.from_case(replace_tensor(fits, shape=(1, 7, 16, 16)))
    assert "inference doesn't check it" in str(unfit)


def test_what_is_too_large_is_no_point(release: Release) -> None:
    known = factory_of(release, "exp")
    assert isinstance(known.rule, Rule)
    small = PointFactory(known.operator, known.rule, release.client, elements=2**10, max_bytes=1000)
    assert small.make([(inputs(data=tensor(125)), "float32"), (inputs(data=tensor(126)), "float32")])[1] is None
    assert small.make([(inputs(data=tensor(125)), "float32")])[0]


def test_a_list_without_the_tensor_that_the_operator_writes_is_no_point(release: Release) -> None:
    factory = factory_of(release, "preloaded_multi_sgd_mom_update")
    whole = factory.canonical("float32")[0].call
    listed = whole.tensors["data"]
    assert isinstance(listed, tuple)
    fewer = replace(whole, tensors={"data": listed[:8]})
    assert factory.make([(fewer, "float32")]) == [None]
