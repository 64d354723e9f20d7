"""Which candidate is followed next: the strongest of a sort that wasn't followed, before others of its sort."""

from __future__ import annotations

import pytest
from hunt_values import point

from autoperf.core.finding import FamilyCheck
from autoperf.hunt.candidates import Candidate
from autoperf.hunt.causes import Cause
from autoperf.hunt.contrast import Contrast
from autoperf.hunt.family import Family
from autoperf.hunt.generaliser import Generalised
from autoperf.hunt.labelled_inputs import LabelledInputs
from autoperf.hunt.neighbours import Step
from autoperf.hunt.point import Point
from autoperf.hunt.waiting_list import MAX_ALIKE, STRONG, WaitingCandidate, WaitingList
from autoperf.pipeline.release import Release
from autoperf.rules.rule import inputs, tensor
from tests.finding_values import SOFTMAX


@pytest.fixture(scope="module")
def single(release: Release) -> Point:
    return point(release, "exp", inputs(data=tensor(64, 2)))


@pytest.fixture(scope="module")
def half(release: Release) -> Point:
    return point(release, "exp", inputs(data=tensor(64, 2)), "float16")


def ratios(waiting: WaitingList) -> list[float]:
    taken = []
    while entry := waiting.pop():
        taken.append(entry.candidate.ratio)
    return taken


def test_sorts_take_turns_and_the_strongest_of_each_comes_first(single: Point, half: Point) -> None:
    waiting = WaitingList()
    for made, kind, ratio in ((single, "aspect", 5.0), (single, "exchanged", 6.0), (half, "dtype", 3.0)):
        waiting.add(WaitingCandidate(Candidate(made, (kind,), ratio), "forward"))
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
        waiting.add(WaitingCandidate(Candidate(made, (kind,), ratio), "forward", is_heavy))
    assert ratios(waiting) == [5.0, 3.0, 8.0, 2.9, 9.0]


def test_passes_and_dtypes_are_sorts_of_their_own(single: Point, half: Point) -> None:
    waiting = WaitingList()
    waiting.add(WaitingCandidate(Candidate(single, ("dtype",), 4.0), "forward"))
    waiting.add(WaitingCandidate(Candidate(single, ("dtype",), 3.0), "backward"))
    waiting.add(WaitingCandidate(Candidate(half, ("dtype",), 2.6), "forward"))
    assert waiting.unfollowed_sorts == 3


def test_candidates_of_the_model_alone_come_last(single: Point) -> None:
    waiting = WaitingList()
    waiting.add(WaitingCandidate(Candidate(single, (), 50.0), "forward"))
    waiting.add(WaitingCandidate(Candidate(single, ("mode",), 3.0), "forward"))
    assert waiting.unfollowed_sorts == 1
    assert ratios(waiting) == [3.0, 50.0]


def test_weak_candidates_wait_until_families_are_finished(single: Point) -> None:
    waiting = WaitingList()
    waiting.add(WaitingCandidate(Candidate(single, ("mode",), STRONG - 0.1), "forward"))
    assert waiting.unfollowed_sorts == 0
    assert ratios(waiting) == [STRONG - 0.1]


def test_of_many_alike_the_strongest_stay_and_explained_ones_go(single: Point) -> None:
    waiting = WaitingList()
    for ratio in range(3, 10):
        waiting.add(WaitingCandidate(Candidate(single, ("mode",), ratio), "forward"))
    waiting.drop(lambda entry: entry.candidate.ratio == 8)
    left = ratios(waiting)
    assert left == [9, 7, 6]
    assert len(left) == MAX_ALIKE - 1


def cause_of(slow: Point, fast: Point, kind: str, check: FamilyCheck) -> Cause:
    contrast = Contrast(slow, fast, Step(kind, "float32", (), "float32"), 3.0)
    family = Generalised(Family(()), check, LabelledInputs(), is_confirmed=True)
    return Cause(SOFTMAX, family, contrast, ("forward",))


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
        waiting.add(WaitingCandidate(Candidate(made, (kind,), 3.0), "forward"))
    waiting.postpone([cause_of(half, single, "dtype", check)])
    assert waiting.unfollowed_sorts == unfollowed


@pytest.mark.parametrize(("check", "unfollowed"), [(HELD, 3), (REFUTED, 2), (UNFINISHED, 2)])
def test_related_sorts_are_new_once_a_family_tells_what_its_cause_is(
    single: Point, half: Point, check: FamilyCheck, unfollowed: int
) -> None:
    waiting = WaitingList()
    for pass_, kind in (("forward", "aspect"), ("forward", "axis"), ("backward", "axis"), ("forward", "mode")):
        waiting.add(WaitingCandidate(Candidate(single, (kind,), 3.0), pass_))
    waiting.postpone([cause_of(single, half, "exchanged", UNFINISHED)])
    waiting.postpone([cause_of(single, half, "exchanged", check)])
    assert waiting.unfollowed_sorts == unfollowed
