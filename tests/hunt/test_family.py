"""Families hold for inputs that meet all their conditions, and are learned from slow and fast inputs."""

from __future__ import annotations

import pytest

from autoperf.cases.release import Release
from autoperf.core.finding import FamilyCheck
from autoperf.hunt.family import AxisIs, DtypeIs, Family, LabelledInputs, Within, candidate_conditions, learned
from autoperf.hunt.generaliser import Generalised
from autoperf.hunt.investigator import SINGLE, UNFINISHED, with_family
from autoperf.hunt.point import Length, LengthRatio, Point
from autoperf.rules.rule import inputs, tensor
from tests.finding_values import SOFTMAX
from tests.hunt.hunt_values import factory_of, point

LONG = Within(Length("data", 0, 0), low=64)
SHORT = Within(Length("data", 0, -1), high=8)
NOT_LAST = AxisIs("axis", "not last")


def softmax(release: Release, *shape: int, **params: int) -> Point:
    return point(release, "softmax", inputs(data=tensor(*shape), **params))


def test_all_conditions_hold_of_a_member(release: Release) -> None:
    both = Family((LONG, SHORT))
    assert both.words == "the first dimension is 64 or more, and the last dimension is at most 8"
    assert both.holds(softmax(release, 64, 8))
    assert not both.holds(softmax(release, 63, 8))
    assert not both.holds(softmax(release, 64, 9))
    assert both.share([softmax(release, 64, 8), softmax(release, 63, 8)]) == 0.5


def test_without_conditions_every_input_is_a_member(release: Release) -> None:
    assert Family(()).words == "every input"
    assert Family(()).holds(softmax(release, 3))
    assert Family(()).share([]) == 0


def test_the_fewest_conditions_that_tell_slow_from_fast_are_learned(release: Release) -> None:
    slow = [softmax(release, 64, 8), softmax(release, 100, 3)]
    fast = [softmax(release, 63, 8), softmax(release, 2, 2)]
    family = learned((SHORT, NOT_LAST, LONG), LabelledInputs(tuple(slow), tuple(fast)), fast[0])
    assert family.conditions == (LONG,)


def test_what_was_never_fast_gives_no_condition(release: Release) -> None:
    slow = softmax(release, 64, 8)
    assert learned((LONG, SHORT), LabelledInputs((slow,), ()), None) == Family(())


def test_one_wrong_label_does_not_hide_a_condition(release: Release) -> None:
    slow = [softmax(release, size, 3) for size in (64, 65, 66, 67, 68, 69, 70, 2)]
    fast = [softmax(release, size, 3) for size in (1, 3, 4, 5)]
    assert learned((LONG,), LabelledInputs(tuple(slow), tuple(fast)), fast[0]).conditions == (LONG,)


def test_limits_of_one_number_are_one_condition(release: Release) -> None:
    length = Length("data", 0, -1)
    slow = [softmax(release, 2, size) for size in (8, 9)]
    fast = [softmax(release, 2, size) for size in (7, 10, 20)]
    family = learned((Within(length, low=8), Within(length, high=9)), LabelledInputs(tuple(slow), tuple(fast)), None)
    assert family.words == "the last dimension is 8 to 9"


def test_a_limit_has_a_fast_input_beyond_it(release: Release) -> None:
    """Otherwise it would be the edge of the inputs that were tried."""
    slow = tuple(softmax(release, 2, size) for size in (64, 100, 1000))
    examples = LabelledInputs(slow, (softmax(release, 2, 7), softmax(release, 7)))
    operator = factory_of(release, "softmax").operator
    candidates = [each for each in candidate_conditions(operator, slow[0], examples) if isinstance(each, Within)]
    limits = [each for each in candidates if each.low != each.high]
    assert "the last dimension is 64 or more" in {each.words for each in limits}
    assert not any("at most" in each.words for each in limits)
    assert all(any(map(each.is_beyond, examples.fast)) for each in limits)


def test_the_ratio_of_lengths_is_limited_by_the_slow_inputs(release: Release) -> None:
    slow = softmax(release, 1, 1024), softmax(release, 1, 1023), softmax(release, 2, 64)
    examples = LabelledInputs(slow, (softmax(release, 64, 16),))
    conditions = candidate_conditions(factory_of(release, "softmax").operator, slow[0], examples)
    lows = {each.low for each in conditions if isinstance(each, Within) and isinstance(each.feature, LengthRatio)}
    assert lows >= {32, 1023, 1024}


def test_a_known_label_is_kept(release: Release) -> None:
    member = softmax(release, 64, 8)
    examples = LabelledInputs((member,), ()).with_labels([(member, False), (softmax(release, 2), False)])
    assert (len(examples.slow), len(examples.fast)) == (1, 1)
    assert examples.joined(LabelledInputs((), (member,))) == examples


def test_dtypes(release: Release) -> None:
    half = DtypeIs(("float16",), ("float32",))
    assert half.words == "float16"
    assert not half.holds(softmax(release, 2))
    other = DtypeIs(("float64",), ("float32",), negated=True)
    assert other.words == "a dtype other than float64"
    assert other.holds(softmax(release, 2))


@pytest.mark.parametrize(("unfinished", "words"), [(True, UNFINISHED), (False, SINGLE)])
def test_a_family_that_is_not_told_says_why(unfinished: bool, words: str) -> None:
    check = FamilyCheck(inside=3, inside_slow=3, outside=0, outside_fast=0, unfinished=unfinished)
    told = with_family(SOFTMAX, Generalised(Family(()), check, LabelledInputs()))
    assert told.family == words
    assert told.check
    assert told.check.single
