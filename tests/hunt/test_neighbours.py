"""Every kind of step changes what its words state, and keeps the work equal or slightly less."""

from __future__ import annotations

import math

import pytest

from autoperf.cases.release import Release
from autoperf.core.tensors import ITEM_SIZE, Patterned, Uniform
from autoperf.hunt.edits import drafts
from autoperf.hunt.neighbours import AXES, CONTENTS, SIZES, Step, neighbours, pattern_steps, related_kinds
from autoperf.hunt.point import Point
from autoperf.rules.rule import Inputs, inputs, tensor
from tests.hunt.hunt_values import point


def steps(release: Release, point_: Point, *kinds: str) -> list[Step]:
    operator = next(one for one in release.registry.operators if point_.case.operator in one.names)
    return [step for step in neighbours(point_, operator) if not kinds or step.kind in kinds]


def shapes(call: Inputs) -> list[tuple[int, ...]]:
    return [draft.shape for _, _, draft in drafts(call)]


def volume(call: Inputs) -> int:
    return sum(math.prod(shape) for shape in shapes(call))


@pytest.fixture(scope="module")
def softmax(release: Release) -> Point:
    return point(release, "softmax", inputs(data=tensor(12, 6, 20), axis=1))


def test_another_axis_over_the_same_tensor(release: Release, softmax: Point) -> None:
    found = steps(release, softmax, "axis")
    assert [(step.words, step.calls[0].params) for step in found] == [
        ("axis=0", {"axis": 0}),
        ("axis=2", {"axis": 2}),
    ]
    assert {tuple(shapes(step.calls[0])) for step in found} == {((12, 6, 20),)}


def test_transposed_tensors_keep_the_axis_in_mind(release: Release, softmax: Point) -> None:
    found = {step.words: step.calls[0] for step in steps(release, softmax, "transposed")}
    assert shapes(found["axes 0 and 1 exchanged"]) == [(6, 12, 20)]
    assert found["axes 0 and 1 exchanged"].params == {"axis": 0}
    assert shapes(found["axes 0 and 2 exchanged"]) == [(20, 6, 12)]
    assert found["axes 0 and 2 exchanged"].params == {"axis": 1}
    assert steps(release, softmax, "exchanged") == []


def test_an_axis_by_default_stays_when_tensors_are_transposed(release: Release) -> None:
    """`dim1=0` and a `dim2` of 0 by default would exchange an axis with itself."""
    swapped = point(release, "SwapAxis", inputs(data=tensor(2, 3, 4), dim1=1))
    assert [step.words for step in steps(release, swapped, "transposed")] == ["axes 1 and 2 exchanged"]
    given = point(release, "SwapAxis", inputs(data=tensor(2, 3, 4), dim1=1, dim2=0))
    assert len(steps(release, given, "transposed")) == 3


def test_where_there_is_no_axis_dimensions_are_exchanged(release: Release) -> None:
    found = steps(release, point(release, "exp", inputs(data=tensor(2, 9))), "exchanged", "transposed", "axis")
    assert [(step.kind, shapes(step.calls[0])) for step in found] == [("exchanged", [(9, 2)])]


def test_one_more_and_one_less(release: Release, softmax: Point) -> None:
    more = [shapes(step.calls[0]) for step in steps(release, softmax, "one more")]
    less = [shapes(step.calls[0]) for step in steps(release, softmax, "one less")]
    assert more == [[(13, 6, 20)], [(12, 7, 20)], [(12, 6, 21)]]
    # One less of 6 would be a sixth less work.
    assert less == [[(11, 6, 20)], [(12, 6, 19)]]


def test_numbers_change_by_one_and_are_left_out(release: Release) -> None:
    topk = point(release, "topk", inputs(data=tensor(4, 30), k=2, is_ascend=True, ret_typ="value"))
    found = {step.words: step.calls[0].params for step in steps(release, topk)}
    rest = {"is_ascend": True, "ret_typ": "value"}
    assert found["k=3"] == {"k": 3, **rest}
    assert found["k=1"] == {"k": 1, **rest}
    assert found["no k"] == rest
    assert found["is_ascend=False"] == {"k": 2, "is_ascend": False, "ret_typ": "value"}
    assert {words for words in found if words.startswith("ret_typ=")} == {
        "ret_typ=both",
        "ret_typ=indices",
        "ret_typ=mask",
    }


def test_flags_that_are_not_given_stay_as_they_are(release: Release) -> None:
    """Most of them change the work: with `use_global_stats`, BatchNorm computes no statistics."""
    assert not any("transpose" in step.words for step in steps(release, point(release, "dot", DOT), "transpose_a"))


DOT = inputs(lhs=tensor(8, 8), rhs=tensor(8, 8))


def test_what_is_broadcast_is_filled(release: Release) -> None:
    added = point(release, "broadcast_add", inputs(lhs=tensor(4, 5), rhs=tensor(1, 5)))
    found = steps(release, added, "filled")
    assert [(step.words, shapes(step.calls[0])) for step in found] == [("rhs.shape[0] of 4", [(4, 5), (4, 5)])]


def test_another_aspect_has_the_same_volume(release: Release, softmax: Point) -> None:
    found = steps(release, softmax, "aspect")
    assert "data.shape[0] of 1 and data.shape[1] of 72" in {step.words for step in found}
    assert "data.shape[2] of 5 and data.shape[0] of 48" in {step.words for step in found}
    for step in found:
        assert volume(step.calls[0]) == volume(softmax.call), step.words


def test_axes_that_are_not_worked_along_are_made_one(release: Release) -> None:
    found = steps(release, point(release, "softmax", inputs(data=tensor(2, 3, 4), axis=-1)), "flatter")
    assert [(shapes(step.calls[0]), step.calls[0].params) for step in found] == [([(6, 4)], {"axis": 1})]


def test_sparse_tensors_have_a_dense_twin(release: Release) -> None:
    sparse = point(release, "square", inputs(data=tensor(8, 8, storage="csr", density=0.25)))
    (step,) = steps(release, sparse, "dense")
    (draft,) = (draft for _, _, draft in drafts(step.calls[0]))
    assert (draft.storage, draft.content) == ("default", Patterned(Uniform(0.1, 2.0), "zeros", kept=0.25))
    assert step.words == "dense tensors with as many zeros"
    assert steps(release, point(release, "square", inputs(data=tensor(8, 8))), "dense") == []


def test_smaller_and_larger_by_two(release: Release, softmax: Point) -> None:
    assert [shapes(step.calls[0]) for step in steps(release, softmax, "smaller")] == [
        [(6, 6, 20)],
        [(12, 3, 20)],
        [(12, 6, 10)],
    ]
    assert [shapes(step.calls[0]) for step in steps(release, softmax, "larger")] == [
        [(24, 6, 20)],
        [(12, 12, 20)],
        [(12, 6, 40)],
    ]


def test_other_dtypes_are_at_least_half_as_wide(release: Release, softmax: Point) -> None:
    found = steps(release, softmax, "dtype")
    assert "float32" not in {step.dtype for step in found}
    assert {step.dtype for step in found} >= {"float64", "float16"}
    for step in found:
        assert step.words.startswith(f"{step.dtype}: as many elements, ")
        assert ITEM_SIZE[step.dtype] * 2 >= ITEM_SIZE["float32"]


def test_steps_into_another_dtype_say_why_it_asks_for_as_much(release: Release, softmax: Point) -> None:
    words = {step.dtype: step.words for step in steps(release, softmax, "dtype")}
    unlike = "its contents can't be alike"
    rounded = f"{unlike}: numbers are rounded to fewer distinct ones"
    assert words["float16"] == f"float16: as many elements, half the bytes; {rounded}"
    assert words["int32"] == f"int32: as many elements, as many bytes; {unlike}: fractions become whole numbers"
    assert words["float64"] == "float64: as many elements, 2 times the bytes"


def test_contents_without_their_pattern_are_beside_and_the_reverse_is_no_contrast(release: Release) -> None:
    plain, other = (inputs(data=tensor(32, 32, content=content)) for content in (None, Patterned(Uniform(), "sorted")))
    (step,) = steps(release, point(release, "softmax", other), CONTENTS)
    assert step.calls == (plain,)
    assert step.sentence == "sorted data, in place of shuffled data of the same distribution"
    assert steps(release, point(release, "softmax", plain), CONTENTS) == []
    words = {step.words: step.calls for step in pattern_steps(point(release, "softmax", plain))}
    assert set(words) == {"sorted data", "reversed data", "constant data", "data of few distinct values"} | {
        "data of many zeros",
        "subnormal data",
    }


def test_nothing_is_beside_an_operator_without_inputs(release: Release) -> None:
    found = steps(release, point(release, "_zeros", inputs(shape=(4, 4))))
    assert {step.kind for step in found} <= {"dtype", "shape left out"}


@pytest.mark.parametrize("group", [AXES, SIZES])
def test_kinds_of_one_cause_belong_together(group: tuple[str, ...]) -> None:
    for kind in group:
        assert related_kinds(kind)[0] == kind
        assert set(related_kinds(kind)) >= set(group)


def test_a_parameter_stands_alone() -> None:
    assert related_kinds("mode") == ("mode",)
