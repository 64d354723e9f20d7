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


@pytest.mark.parametrize(("unfinished", "unfollowed"), [(False, 2), (True, 1)])
def test_what_may_have_a_known_cause_is_postponed(
    release: Release, single: Point, half: Point, unfinished: bool, unfollowed: int
) -> None:
    other = point(release, "exp", inputs(data=tensor(64, 2)), "float64")
    waiting = WaitingList()
    for made, kind in ((half, "dtype"), (other, "dtype"), (single, "mode")):
        waiting.add(WaitingCandidate(Candidate(made, (kind,), 3.0), "forward"))
    check = FamilyCheck(inside=8, inside_slow=8, outside=8, outside_fast=8, unfinished=unfinished)
    family = Generalised(Family(()), check, LabelledInputs())
    contrast = Contrast(half, single, Step("dtype", "float32", (), "float32"), 3.0)
    waiting.postpone(Cause(SOFTMAX, family, contrast, ("forward",)))
    assert waiting.unfollowed_sorts == unfollowed
