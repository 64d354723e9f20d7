"""Edits keep a call consistent: dependent lengths change together, and parameters select the same axes."""

from __future__ import annotations

import pytest

from autoperf.cases.build import with_drafts
from autoperf.core.operator import is_axis
from autoperf.core.tensors import Distinct, Integers, Patterned
from autoperf.hunt.edits import (
    axes_given,
    dimensions,
    extent,
    merged,
    rank,
    resized,
    swapped,
    with_axes,
    with_axis,
    with_param,
    without,
    without_axis,
)
from autoperf.rules.rule import Draft, Inputs, inputs, tensor

Shapes = dict[str, object]


def shapes(call: Inputs) -> Shapes:
    return {
        name: tuple(one.shape for one in given) if isinstance(given, tuple) else given.shape
        for name, given in call.tensors.items()
    }


LISTED = inputs(data=[tensor(2, 3), tensor(4, 3)], axis=0)
PAIR = inputs(lhs=tensor(6, 5), rhs=tensor(5, 6))


def test_places_are_those_of_lists_too() -> None:
    assert dimensions(LISTED) == [("data", 0, 0), ("data", 0, 1), ("data", 1, 0), ("data", 1, 1)]
    assert [extent(LISTED, dimension) for dimension in dimensions(LISTED)] == [2, 3, 4, 3]
    assert rank(LISTED) == 2
    assert rank(inputs()) == 0
    assert dimensions(inputs()) == []


@pytest.mark.parametrize("name", ["axis", "axes", "dim", "dim1", "axis2", "batch_axis", "step_axes"])
def test_names_of_axes(name: str) -> None:
    assert is_axis(name)


@pytest.mark.parametrize("name", ["k", "axis_of", "dimension", "keepdims", "ndim", "taxis", "begin"])
def test_names_of_other_parameters(name: str) -> None:
    assert not is_axis(name)


def test_a_dimension_is_resized_alone_with_its_like_and_with_all_of_its_length() -> None:
    found = [shapes(call) for call in resized(PAIR, ("lhs", 0, 0), 9)]
    assert found == [
        {"lhs": (9, 5), "rhs": (5, 6)},
        {"lhs": (9, 5), "rhs": (5, 9)},
    ]
    # The first axis of `rhs` has the same length and position.
    same = inputs(lhs=tensor(6, 6), rhs=tensor(6, 5))
    assert [shapes(call) for call in resized(same, ("lhs", 0, 0), 2)] == [
        {"lhs": (2, 6), "rhs": (6, 5)},
        {"lhs": (2, 6), "rhs": (2, 5)},
        {"lhs": (2, 2), "rhs": (2, 5)},
    ]


def test_a_dimension_is_tied_to_that_of_a_tensor_of_lower_rank_by_its_place_from_the_back() -> None:
    biased = inputs(data=tensor(4, 3, 8), bias=tensor(8))
    assert {"data": (4, 3, 5), "bias": (5,)} in [shapes(call) for call in resized(biased, ("data", 0, 2), 5)]


def test_a_dimension_of_one_is_tied_to_nothing() -> None:
    ones = inputs(lhs=tensor(1, 4), rhs=tensor(1, 1))
    assert [shapes(call) for call in resized(ones, ("lhs", 0, 0), 3)] == [{"lhs": (3, 4), "rhs": (1, 1)}]


def test_parameters_that_speak_of_a_length_follow_it_but_axes_stay() -> None:
    call = inputs(data=tensor(3, 7), begin=(0, 0), end=(3, 7), axis=3, k=3)
    last = resized(call, ("data", 0, 0), 9)[-1]
    assert last.params == {"begin": (0, 0), "end": (9, 7), "axis": 3, "k": 9}
    assert resized(call, ("data", 0, 0), 9)[0].params == call.params


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (Integers(0, 8), Integers(0, 4)),
        (Integers(1, 9), Integers(1, 5)),
        (Distinct(8), Distinct(4)),
        (Integers(0, 5), Integers(0, 5)),
        (Integers(7, 8), Integers(7, 8)),
        (Patterned(Integers(0, 8), "sorted"), Patterned(Integers(0, 4), "sorted")),
        (None, None),
    ],
)
def test_indices_stay_within_a_dimension_that_shrinks(content: object, kept: object) -> None:
    call = inputs(a=tensor(8, 2), indices=Draft((3,), "int64", content))  # type: ignore[arg-type]
    for shrunk in resized(call, ("a", 0, 0), 4):
        assert shrunk.tensors["indices"].content == kept  # type: ignore[union-attr]
    for grown in resized(call, ("a", 0, 0), 16):
        assert grown.tensors["indices"].content == content  # type: ignore[union-attr]


@pytest.mark.parametrize(("axis", "moved"), [(0, 2), (2, 0), (1, 1), (-1, -3), (-3, -1), (-2, -2)])
def test_swapped_axes_take_the_parameter_along(axis: int, moved: int) -> None:
    call = swapped(inputs(data=tensor(2, 3, 4), axis=axis), 0, 2)
    assert shapes(call) == {"data": (4, 3, 2)}
    assert call.params == {"axis": moved}


def test_swapped_axes_exchange_what_speaks_of_each_axis() -> None:
    call = inputs(data=tensor(2, 3, 4), begin=(0, 1, 2), axes=(0, 1), shape=(5, 6))
    assert swapped(call, 0, 2).params == {"begin": (2, 1, 0), "axes": (2, 1), "shape": (5, 6)}


def test_tensors_of_lower_rank_keep_their_axes() -> None:
    call = inputs(data=tensor(2, 3), gamma=tensor(3))
    assert shapes(swapped(call, 0, 1)) == {"data": (3, 2), "gamma": (3,)}


@pytest.mark.parametrize(("axis", "after"), [(0, 0), (3, 2), (-1, 2), ((0, 3), (0, 2))])
def test_two_axes_become_one(axis: object, after: object) -> None:
    flatter = merged(inputs(data=tensor(2, 3, 4, 5), axis=axis), 1)  # type: ignore[arg-type]
    assert flatter
    assert shapes(flatter) == {"data": (2, 12, 5)}
    assert flatter.params == {"axis": after}


@pytest.mark.parametrize("params", [{"axis": 1}, {"axis": 2}, {"axis": -2}, {"axes": (0, 1)}, {"pads": (1, 1, 1, 1)}])
def test_axes_that_are_worked_along_are_not_made_one(params: dict[str, object]) -> None:
    assert merged(inputs(data=tensor(2, 3, 4, 5), **params), 1) is None  # type: ignore[arg-type]


def test_without_an_axis() -> None:
    call = inputs(data=tensor(2, 3, 4), axis=-1, begin=(0, 1, 2), k=2)
    fewer = without_axis(call, 1)
    assert fewer
    assert shapes(fewer) == {"data": (2, 4)}
    assert fewer.params == {"axis": 1, "begin": (0, 2), "k": 2}
    assert without_axis(call, 2) is None
    assert without_axis(inputs(data=tensor(5)), 0) is None


def test_one_more_axis_stands_in_front() -> None:
    call = inputs(data=tensor(3, 4), bias=tensor(4), axis=1)
    wider = with_axis(call)
    assert wider
    assert shapes(wider) == {"data": (1, 3, 4), "bias": (4,)}
    assert wider.params == {"axis": 2}
    assert with_axis(inputs(data=tensor(3, 4), reps=(1, 2))) is None


def test_axes_are_counted_from_the_front_and_written_as_they_were() -> None:
    call = inputs(data=tensor(2, 3, 4), axis=-1, axes=(0, -2), dim1=1, k=2)
    assert axes_given(call) == {"axis": (2,), "axes": (0, 1), "dim1": (1,)}
    other = with_axes(call, {"axis": (0,), "axes": (2, 0), "dim1": (2,)})
    assert other.params == {"axis": -3, "axes": (2, 0), "dim1": 2, "k": 2}


@pytest.mark.parametrize("axis", [None, 7, True, "0", (0, 9), ()])
def test_what_names_no_axis_of_the_tensors_is_none(axis: object) -> None:
    assert axes_given(inputs(data=tensor(2, 3), axis=axis)) == {}  # type: ignore[arg-type]


def test_parameters_are_set_and_left_out_and_the_call_is_otherwise_the_same() -> None:
    call = inputs(data=tensor(2), axis=0, k=3).writing("data").inference()
    assert with_param(call, "k", 5).params == {"axis": 0, "k": 5}
    assert without(call, "k").params == {"axis": 0}
    assert without(call, "absent") == call
    for edited in (
        with_param(call, "k", 5),
        resized(call, ("data", 0, 0), 4)[0],
        with_drafts(call, lambda _, draft: draft),
    ):
        assert (edited.in_place, edited.training) == (("data",), False)
