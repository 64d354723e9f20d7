"""Conditions of a family hold of what their words say, and of nothing else."""

from __future__ import annotations

import math

import pytest
from hunt_values import point

from autoperf.hunt import family as families
from autoperf.hunt.family import Condition, Family
from autoperf.hunt.point import Point
from autoperf.pipeline.release import Release
from autoperf.rules.rule import inputs, tensor


def softmax(release: Release, *shape: int, **params: int) -> Point:
    return point(release, "softmax", inputs(data=tensor(*shape), **params))


LONG = Condition("data.shape[0] >= 64", lambda one: one.case.inputs[0].tensor.shape[0] >= 64)
SHORT = Condition("data.shape[-1] <= 8", lambda one: one.case.inputs[0].tensor.shape[-1] <= 8, limit=True)


def test_all_conditions_hold_of_a_member(release: Release) -> None:
    both = Family((LONG, SHORT))
    assert both.words == "data.shape[0] >= 64 and data.shape[-1] <= 8"
    assert both.holds(softmax(release, 64, 8))
    assert not both.holds(softmax(release, 63, 8))
    assert not both.holds(softmax(release, 64, 9))


def test_without_conditions_every_input_is_a_member(release: Release) -> None:
    assert Family(()).words == "every input"
    assert Family(()).holds(softmax(release, 3))


def test_a_limit_is_dropped_by_what_refutes_it_and_nothing_else_is(release: Release) -> None:
    both = Family((LONG, SHORT))
    wider = both.widened(softmax(release, 64, 100))
    assert wider
    assert wider.conditions == (LONG,)
    assert both.widened(softmax(release, 2, 100)) is None
    assert both.widened(softmax(release, 64, 8)) is None


@pytest.mark.parametrize(
    ("others", "words", "members", "strangers"),
    [
        ({1: False, 2: False}, "axis is 0", [0], [1, 2]),
        ({1: True, 2: False}, "axis is not the last", [0, 1], [2]),
        ({1: True, 2: True}, None, [], []),
        ({1: None, 2: None}, None, [], []),
    ],
)
def test_which_axes_are_slow(
    release: Release, others: dict[int, bool | None], words: str | None, members: list[int], strangers: list[int]
) -> None:
    condition = families._axis_condition("axis", 0, others, 3)
    assert (condition.words if condition else None) == words
    for axis in members if condition else []:
        assert condition
        assert condition.test(softmax(release, 4, 4, 4, axis=axis))
        assert condition.test(softmax(release, 4, 4, 4, axis=axis - 3))
    for axis in strangers if condition else []:
        assert condition
        assert not condition.test(softmax(release, 4, 4, 4, axis=axis))


def test_the_last_axis(release: Release) -> None:
    condition = families._axis_condition("axis", 1, {0: False}, 2)
    assert condition
    assert condition.words == "axis is the last"
    assert condition.test(softmax(release, 4, 4, 4, axis=2))
    assert not condition.test(softmax(release, 4, 4, 4, axis=1))


@pytest.mark.parametrize("others", [{1: True, 2: False}, {1: False, 2: False}])
def test_an_axis_that_is_not_given_is_none_of_a_family(release: Release, others: dict[int, bool | None]) -> None:
    condition = families._axis_condition("axis", 0, others, 3)
    assert condition
    assert not condition.test(softmax(release, 4, 4, 4))


@pytest.mark.parametrize(
    ("low", "high", "words", "around"),
    [
        (8, 8, "n == 8", ([8], [7, 9])),
        (8, 32, "8 <= n <= 32", ([8, 32], [7, 33])),
        (8, math.inf, "n >= 8", ([8, 10**6], [7])),
        (0, 32, "n <= 32", ([1, 32], [33])),
        (0, math.inf, None, ([], [])),
    ],
)
def test_from_where_to_where(
    release: Release, low: float, high: float, words: str | None, around: tuple[list[int], list[int]]
) -> None:
    condition = families._between("n", low, high, lambda one: one.case.inputs[0].tensor.shape[0])
    assert (condition.words if condition else None) == words
    within, without = around
    if condition:
        assert condition.limit is (high < math.inf)
        assert all(condition.test(softmax(release, size)) for size in within)
        assert not any(condition.test(softmax(release, size)) for size in without)


def test_parameters(release: Release) -> None:
    def topk(**params: int) -> Point:
        return point(release, "topk", inputs(data=tensor(20), **params))

    equal, more = families._equal("k", 3), families._at_least("k", 3)
    assert (equal.words, more.words) == ("k=3", "k >= 3")
    assert [equal.test(topk(k=k)) for k in (2, 3, 4)] == [False, True, False]
    assert [more.test(topk(k=k)) for k in (2, 3, 4)] == [False, True, True]
    assert not equal.test(topk())
    assert not more.test(topk())


@pytest.mark.parametrize(
    ("length", "holds"), [(64, True), (128, True), (256, True), (192, False), (32, False), (65, False), (0, False)]
)
def test_powers_of_two(length: int, holds: bool) -> None:
    assert families._is_power(length, 64) is holds
