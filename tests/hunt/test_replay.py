"""A search that is made again is answered by its log as long as it asks for the same."""

from __future__ import annotations

import pytest
from hunt_values import Lawful, point, shape

from autoperf.core.case import Case
from autoperf.core.outcome import PassName, Status
from autoperf.executor.messages import CaseFailure, PairedTimes, PairedTiming, QuickTimes, QuickTiming
from autoperf.hunt.replay import Replay, ReplayClock
from autoperf.pipeline.release import Release
from autoperf.results import huntlog
from autoperf.rules.rule import inputs, tensor

FORWARD = {"operator": "exp", "pass_": "forward"}


def law(case: Case, pass_: PassName) -> float:
    return 100.0 * shape(case)[0]


@pytest.fixture(scope="module")
def cases(release: Release) -> list[Case]:
    return [point(release, "exp", inputs(data=tensor(size))).case for size in (1, 2, 3)]


@pytest.fixture
def logged(cases: list[Case]) -> list[huntlog.TriedLine | huntlog.PairLine]:
    one, two, three = cases
    return [
        huntlog.TriedLine(at=0.1, operator="exp", id=one.id, case=one, forward_us=(7.0,), backward_us=(8.0, 9.0)),
        huntlog.TriedLine(at=0.2, operator="exp", id=two.id, case=two, refused="no"),
        huntlog.PairLine(at=0.3, first=one, second=three, first_us=(1.0,), second_us=(2.0,), **FORWARD),
    ]


def timed(replay: Replay, case: Case) -> QuickTimes | CaseFailure:
    return replay.time_case(QuickTiming(case, True, 1, 1.0), 0)


def test_the_log_answers_and_then_the_asker_does(cases: list[Case], logged: list[huntlog.TriedLine]) -> None:
    source = Lawful(law)
    replay = Replay(source, logged)
    one, two, three = cases
    assert not replay.replaying
    assert timed(replay, one) == QuickTimes((7.0,), (8.0, 9.0))
    assert timed(replay, two) == CaseFailure(Status.FAILED, "no")
    assert replay.time_pair(PairedTiming(one, three, "forward", 3, 1.0), (0, 0)) == PairedTimes((1.0,), (2.0,))
    assert replay.replaying
    assert source.questions == 0
    assert isinstance(timed(replay, one), QuickTimes)
    assert not replay.replaying
    assert source.questions == 2


def test_the_clock_shows_when_answers_were_logged_and_then_goes_on(
    cases: list[Case], logged: list[huntlog.TriedLine]
) -> None:
    now = [1000.0]
    replay = Replay(Lawful(law), logged)
    clock = ReplayClock(replay, 0.05, lambda: now[0])
    assert clock() == pytest.approx(0.05)
    for case, at in zip(cases[:2], (0.1, 0.2), strict=True):
        timed(replay, case)
        now[0] += 5
        assert clock() == pytest.approx(at)
    timed(replay, cases[2])
    now[0] += 5
    assert clock() == pytest.approx(5.2)


def test_what_leaves_the_path_is_asked_from_there_on(cases: list[Case], logged: list[huntlog.TriedLine]) -> None:
    source = Lawful(law)
    replay = Replay(source, logged)
    one, two, three = cases
    timed(replay, one)
    other = timed(replay, three)
    assert isinstance(other, QuickTimes)
    assert other.forward_us[0] >= 300
    assert not replay.replaying
    again = timed(replay, two)
    assert isinstance(again, QuickTimes)


@pytest.mark.parametrize("turned", ["order", "sides", "pass", "kind"])
def test_another_request_is_not_answered_from_the_log(
    cases: list[Case], logged: list[huntlog.TriedLine], turned: str
) -> None:
    one, _, three = cases
    source = Lawful(law)
    replay = Replay(source, logged[2:])
    if turned == "sides":
        assert replay.time_pair(PairedTiming(one, three, "forward", 1, 1.0), (1, 0)) != PairedTimes((1.0,), (2.0,))
    elif turned == "order":
        assert replay.time_pair(PairedTiming(three, one, "forward", 1, 1.0), (0, 0)) != PairedTimes((1.0,), (2.0,))
    elif turned == "pass":
        assert replay.time_pair(PairedTiming(one, three, "backward", 1, 1.0), (0, 0)) != PairedTimes((1.0,), (2.0,))
    else:
        assert isinstance(timed(replay, one), QuickTimes)
    assert source.questions


def test_a_fresh_process_is_the_askers(cases: list[Case]) -> None:
    source = Lawful(law)
    Replay(source, []).renew()
    assert source.renewed == 1
