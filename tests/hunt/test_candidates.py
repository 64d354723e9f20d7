"""Candidates: by neighbours, by the cost model, shortened, and in the order of the waiting list."""

from __future__ import annotations

import math
import random

import pytest

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.finding import FamilyCheck, Fit
from autoperf.core.outcome import PassName
from autoperf.core.tensors import Patterned
from autoperf.hunt.candidates import (
    LONG_US,
    MAX_ALIKE,
    MAX_MISLED,
    STRONG,
    Candidate,
    CandidateFinder,
    Cause,
    WaitingList,
    shortened,
)
from autoperf.hunt.contents import patterned_calls
from autoperf.hunt.contrast import Contrast
from autoperf.hunt.family import Family, LabelledInputs
from autoperf.hunt.generaliser import Generalised
from autoperf.hunt.neighbours import CONTENTS, Equivalent, Neighbourhood, Step, neighbours
from autoperf.hunt.point import Model, Point
from autoperf.rules.categories import RelatedOperator
from autoperf.rules.rule import inputs, tensor
from tests.finding_values import SOFTMAX
from tests.hunt.hunt_values import factory_of, plain, point, shape, timings_of, view_of

# 10 us for any input.
LOW = Model((10.0, 0.0, 0.0, 0.0, 0.0, 0.0), Fit(1.0, 40, False))


def constant(_case: Case, _pass: PassName) -> float:
    return 400.0


def narrow(case: Case, _pass: PassName) -> float:
    return 2000.0 if shape(case)[-1] == 1 else 200.0


def finder(
    release: Release, law: object, model: Model | None = None, pass_: PassName = "forward"
) -> tuple[CandidateFinder, Point]:
    timings, _ = timings_of(law, 60.0)  # type: ignore[arg-type]
    factory = factory_of(release, "exp", plain)
    (point,) = factory.make([(inputs(data=tensor(64, 1)), "float32")])
    assert point
    view = view_of(timings, factory, pass_)
    view.model = model
    return CandidateFinder(view, random.Random(1)), point


def test_a_slow_neighbour_makes_a_candidate(release: Release) -> None:
    candidates, point = finder(release, narrow)
    found = [each for _ in range(8) for each in candidates.candidates(point)]
    assert found
    assert {each.oracle for each in found} == {"neighbour"}
    assert all(shape(each.point.case)[-1] == 1 for each in found)


def test_no_step_leads_back_to_a_pattern_of_contents(release: Release) -> None:
    """Sorted data, which is faster, isn't reached from plain data; reversed data, which is slower, is a candidate."""

    def sorter(case: Case, _pass: PassName) -> float:
        content = case.inputs[0].tensor.content
        pattern = content.pattern if isinstance(content, Patterned) else ""
        return {"reversed": 600.0, "": 200.0}.get(pattern, 20.0)

    timings, _ = timings_of(sorter, 60.0)
    contrasts = view_of(timings, factory_of(release, "exp", plain))
    point_ = point(release, "exp", inputs(data=tensor(64, 64)))
    found = []
    for _, pattern, call in patterned_calls(point_):
        made = contrasts.around.factory.make([(call, "float32")])[0]
        assert made
        steps = [step for step in contrasts.around.all_steps(made) if step.kind == CONTENTS]
        found += [pattern for _ in CandidateFinder(contrasts, random.Random(1)).candidates_of(made, steps)]
    assert found == ["reversed"]


@pytest.mark.parametrize(("dropped", "expected"), [(MAX_MISLED - 1, "model"), (MAX_MISLED, "")])
def test_a_model_that_misled_repeatedly_is_ignored_in_that_dtype(release: Release, dropped: int, expected: str) -> None:
    candidates, point = finder(release, constant, LOW)
    (first,) = candidates.candidates(point)
    assert first.oracle == "model"
    for _ in range(dropped):
        candidates.misled(first)
    assert "".join(each.oracle for each in candidates.candidates(point)) == expected


def test_systematic_inputs_are_compared_by_the_given_steps_and_with_an_equivalent_operator(release: Release) -> None:
    def narrow_exp(case: Case, pass_: PassName) -> float:
        return narrow(case, pass_) if case.operator == "exp" else 200.0

    equivalent = Equivalent(factory_of(release, "expm1", plain), RelatedOperator("expm1", "it does the same"))
    candidates, point = finder(release, narrow_exp)
    steps = [
        *neighbours(point, equivalent.factory.operator),
        *Neighbourhood(equivalent.factory, [equivalent]).equivalent_steps(point),
    ]
    kinds = "exchanged", "one less", "equivalent expm1"
    found = candidates.candidates_of(point, [step for step in steps if step.kind in kinds])
    assert {each.kind for each in found} == {"exchanged", "equivalent expm1"}
    assert {shape(each.point.case)[-1] for each in found} == {1}


def test_the_model_is_asked_once_of_an_input_that_comes_again(release: Release) -> None:
    candidates, point = finder(release, constant, LOW)
    assert [each.oracle for each in candidates.candidates_of(point, [])] == ["model"]
    assert candidates.candidates_of(point, []) == []


SMALL, LARGE = (8, 2), (65536, 2)


def narrow_is_slow(case: Case, _pass: PassName) -> float:
    return (5 + 0.1 * math.prod(shape(case))) * (4 if shape(case)[-1] == 2 else 1)


def long_is_slow(case: Case, _pass: PassName) -> float:
    return 5 + 0.1 * math.prod(shape(case)) * (4 if shape(case)[0] > 40000 else 1)


def test_a_long_candidate_becomes_small(release: Release) -> None:
    timings, source = timings_of(narrow_is_slow, 60.0)
    finder = view_of(timings, factory_of(release, "exp", plain))
    (large,) = finder.around.factory.make([(inputs(data=tensor(*LARGE)), "float32")])
    assert large
    smaller = shortened(finder, Candidate(large, ("aspect",), 4.0, "forward"))
    assert shape(smaller.point.case)[0] < LARGE[0] / 16
    assert smaller.ratio > 2
    assert smaller.kinds == ("aspect",)
    assert source.questions < 40


def test_a_cause_of_large_inputs_alone_keeps_its_candidate(release: Release) -> None:
    timings, _ = timings_of(long_is_slow, 60.0)
    finder = view_of(timings, factory_of(release, "exp", plain))
    (large,) = finder.around.factory.make([(inputs(data=tensor(*LARGE)), "float32")])
    assert large
    candidate = Candidate(large, ("aspect",), 4.0, "forward")
    assert shortened(finder, candidate) is candidate


def test_a_candidate_that_takes_little_or_is_the_models_stays(release: Release) -> None:
    timings, source = timings_of(lambda _case, _pass: LONG_US / 3, 60.0)
    finder = view_of(timings, factory_of(release, "exp", plain))
    (small,) = finder.around.factory.make([(inputs(data=tensor(*SMALL)), "float32")])
    assert small
    for candidate in (Candidate(small, ("aspect",), 4.0, "forward"), Candidate(small, (), 4.0, "forward")):
        assert shortened(finder, candidate) is candidate
    assert source.questions <= 2


@pytest.fixture(scope="module")
def single(release: Release) -> Point:
    return point(release, "exp", inputs(data=tensor(64, 2)))


@pytest.fixture(scope="module")
def half(release: Release) -> Point:
    return point(release, "exp", inputs(data=tensor(64, 2)), "float16")


def ratios(waiting: WaitingList) -> list[float]:
    taken = []
    while entry := waiting.pop():
        taken.append(entry.ratio)
    return taken


def test_sorts_take_turns_and_the_strongest_of_each_comes_first(single: Point, half: Point) -> None:
    waiting = WaitingList()
    for made, kind, ratio in ((single, "aspect", 5.0), (single, "exchanged", 6.0), (half, "dtype", 3.0)):
        waiting.add(Candidate(made, (kind,), ratio, "forward"))
    assert waiting.unfollowed_sorts == 2
    # "aspect" and "exchanged" are one sort.
    assert ratios(waiting) == [6.0, 3.0, 5.0]
    assert waiting.unfollowed_sorts == 0


def test_what_takes_long_is_followed_after_all_other_sorts_but_before_any_again(single: Point, half: Point) -> None:
    waiting = WaitingList()
    for made, kind, ratio, is_heavy in (
        (single, "aspect", 9.0, True),
        (single, "aspect", 5.0, False),
        (single, "mode", 8.0, True),
        (half, "dtype", 3.0, False),
        (half, "dtype", 2.9, False),
    ):
        waiting.add(Candidate(made, (kind,), ratio, "forward", is_heavy=is_heavy))
    assert ratios(waiting) == [5.0, 3.0, 8.0, 2.9, 9.0]


def test_passes_and_dtypes_are_sorts_of_their_own(single: Point, half: Point) -> None:
    waiting = WaitingList()
    waiting.add(Candidate(single, ("dtype",), 4.0, "forward"))
    waiting.add(Candidate(single, ("dtype",), 3.0, "backward"))
    waiting.add(Candidate(half, ("dtype",), 2.6, "forward"))
    assert waiting.unfollowed_sorts == 3


def test_candidates_of_the_model_alone_come_last(single: Point) -> None:
    waiting = WaitingList()
    waiting.add(Candidate(single, (), 50.0, "forward"))
    waiting.add(Candidate(single, ("mode",), 3.0, "forward"))
    assert waiting.unfollowed_sorts == 1
    assert ratios(waiting) == [3.0, 50.0]


def test_weak_candidates_wait_until_families_are_finished(single: Point) -> None:
    waiting = WaitingList()
    waiting.add(Candidate(single, ("mode",), STRONG - 0.1, "forward"))
    assert waiting.unfollowed_sorts == 0
    assert ratios(waiting) == [STRONG - 0.1]


def test_of_many_alike_the_strongest_stay_and_explained_ones_go(single: Point) -> None:
    waiting = WaitingList()
    for ratio in range(3, 10):
        waiting.add(Candidate(single, ("mode",), ratio, "forward"))
    waiting.drop(lambda entry: entry.ratio == 8)
    left = ratios(waiting)
    assert left == [9, 7, 6]
    assert len(left) == MAX_ALIKE - 1


def cause_of(slow: Point, fast: Point, kind: str, check: FamilyCheck) -> Cause:
    contrast = Contrast(slow, fast, Step(kind, "float32", (), "float32"), 3.0, "forward")
    family = Generalised(Family(()), check, LabelledInputs(), is_confirmed=True)
    return Cause(SOFTMAX, family, contrast, ("forward",), slow)


HELD = FamilyCheck(inside=8, inside_slow=8, outside=8, outside_fast=8)
UNFINISHED = FamilyCheck(inside=8, inside_slow=8, outside=8, outside_fast=8, unfinished=True)
REFUTED = FamilyCheck(inside=8, inside_slow=2, outside=8, outside_fast=8)


@pytest.mark.parametrize(("check", "unfollowed"), [(HELD, 2), (REFUTED, 2), (UNFINISHED, 1)])
def test_of_an_unfinished_family_no_other_dtype_is_new(
    release: Release, single: Point, half: Point, check: FamilyCheck, unfollowed: int
) -> None:
    other = point(release, "exp", inputs(data=tensor(64, 2)), "float64")
    waiting = WaitingList()
    for made, kind in ((half, "dtype"), (other, "dtype"), (single, "mode")):
        waiting.add(Candidate(made, (kind,), 3.0, "forward"))
    waiting.postpone([cause_of(half, single, "dtype", check)])
    assert waiting.unfollowed_sorts == unfollowed


@pytest.mark.parametrize(("check", "unfollowed"), [(HELD, 3), (REFUTED, 2), (UNFINISHED, 2)])
def test_related_sorts_are_new_once_a_family_tells_what_its_cause_is(
    single: Point, half: Point, check: FamilyCheck, unfollowed: int
) -> None:
    waiting = WaitingList()
    for pass_, kind in (("forward", "aspect"), ("forward", "axis"), ("backward", "axis"), ("forward", "mode")):
        waiting.add(Candidate(single, (kind,), 3.0, pass_))
    waiting.postpone([cause_of(single, half, "exchanged", UNFINISHED)])
    waiting.postpone([cause_of(single, half, "exchanged", check)])
    assert waiting.unfollowed_sorts == unfollowed
