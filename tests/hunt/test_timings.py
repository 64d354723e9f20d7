"""Timings: cached, counted, the minimum of all samples, stopped after failures; and replayed from a log."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.events import Event, InputTried, NullSink, PairTimed
from autoperf.core.outcome import PassName
from autoperf.hunt.point import Point
from autoperf.hunt.timings import MAX_CRASHES, MAX_WITHOUT_BACKWARD, InputTimings, Replay, ReplayClock, Times
from autoperf.measurement.quick_timing_client import EqualResults
from autoperf.rules.rule import inputs, tensor
from tests.hunt.hunt_values import Lawful, factory_of, plain, point, shape, timings_of, view_of


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


def test_inputs_that_end_the_process_forward_leave_the_backward_pass(points: list[Point]) -> None:
    def law(_case: Case, _pass: PassName) -> float:
        raise BrokenPipeError

    timings, source = timings_of(law, 1e9)
    for one in points[:MAX_CRASHES]:
        assert timings.times(one) is None
    questions = source.questions
    timings.times(points[MAX_CRASHES])
    assert source.questions == questions + 2


def test_the_least_time_is_what_a_call_costs(points: list[Point]) -> None:
    timings, _ = timings_of(both, 1e9)
    assert timings.overhead_us("forward") == 0
    for one in points:
        timings.times(one, 30)
    assert timings.overhead_us("forward") == pytest.approx(10, rel=0.05)
    assert timings.overhead_us("backward") == pytest.approx(20, rel=0.05)


def test_a_duel_says_the_ratio_of_one_pass(release: Release, points: list[Point]) -> None:
    timings, factory = timings_of(both, 1e9)[0], factory_of(release, "exp", plain)
    estimate = view_of(timings, factory, "backward").paired_ratio(points[5], points[1], 25)
    assert estimate
    assert estimate.low <= 3.0 <= estimate.high
    alone = view_of(timings_of(forward, 1e9)[0], factory, "backward")
    assert alone.paired_ratio(points[5], points[1], 25) is None


@pytest.mark.parametrize("passes", [(), ("forward",), ("forward", "backward")])
def test_sides_with_other_results_are_not_timed_in_turn(points: list[Point], passes: tuple[PassName, ...]) -> None:
    timings, source = timings_of(both, 1e9)
    source.equal = lambda _: EqualResults(passes)
    slow, other = points[5], replace(points[5], side=1)
    for pass_ in ("forward", "backward"):
        for fresh in (False, True):
            assert bool(timings.time_pair(slow, other, pass_, 7, fresh=fresh)) is (pass_ in passes)
    assert source.compared == 1


def test_a_confirmation_is_by_a_fresh_process(points: list[Point]) -> None:
    timings, source = timings_of(both, 1e9)
    times = timings.time_pair(points[5], points[1], "forward", 7, fresh=True)
    assert times
    assert (len(times.first_us), len(times.second_us), source.renewed) == (7, 7, 1)
    assert timings_of(forward, 1e9)[0].time_pair(points[5], points[1], "backward", 7, fresh=True) is None


def test_time_is_up_when_the_clock_says_so(points: list[Point]) -> None:
    timings, source = timings_of(both, 5.0)
    assert not timings.expired
    source.clock.now = 5.0
    assert timings.expired


def test_nothing_is_timed_after_the_limit(points: list[Point]) -> None:
    timings, source = timings_of(both, 5.0, grace=2.0)
    known = timings.times(points[3])
    source.clock.now = 6.9
    assert timings.time_pair(points[5], points[1], "forward", 7, fresh=True)
    assert source.limits[-1] < 0.2
    source.clock.now = 7.0
    questions = source.questions
    assert timings.times(points[3], 20) == known
    assert timings.times(points[4]) is None
    assert timings.time_pair(points[5], points[1], "forward", 7) is None
    assert timings.time_pair(points[5], points[1], "forward", 7, fresh=True) is None
    assert (source.questions, source.renewed, timings.refused) == (questions, 1, 0)


def test_times_of_a_pass() -> None:
    assert Times(1.0, None).of("forward") == 1.0
    assert Times(1.0, None).of("backward") is None


def test_a_maker_of_the_tests_own_rule_makes_its_points(release: Release) -> None:
    assert [one.case.profile for one in factory_of(release, "exp", plain).canonical("float32")] == ["drawn"]


FORWARD = {"operator": "exp", "pass_": "forward"}


def law(case: Case, pass_: PassName) -> float:
    return 100.0 * shape(case)[0]


@pytest.fixture(scope="module")
def cases(release: Release) -> list[Case]:
    return [point(release, "exp", inputs(data=tensor(size))).case for size in (1, 2, 3)]


@pytest.fixture
def logged(cases: list[Case]) -> list[InputTried | PairTimed]:
    one, two, three = cases
    return [
        InputTried(at=0.1, operator="exp", id=one.id, case=one, forward_us=(7.0,), backward_us=(8.0, 9.0)),
        InputTried(at=0.2, operator="exp", id=two.id, case=two, refused="no"),
        PairTimed(at=0.3, first=one, second=three, first_us=(1.0,), second_us=(2.0,), **FORWARD),
    ]


def tried(case: Case) -> InputTried:
    """The question how long a case takes."""
    return InputTried(id=case.id, case=case)


def test_a_resumed_hunt_knows_the_backward_passes_that_crashed(points: list[Point]) -> None:
    """So that it asks what the first session asked, and crashes no process again."""

    def crashing(case: Case, pass_: PassName) -> float:
        if pass_ == "backward":
            raise BrokenPipeError
        return 100.0

    events: list[Event] = []

    class Kept:
        def handle(self, event: Event) -> None:
            events.append(event)

    source = Lawful(crashing)
    first = InputTimings(source, 60.0, Kept(), clock=source.clock)
    asked = points[: MAX_CRASHES + 1]
    assert all(map(first.times, asked))
    assert first.passes == ("forward",)
    answers = [event for event in events if isinstance(event, InputTried)]
    assert [event.crashed for event in answers] == [True] * MAX_CRASHES + [False]
    lines = [
        InputTried(
            at=0.1 * at,
            operator="exp",
            id=each.case.id,
            case=each.case,
            forward_us=each.forward_us,
            crashed=each.crashed,
        )
        for at, each in enumerate(answers, 1)
    ]
    again = Lawful(crashing)
    resumed = InputTimings(again, 60.0, NullSink(), clock=again.clock, replay=Replay(lines))
    assert all(map(resumed.times, asked))
    assert resumed.passes == ("forward",)
    assert again.questions == 0


def test_the_log_answers_until_it_ends(cases: list[Case], logged: list[InputTried | PairTimed]) -> None:
    replay = Replay(logged)
    one, two, three = cases
    assert not replay.replaying
    pair = PairTimed(first=one, second=three, pass_="forward")
    assert [replay.answer(tried(one)), replay.answer(tried(two)), replay.answer(pair)] == logged
    assert replay.replaying
    assert replay.answer(tried(one)) is None
    assert not replay.replaying


def test_where_the_log_ends_the_source_answers(points: list[Point], logged: list[InputTried | PairTimed]) -> None:
    source = Lawful(law)
    timings = InputTimings(source, 60.0, NullSink(), clock=source.clock, replay=Replay(logged))
    assert timings.times(points[0]) == Times(7.0, 8.0)
    assert timings.times(points[1]) is None
    assert timings.refusal == "no"
    pair = timings.time_pair(points[0], points[2], "forward", 3, fresh=True)
    assert pair
    assert (pair.first_us, pair.second_us) == ((1.0,), (2.0,))
    # The next answer is from a fresh process, as in the hunt that was logged.
    assert (source.questions, source.renewed) == (0, 1)
    assert timings.times(points[2])
    assert source.questions == 2


def test_the_clock_shows_when_answers_were_logged_and_then_goes_on(cases: list[Case], logged: list[InputTried]) -> None:
    now = [1000.0]
    replay = Replay(logged)
    clock = ReplayClock(replay, 0.05, lambda: now[0])
    assert clock() == pytest.approx(0.05)
    for case, at in zip(cases[:2], (0.1, 0.2), strict=True):
        replay.answer(tried(case))
        now[0] += 5
        assert clock() == pytest.approx(at)
    replay.answer(tried(cases[2]))
    now[0] += 5
    assert clock() == pytest.approx(5.2)


def test_a_search_that_leaves_the_log_does_not_return_to_it(cases: list[Case], logged: list[InputTried]) -> None:
    replay = Replay(logged)
    one, two, three = cases
    assert replay.answer(tried(one))
    assert replay.answer(tried(three)) is None
    assert not replay.replaying
    assert replay.answer(tried(two)) is None


@pytest.mark.parametrize("turned", ["order", "sides", "pass", "kind"])
def test_another_question_is_not_answered_from_the_log(
    cases: list[Case], logged: list[InputTried], turned: str
) -> None:
    one, _, three = cases
    questions: dict[str, InputTried | PairTimed] = {
        "order": PairTimed(first=three, second=one, pass_="forward"),
        "sides": PairTimed(first=one, second=three, pass_="forward", sides=(1, 0)),
        "pass": PairTimed(first=one, second=three, pass_="backward"),
        "kind": tried(one),
    }
    assert Replay(logged[2:]).answer(questions[turned]) is None
