"""Trials remember answers, count them, keep the least of all times, and give up on what always fails."""

from __future__ import annotations

import pytest
from hunt_values import maker, plain, point, shape, trials_of

from autoperf.core.case import Case
from autoperf.core.outcome import PassName
from autoperf.hunt.point import Point
from autoperf.hunt.timings import BARREN, MAX_CRASHES, Times
from autoperf.pipeline.release import Release
from autoperf.rules.rule import inputs, tensor


@pytest.fixture(scope="module")
def points(release: Release) -> list[Point]:
    return [point(release, "exp", inputs(data=tensor(size))) for size in range(1, BARREN + 10)]


def both(case: Case, pass_: PassName) -> float | None:
    return 10.0 * shape(case)[0] * (2 if pass_ == "backward" else 1)


def forward(case: Case, pass_: PassName) -> float | None:
    return 10.0 if pass_ == "forward" else None


def test_an_input_is_asked_for_once(points: list[Point]) -> None:
    trials, asked = trials_of(both, 1e9)
    first = trials.times(points[3])
    questions = asked.questions
    assert trials.times(points[3]) == first
    assert (asked.questions, trials.tried, trials.refused) == (questions, 1, 0)


def test_more_samples_only_lower_the_times(points: list[Point]) -> None:
    trials, _ = trials_of(both, 1e9)
    one, more = trials.times(points[3]), trials.times(points[3], 20)
    assert one
    assert more
    assert more.backward
    assert one.backward
    assert 40 <= more.forward <= one.forward
    assert 80 <= more.backward <= one.backward
    assert trials.times(points[3], 5) == more


def test_what_is_refused_is_counted_and_not_asked_again(points: list[Point]) -> None:
    def law(case: Case, pass_: PassName) -> float:
        raise ValueError("no")

    trials, asked = trials_of(law, 1e9)
    assert trials.times(points[0]) is None
    assert trials.times(points[0], 50) is None
    assert (asked.questions, trials.tried, trials.refused) == (1, 1, 1)


def test_without_a_backward_pass_none_is_asked_for_in_the_end(points: list[Point]) -> None:
    trials, _ = trials_of(forward, 1e9)
    for one in points[:BARREN]:
        assert trials.passes == ("forward", "backward")
        assert trials.times(one)
    assert trials.passes == ("forward",)


def test_one_backward_pass_is_enough_to_go_on(points: list[Point]) -> None:
    trials, _ = trials_of(lambda case, pass_: both(case, pass_) if shape(case) == (1,) else forward(case, pass_), 1e9)
    for one in points:
        trials.times(one)
    assert trials.passes == ("forward", "backward")


def test_a_backward_pass_that_ends_the_process_is_left_out(points: list[Point]) -> None:
    def law(case: Case, pass_: PassName) -> float:
        if pass_ == "backward":
            raise BrokenPipeError
        return 10.0

    trials, asked = trials_of(law, 1e9)
    for one in points[:MAX_CRASHES]:
        times = trials.times(one)
        assert times
        assert times.backward is None
    assert trials.passes == ("forward",)
    questions = asked.questions
    assert trials.times(points[MAX_CRASHES])
    assert asked.questions == questions + 1
    assert trials.refused == 0


def test_an_input_that_ends_the_process_whatever_is_asked_is_refused(points: list[Point]) -> None:
    def law(case: Case, pass_: PassName) -> float:
        if shape(case) == (2,):
            raise BrokenPipeError
        return 10.0

    trials, _ = trials_of(law, 1e9)
    assert trials.times(points[1]) is None
    assert trials.times(points[0])
    assert (trials.tried, trials.refused, trials.passes) == (2, 1, ("forward", "backward"))


def test_the_least_time_is_what_a_call_costs(points: list[Point]) -> None:
    trials, _ = trials_of(both, 1e9)
    assert trials.overhead_us("forward") == 0
    for one in points:
        trials.times(one, 30)
    assert trials.overhead_us("forward") == pytest.approx(10, rel=0.05)
    assert trials.overhead_us("backward") == pytest.approx(20, rel=0.05)


def test_a_duel_says_the_ratio_of_one_pass(points: list[Point]) -> None:
    trials, _ = trials_of(both, 1e9)
    estimate = trials.duel(points[5], points[1], "backward", 25)
    assert estimate
    assert estimate.low <= 3.0 <= estimate.high
    assert trials_of(forward, 1e9)[0].duel(points[5], points[1], "backward", 25) is None


def test_a_confirmation_is_by_a_fresh_process(points: list[Point]) -> None:
    trials, asked = trials_of(both, 1e9)
    times = trials.confirm(points[5], points[1], "forward", 7)
    assert times
    assert (len(times.first_us), len(times.second_us), asked.renewed) == (7, 7, 1)
    assert trials_of(forward, 1e9)[0].confirm(points[5], points[1], "backward", 7) is None


def test_time_is_up_when_the_clock_says_so(points: list[Point]) -> None:
    trials, asked = trials_of(both, 5.0)
    assert not trials.over
    asked.clock.now = 5.0
    assert trials.over


def test_times_of_a_pass() -> None:
    assert Times(1.0, None).of("forward") == 1.0
    assert Times(1.0, None).of("backward") is None


def test_a_maker_of_the_tests_own_rule_makes_its_points(release: Release) -> None:
    assert [one.case.profile for one in maker(release, "exp", plain).canonical("float32")] == ["drawn"]
