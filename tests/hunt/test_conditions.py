"""Conditions hold as their words state, and offer inputs inside and outside."""

from __future__ import annotations

import pytest

from autoperf.cases.release import Release
from autoperf.core.operator import Value
from autoperf.core.tensors import Patterned, Uniform
from autoperf.hunt.family import (
    AxisIs,
    Condition,
    DtypeIs,
    MultipleOf,
    ParameterGiven,
    ParameterIs,
    PatternIs,
    Place,
    Within,
    merged_limits,
)
from autoperf.hunt.point import Elements, Length, LengthAlong, LengthRatio, Number, Point, Rank, same_value
from autoperf.rules.rule import inputs, tensor
from tests.hunt.hunt_values import factory_of, point

LAST, FIRST = Length("data", 0, -1), Length("data", 0, 0)


def softmax(release: Release, *shape: int, **params: Value) -> Point:
    return point(release, "softmax", inputs(data=tensor(*shape), **params))


@pytest.mark.parametrize(
    ("condition", "words", "members", "strangers"),
    [
        (Within(LAST, high=2), "the last dimension is 1 or 2", [(9, 2), (9, 1)], [(2, 3)]),
        (Within(LAST, high=1), "the last dimension is 1", [(9, 1)], [(1, 2)]),
        (Within(FIRST, low=64), "the first dimension is 64 or more", [(64, 1)], [(1, 64)]),
        (Within(FIRST, low=8, high=8), "the first dimension is 8", [(8, 3)], [(9, 3)]),
        (Within(LAST, low=2, high=4), "the last dimension is 2 to 4", [(4,)], [(5,), (1,)]),
        (Within(Elements(), low=4096), "4,096 elements or more", [(64, 64)], [(64, 63)]),
        (Within(Rank(), high=2), "1 or 2 dimensions", [(2,), (2, 2)], [(2, 2, 2)]),
        (MultipleOf(LAST, 64), "the last dimension is a multiple of 64", [(3, 128)], [(128, 3)]),
        (MultipleOf(LAST, 8, negated=True), "the last dimension is not a multiple of 8", [(3, 63)], [(3, 64)]),
        (
            Within(LengthRatio(LAST, FIRST), low=256),
            "the last dimension is 256 times the first dimension or more",
            [(2, 512)],
            [(2, 511)],
        ),
        (
            Within(LengthRatio(LAST, FIRST), low=512 / 7),
            "the last dimension is 73.1 times the first dimension or more",
            [(7, 512)],
            [(7, 511)],
        ),
        (Within(Length("data", 0, -3), low=2), "the last dimension but two is 2 or more", [(2, 1, 1)], [(2, 2)]),
        (Within(Length("data", 0, -6), low=2), "the last dimension but 5 is 2 or more", [(2, 1, 1, 1, 1, 1)], [(2,)]),
    ],
)
def test_sizes(
    release: Release, condition: Condition, words: str, members: list[tuple[int, ...]], strangers: list[tuple[int, ...]]
) -> None:
    assert condition.words == words
    assert all(condition.holds(softmax(release, *shape)) for shape in members)
    assert not any(condition.holds(softmax(release, *shape)) for shape in strangers)


@pytest.mark.parametrize(
    ("place", "words", "members"),
    [
        ("last", "axis is the last", [2, -1]),
        ("not last", "axis is not the last", [0, 1, -2]),
        ("first", "axis is the first", [0, -3]),
        ("not first", "axis is not the first", [1, 2]),
    ],
)
def test_places_of_an_axis(release: Release, place: Place, words: str, members: list[int]) -> None:
    condition = AxisIs("axis", place)
    assert condition.words == words
    points = {axis: softmax(release, 4, 4, 4, axis=axis) for axis in (-3, -2, -1, 0, 1, 2)}
    assert {axis for axis, each in points.items() if condition.holds(each)} >= set(members)
    assert not condition.holds(softmax(release, 4, 4))


def test_one_axis(release: Release) -> None:
    condition = AxisIs("axis", (1,))
    assert condition.words == "axis is 1"
    assert [condition.holds(softmax(release, 4, 4, 4, axis=axis)) for axis in (0, 1, -2, 2)] == [
        False,
        True,
        True,
        False,
    ]


def test_an_axis_that_is_not_given_is_the_default(release: Release) -> None:
    plain = softmax(release, 4, 5)
    assert AxisIs("axis", "last", -1).holds(plain)
    assert AxisIs("axis", (1,), -1).holds(plain)
    assert not AxisIs("axis", "not last", -1).holds(plain)
    assert not AxisIs("axis", "last", 7).holds(plain)
    assert LengthAlong("axis", -1).of(plain) == 5
    assert LengthAlong("axis").of(plain) is None


def test_a_parameter_that_is_left_at_its_default(release: Release) -> None:
    warm, plain = softmax(release, 4, temperature=2.0), softmax(release, 4)
    left = ParameterGiven("temperature", 2.0, "1.0", negated=True)
    assert left.words == "temperature=1.0"
    assert left.holds(plain)
    assert left.holds(softmax(release, 4, temperature=1.0))
    assert not left.holds(warm)
    assert ParameterGiven("temperature", 2.0, "None", negated=True).words == "temperature is not given"
    assert ParameterGiven("use_length", True, "0", negated=True).words == "use_length=False"


def test_parameters(release: Release) -> None:
    warm, plain = softmax(release, 4, temperature=2.0), softmax(release, 4)
    given = ParameterGiven("temperature", 2.0, "1.0")
    assert given.words == "temperature other than 1.0"
    assert given.holds(warm)
    assert not given.holds(plain)
    assert not given.holds(softmax(release, 4, temperature=1.0))
    assert ParameterGiven("temperature", 2.0, "None").words == "temperature is given"
    assert ParameterGiven("use_length", True, "False").words == "use_length=True"
    assert ParameterIs("temperature", 2.0).holds(warm)
    assert Within(Number("temperature"), low=2).holds(warm)
    assert not Within(Number("temperature"), low=2).holds(plain)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (None, 0.75, "at most 0.75"),
        (None, 1.0, "at most 1"),
        (None, 2.3, "at most 2.3"),
        (-3.0, 5.0, "-3 to 5"),
        (1.0, 2.0, "1 to 2"),
        (0.5, 0.5, "0.5"),
        (None, 0.0, "at most 0"),
    ],
)
def test_a_number_may_be_a_fraction_zero_or_negative(low: float | None, high: float | None, words: str) -> None:
    assert Within(Number("p"), low, high).words == f"p is {words}"


def test_entries_of_a_tuple(release: Release) -> None:
    tiled = point(release, "tile", inputs(data=tensor(2, 2), reps=(1, 4)))
    assert Within(Number("reps", -1), low=4).holds(tiled)
    assert not Within(Number("reps", -2), low=4).holds(tiled)
    assert Within(Number("reps", -1), low=4).words == "reps[-1] is 4 or more"


CONDITIONS: tuple[Condition, ...] = (
    Within(LAST, high=2),
    Within(FIRST, low=64),
    Within(Elements(), low=4096),
    Within(LengthAlong("axis"), low=64),
    MultipleOf(LAST, 64),
    MultipleOf(LAST, 8, negated=True),
    AxisIs("axis", "not last"),
    AxisIs("axis", (1,)),
    DtypeIs(("float16",), ("float32",)),
    ParameterGiven("temperature", 2.0, "1.0"),
    ParameterIs("temperature", 2.0),
    ParameterGiven("temperature", 2.0, "None", negated=True),
    AxisIs("axis", "last", -1),
)


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda condition: condition.words)
def test_inputs_inside_and_outside_are_offered(release: Release, condition: Condition) -> None:
    factory = factory_of(release, "softmax", elements=2**20)
    starts = [softmax(release, 3, 130, axis=1), softmax(release, 4096, 2, axis=0, temperature=2.0)]
    inside = [each for start in starts for each in factory.make(condition.variants(start, meets=True)) if each]
    outside = [each for start in starts for each in factory.make(condition.variants(start, meets=False)) if each]
    assert any(condition.holds(each) for each in inside)
    assert any(not condition.holds(each) for each in outside)


def test_equal_values() -> None:
    assert same_value("1.0", 1)
    assert same_value("True", True)
    assert same_value("False", False)
    assert not same_value("None", 0)
    assert not same_value(2, 3)


def test_limits_of_one_number_are_merged() -> None:
    assert merged_limits([Within(LAST, low=2), Within(FIRST, low=3), Within(LAST, high=9)]) == (
        Within(LAST, 2, 9),
        Within(FIRST, low=3),
    )


def test_a_pattern_of_contents(release: Release) -> None:
    condition = PatternIs("data", ("sorted", "reversed"), ("few",))
    ascending, plain = (
        point(release, "softmax", inputs(data=tensor(64, content=content)))
        for content in (Patterned(Uniform(), "sorted", kept=0.1), None)
    )
    assert condition.words == "sorted data or reversed data"
    assert condition.holds(ascending)
    assert not condition.holds(plain)
    inside, outside = condition.variants(plain, meets=True), condition.variants(ascending, meets=False)
    assert [call for call, _ in inside if call == ascending.call]
    assert len(inside) == 2
    assert [call for call, _ in outside if call == plain.call]
    assert len(outside) == 2
