"""Timings are cached and counted, keep the minimum of all samples, and stop on what always fails."""

from __future__ import annotations

import pytest
from hunt_values import factory_of, plain, point, shape, timings_of

from autoperf.core.case import Case
from autoperf.core.outcome import PassName
from autoperf.hunt.point import Point
from autoperf.hunt.timings import MAX_CRASHES, MAX_WITHOUT_BACKWARD, Times
from autoperf.pipeline.release import Release
from autoperf.rules.rule import inputs, tensor


@pytest.fixture(scope="module")
def points(release: Release) -> list[Point]:
    return [point(release, "exp", inputs(data=tensor(size))) for size in range(1, MAX_WITHOUT_BACKWARD + 10)]


def both(case: Case, pass_: PassName) -> float | None:
    return 10.0 * shape(case)[0] * (2 if pass_ == "backward" else 1)


def forward(case: Case, pass_: PassName) -> float | None:
    return 10.0 if pass_ == "forward" else None


def test_an_input_is_asked_for_once(points: list[Point]) -> None:
    timings, source = timings_of(both, 1e9)
    first = timings.times(points[3])
    questions = source.questions
    assert timings.times(points[3]) == first
    assert (source.questions, timings.tried, timings.refused) == (questions, 1, 0)


def test_more_samples_only_lower_the_times(points: list[Point]) -> None:
    timings, _ = timings_of(both, 1e9)
    one, more = timings.times(points[3]), timings.times(points[3], 20)
    assert one
    assert more
    assert more.backward
    assert one.backward
    assert 40 <= more.forward <= one.forward
    assert 80 <= more.backward <= one.backward
    assert timings.times(points[3], 5) == more


def test_what_is_refused_is_counted_and_not_asked_again(points: list[Point]) -> None:
    def law(case: Case, pass_: PassName) -> float:
        raise ValueError("no")

    timings, source = timings_of(law, 1e9)
    assert timings.times(points[0]) is None
    assert timings.times(points[0], 50) is None
    assert (source.questions, timings.tried, timings.refused) == (1, 1, 1)


def test_without_a_backward_pass_none_is_asked_for_in_the_end(points: list[Point]) -> None:
    timings, _ = timings_of(forward, 1e9)
    for one in points[:MAX_WITHOUT_BACKWARD]:
        assert timings.passes == ("forward", "backward")
        assert timings.times(one)
    assert timings.passes == ("forward",)


def test_one_backward_pass_is_enough_to_go_on(points: list[Point]) -> None:
    timings, _ = timings_of(lambda case, pass_: both(case, pass_) if shape(case) == (1,) else forward(case, pass_), 1e9)
    for one in points:
        timings.times(one)
    assert timings.passes == ("forward", "backward")


def test_a_backward_pass_that_ends_the_process_is_left_out(points: list[Point]) -> None:
    def law(case: Case, pass_: PassName) -> float:
        if pass_ == "backward":
            raise BrokenPipeError
        return 10.0

    timings, source = timings_of(law, 1e9)
    for one in points[:MAX_CRASHES]:
        times = timings.times(one)
        assert times
        assert times.backward is None
    assert timings.passes == ("forward",)
    questions = source.questions
    assert timings.times(points[MAX_CRASHES])
    assert source.questions == questions + 1
    assert timings.refused == 0


def test_an_input_that_ends_the_process_whatever_is_asked_is_refused(points: list[Point]) -> None:
    def law(case: Case, pass_: PassName) -> float:
        if shape(case) == (2,):
            raise BrokenPipeError
        return 10.0

    timings, _ = timings_of(law, 1e9)
    assert timings.times(points[1]) is None
    assert timings.times(points[0])
    assert (timings.tried, timings.refused, timings.passes) == (2, 1, ("forward", "backward"))


def test_the_least_time_is_what_a_call_costs(points: list[Point]) -> None:
    timings, _ = timings_of(both, 1e9)
    assert timings.overhead_us("forward") == 0
    for one in points:
        timings.times(one, 30)
    assert timings.overhead_us("forward") == pytest.approx(10, rel=0.05)
    assert timings.overhead_us("backward") == pytest.approx(20, rel=0.05)


def test_a_duel_says_the_ratio_of_one_pass(points: list[Point]) -> None:
    timings, _ = timings_of(both, 1e9)
    estimate = timings.paired_ratio(points[5], points[1], "backward", 25)
    assert estimate
    assert estimate.low <= 3.0 <= estimate.high
    assert timings_of(forward, 1e9)[0].paired_ratio(points[5], points[1], "backward", 25) is None


def test_a_confirmation_is_by_a_fresh_process(points: list[Point]) -> None:
    timings, source = timings_of(both, 1e9)
    times = timings.paired_times(points[5], points[1], "forward", 7)
    assert times
    assert (len(times.first_us), len(times.second_us), source.renewed) == (7, 7, 1)
    assert timings_of(forward, 1e9)[0].paired_times(points[5], points[1], "backward", 7) is None


def test_time_is_up_when_the_clock_says_so(points: list[Point]) -> None:
    timings, source = timings_of(both, 5.0)
    assert not timings.expired
    source.clock.now = 5.0
    assert timings.expired


def test_nothing_is_timed_after_the_limit(points: list[Point]) -> None:
    timings, source = timings_of(both, 5.0, grace=2.0)
    known = timings.times(points[3])
    source.clock.now = 6.9
    assert timings.paired_times(points[5], points[1], "forward", 7)
    assert source.limits[-1] < 0.2
    source.clock.now = 7.0
    questions = source.questions
    assert timings.times(points[3], 20) == known
    assert timings.times(points[4]) is None
    assert timings.paired_ratio(points[5], points[1], "forward", 7) is None
    assert timings.paired_times(points[5], points[1], "forward", 7) is None
    assert (source.questions, source.renewed, timings.refused) == (questions, 1, 0)


def test_times_of_a_pass() -> None:
    assert Times(1.0, None).of("forward") == 1.0
    assert Times(1.0, None).of("backward") is None


def test_a_maker_of_the_tests_own_rule_makes_its_points(release: Release) -> None:
    assert [one.case.profile for one in factory_of(release, "exp", plain).canonical("float32")] == ["drawn"]
