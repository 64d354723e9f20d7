"""Cases of two sides, kept open by two processes that alternate; what one of them fails on ends the pair alone."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.core.case import Case
from autoperf.core.outcome import PassName, Status
from autoperf.measurement.messages import CaseFailure, PairedTimes, PairedTiming, QuickTimes, QuickTiming, Turn
from autoperf.measurement.quick_timing_client import OpenPass, QuickTimingClient, SideTimings
from tests.measurement.executor_values import QUICK
from tests.values import case

BOTH = 1, 0


EXP = case("exp", 100, 100)
WHOLE = case("negative", 10, dtype="int32")
PAIR = PairedTiming(EXP, EXP, "forward", 1, 9.0)


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[QuickTimingClient]]:
    with ExitStack() as stack:
        folders = [tmp_path_factory.mktemp(name) for name in ("first", "second")]
        yield [stack.enter_context(QuickTimingClient(find_library(), QUICK, folder)) for folder in folders]


@pytest.fixture(scope="module")
def timings(clients: list[QuickTimingClient]) -> SideTimings:
    return SideTimings(clients)


@pytest.mark.parametrize("pass_", ["forward", "backward"])
@pytest.mark.parametrize("sides", [BOTH, (0, 1), (1, 1)])
def test_a_pair_has_as_many_turns_of_each_as_rounds(
    timings: SideTimings, pass_: PassName, sides: tuple[int, int]
) -> None:
    answer = timings.time_pair(PairedTiming(EXP, case("exp", 10), pass_, 5, 60.0, seed=3), sides)
    assert isinstance(answer, PairedTimes)
    assert len(answer.first_us) == len(answer.second_us) == 5
    assert all(0 < us < math.inf for us in (*answer.first_us, *answer.second_us))


def test_a_pair_ends_with_its_time_but_has_one_round(timings: SideTimings) -> None:
    answer = timings.time_pair(PairedTiming(EXP, EXP, "forward", 10**9, 0.0), BOTH)
    assert isinstance(answer, PairedTimes)
    assert len(answer.first_us) == len(answer.second_us) == 1


@pytest.mark.parametrize("pair", [(EXP, WHOLE), (WHOLE, EXP)])
def test_a_pass_that_one_side_lacks_is_refused_and_the_next_pair_runs(
    timings: SideTimings, pair: tuple[Case, Case]
) -> None:
    answer = timings.time_pair(PairedTiming(*pair, "backward", 3, 9.0), BOTH)
    assert isinstance(answer, CaseFailure)
    assert "no backward pass" in answer.reason
    assert isinstance(timings.time_pair(PairedTiming(*pair, "forward", 3, 9.0), BOTH), PairedTimes)


def test_inputs_are_timed_on_the_side_that_is_asked(timings: SideTimings, clients: list[QuickTimingClient]) -> None:
    clients[1].renew()
    assert isinstance(timings.time_case(QuickTiming(EXP, True, 2, 9.0), 0), QuickTimes)
    assert not clients[1]._process.runs
    assert isinstance(timings.time_case(QuickTiming(EXP, True, 2, 9.0), 1), QuickTimes)
    assert clients[1]._process.runs


def test_an_open_case_that_is_left_gives_way(clients: list[QuickTimingClient]) -> None:
    opened = OpenPass(clients[0], EXP, PAIR)
    opened.open()
    assert isinstance(clients[0].time_case(QuickTiming(EXP, False, 1, 9.0)), QuickTimes)
    failure = opened.take(Turn(1))
    assert isinstance(failure, CaseFailure)
    assert "the process that had the case open was lost" in failure.reason


def test_a_process_that_is_lost_between_turns_is_a_failure(clients: list[QuickTimingClient]) -> None:
    opened = OpenPass(clients[0], EXP, PAIR)
    opened.open()
    os.kill(clients[0]._process.child.pid, signal.SIGKILL)
    failure = opened.take(Turn(1))
    assert failure
    assert failure.status in (Status.CRASHED, Status.FAILED)
    assert isinstance(opened.close(), CaseFailure)


def test_renewed_sides_have_fresh_processes(timings: SideTimings, clients: list[QuickTimingClient]) -> None:
    before = [client._process.child.pid for client in clients]
    timings.renew()
    assert set(before).isdisjoint(client._process.child.pid for client in clients)
