"""Whether two contrasts show one cause, by their families."""

from __future__ import annotations

import pytest

from autoperf.cases.release import Release
from autoperf.core.finding import FamilyCheck
from autoperf.hunt.candidates import Cause, Causes
from autoperf.hunt.contrast import Contrast
from autoperf.hunt.family import Condition, Family, LabelledInputs, Within
from autoperf.hunt.generaliser import Generalised
from autoperf.hunt.neighbours import EQUIVALENT, Step
from autoperf.hunt.point import Length, Point
from autoperf.rules.rule import inputs, tensor
from tests.finding_values import SOFTMAX
from tests.hunt.hunt_values import point

NARROW = Within(Length("data", 0, -1), high=2)
LONG = Within(Length("data", 0, 0), low=64)


@pytest.fixture(scope="module")
def narrow(release: Release) -> Point:
    return point(release, "exp", inputs(data=tensor(100, 1)))


@pytest.fixture(scope="module")
def wide(release: Release) -> Point:
    return point(release, "exp", inputs(data=tensor(10, 10)))


def generalised(*conditions: Condition, slow: tuple[Point, ...] = (), finished: bool = True) -> Generalised:
    count = 8 if finished else 1
    check = FamilyCheck(inside=count, inside_slow=count, outside=count, outside_fast=count, unfinished=not finished)
    return Generalised(Family(conditions), check, LabelledInputs(slow))


def cause(slow: Point, fast: Point, known: Generalised, kind: str = "aspect") -> Cause:
    return Cause(
        SOFTMAX, known, Contrast(slow, fast, Step(kind, "words", (), "float32"), 3.0, "forward"), ("forward",), slow
    )


def test_a_settled_family_that_has_the_input_of_an_unfinished_one_is_its_cause(narrow: Point, wide: Point) -> None:
    unfinished = cause(narrow, wide, generalised(LONG, slow=(narrow, wide, wide), finished=False))
    assert unfinished.is_same(generalised(NARROW, slow=(narrow,)), "dtype")
    assert not unfinished.is_same(generalised(NARROW, slow=(wide,), finished=False), "dtype")


def test_of_two_unfinished_families_the_steps_have_to_be_related(narrow: Point, wide: Point) -> None:
    unfinished = cause(narrow, wide, generalised(NARROW, slow=(narrow,), finished=False))
    other = generalised(NARROW, slow=(narrow,), finished=False)
    assert unfinished.is_same(other, "exchanged")
    assert not unfinished.is_same(other, "dtype")


def test_settled_families_are_told_apart_by_their_inputs(narrow: Point, wide: Point) -> None:
    settled = cause(narrow, wide, generalised(NARROW, slow=(narrow,)))
    assert settled.is_same(generalised(LONG, slow=(narrow,)), "dtype")
    assert not settled.is_same(generalised(Within(Length("data", 0, 0), high=10), slow=(wide,)), "aspect")


def test_an_unfinished_family_may_explain_what_it_holds(narrow: Point, wide: Point) -> None:
    causes = Causes()
    causes.append(cause(narrow, wide, generalised(NARROW, finished=False)))
    assert causes.may_explain(narrow, "forward")
    assert not causes.may_explain(narrow, "backward")
    assert not causes.may_explain(wide, "forward")


def test_an_own_cause_explains_why_an_equivalent_operator_is_faster(narrow: Point, wide: Point) -> None:
    causes = Causes()
    own = cause(narrow, wide, generalised(NARROW, slow=(narrow,)), "dtype")
    causes.append(own)
    assert causes.explain(narrow, "forward", f"{EQUIVALENT}log")
    assert not causes.explain(narrow, "forward", f"{EQUIVALENT}log", beside=own)
    beside = Causes()
    beside.append(cause(wide, wide, generalised(NARROW, slow=(narrow,)), f"{EQUIVALENT}log"))
    assert not beside.explain(narrow, "forward", "dtype")


def test_one_family_of_an_own_and_an_equivalent_contrast_is_one_cause(narrow: Point, wide: Point) -> None:
    causes = Causes()
    beside = cause(narrow, wide, generalised(NARROW, slow=(narrow,)), f"{EQUIVALENT}log")
    causes.append(beside)
    assert causes.same(generalised(NARROW, slow=(narrow,)), "dtype") is beside
    # A family of every input covers all causes, which still differ.
    assert causes.same(generalised(slow=(narrow,)), "dtype") is None
    assert causes.same(generalised(NARROW, slow=(narrow,), finished=False), "dtype") is None


def test_a_family_that_most_draws_contradict_explains_nothing_but_its_input(narrow: Point, wide: Point) -> None:
    """An unsettled family may be far too wide, and would hide other causes."""

    def everything(inside_slow: int) -> Generalised:
        check = FamilyCheck(inside=8, inside_slow=inside_slow, outside=0, outside_fast=0)
        return Generalised(Family(()), check, LabelledInputs((narrow,)))

    refuted, held = (cause(narrow, wide, everything(inside_slow)) for inside_slow in (4, 5))
    assert refuted.explains(narrow, "forward")
    assert not refuted.explains(wide, "forward")
    assert held.explains(wide, "forward")
    other = cause(wide, narrow, generalised(Within(Length("data", 0, 0), high=10), slow=(wide,)))
    assert not other.is_same(everything(4), "axis")
    assert other.is_same(everything(5), "axis")
