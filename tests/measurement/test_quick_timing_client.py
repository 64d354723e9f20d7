"""The process that answers a hunt's questions: on the installed MXNet, with cases that break it too."""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.core.case import Case
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.outcome import PassName, Status
from autoperf.measurement import quick_timing
from autoperf.measurement.attribution import Boundaries
from autoperf.measurement.messages import CaseFailure, PairedTimes, PairedTiming, QuickTimes, QuickTiming
from autoperf.measurement.quick_timing_client import QuickTimingClient
from tests.measurement.executor_values import QUICK
from tests.values import case

EXP = case("exp", 100, 100)
WHOLE = case("negative", 10, dtype="int32")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuickTimingClient]:
    with QuickTimingClient(find_library(), QUICK, tmp_path_factory.mktemp("client")) as running:
        yield running


def timed(client: QuickTimingClient, asked: Case, *, backward: bool = True) -> QuickTimes | CaseFailure:
    return client.time_case(QuickTiming(asked, backward, 3, 20.0))


def process_of(client: QuickTimingClient) -> int:
    return client._process.child.pid


def test_both_passes_are_timed(client: QuickTimingClient) -> None:
    answer = timed(client, EXP)
    assert isinstance(answer, QuickTimes)
    assert (len(answer.forward_us), len(answer.backward_us)) == (3, 3)
    assert min(answer.forward_us + answer.backward_us) > 0


def test_no_backward_pass_where_none_is_wanted(client: QuickTimingClient) -> None:
    answer = timed(client, EXP, backward=False)
    assert isinstance(answer, QuickTimes)
    assert answer.backward_us == ()


def test_whole_numbers_have_no_backward_pass(client: QuickTimingClient) -> None:
    answer = timed(client, WHOLE)
    assert isinstance(answer, QuickTimes)
    assert answer.backward_us == ()


def test_time_that_is_up_leaves_one_sample(client: QuickTimingClient) -> None:
    answer = client.time_case(QuickTiming(EXP, True, 1000, 0.0))
    assert isinstance(answer, QuickTimes)
    assert (len(answer.forward_us), len(answer.backward_us)) == (1, 1)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (case("softmax", 4, params={"absent": 3}), "absent"),
        (case("no_such_operator", 4), "no_such_operator"),
        (case("softmax", 4, params={"axis": 7}), "axis"),
    ],
)
def test_what_mxnet_refuses_is_refused_in_words(client: QuickTimingClient, wrong: Case, words: str) -> None:
    before = process_of(client)
    answer = timed(client, wrong)
    assert isinstance(answer, CaseFailure)
    assert answer.status is Status.FAILED
    assert words in answer.reason
    assert "\n" not in answer.reason
    assert isinstance(timed(client, EXP), QuickTimes)
    assert process_of(client) == before


def test_a_process_that_is_lost_between_questions_is_started_again(client: QuickTimingClient) -> None:
    before = process_of(client)
    os.kill(before, signal.SIGKILL)
    assert isinstance(timed(client, EXP), QuickTimes | CaseFailure)
    assert isinstance(timed(client, EXP), QuickTimes)
    assert process_of(client) != before


def test_a_process_that_is_lost_over_a_question_costs_its_answer_only(client: QuickTimingClient) -> None:
    before = process_of(client)
    # It takes the question, but not up, until it is ended.
    os.kill(before, signal.SIGSTOP)
    killer = threading.Timer(0.5, os.kill, (before, signal.SIGKILL))
    killer.start()
    answer = timed(client, EXP)
    killer.join()
    assert isinstance(answer, CaseFailure)
    assert (answer.status, answer.killed) == (Status.CRASHED, True)
    assert isinstance(timed(client, EXP), QuickTimes)


def test_a_question_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    with QuickTimingClient(find_library(), msgspec.structs.replace(QUICK, timeout=0.5), tmp_path) as running:
        os.kill(process_of(running), signal.SIGSTOP)
        answer = timed(running, EXP)
        assert isinstance(answer, CaseFailure)
        assert answer.status is Status.TIMEOUT
        assert isinstance(timed(running, EXP), QuickTimes | CaseFailure)


def test_a_case_over_the_limit_is_refused_without_asking(tmp_path: Path) -> None:
    limited = msgspec.structs.replace(QUICK, memory_limit=2**20)
    with QuickTimingClient(find_library(), limited, tmp_path) as running:
        before = process_of(running)
        answer = timed(running, case("exp", 2**18))
        assert isinstance(answer, CaseFailure)
        assert answer.status is Status.SKIPPED
        assert "2,097,152 bytes" in answer.reason
        half = case("exp", 2**17)
        assert isinstance(running.time_pair(PairedTiming(half, half, "forward", 2, 9.0)), CaseFailure)
        assert process_of(running) == before


def test_memory_that_the_process_may_not_take_is_refused_and_the_next_is_answered(tmp_path: Path) -> None:
    limited = msgspec.structs.replace(QUICK, memory_limit=2**27)
    hungry = case("broadcast_to", 1, params={"shape": (2**28,)}, outputs=())
    with QuickTimingClient(find_library(), limited, tmp_path) as running:
        answer = timed(running, hungry, backward=False)
        assert isinstance(answer, CaseFailure)
        assert isinstance(timed(running, EXP), QuickTimes)


@pytest.mark.parametrize("pass_", ["forward", "backward"])
def test_a_pair_is_timed_as_often_as_there_are_rounds(client: QuickTimingClient, pass_: PassName) -> None:
    answer = client.time_pair(PairedTiming(EXP, case("exp", 10), pass_, 5, 60.0, seed=3))
    assert isinstance(answer, PairedTimes)
    assert (len(answer.first_us), len(answer.second_us)) == (5, 5)
    assert min(answer.first_us + answer.second_us) > 0


def test_a_pair_ends_with_its_time(client: QuickTimingClient) -> None:
    answer = client.time_pair(PairedTiming(EXP, EXP, "forward", 10**9, 0.0))
    assert isinstance(answer, PairedTimes)
    assert (len(answer.first_us), len(answer.second_us)) == (1, 1)


def test_a_pair_of_a_pass_that_one_side_lacks_is_refused(client: QuickTimingClient) -> None:
    answer = client.time_pair(PairedTiming(EXP, WHOLE, "backward", 3, 9.0))
    assert isinstance(answer, CaseFailure)
    assert "no backward pass" in answer.reason
    assert isinstance(client.time_pair(PairedTiming(EXP, WHOLE, "forward", 3, 9.0)), PairedTimes)


def test_a_pair_of_what_mxnet_refuses_is_refused(client: QuickTimingClient) -> None:
    for sides in ((EXP, case("softmax", 4, params={"axis": 7})), (case("softmax", 4, params={"axis": 7}), EXP)):
        assert isinstance(client.time_pair(PairedTiming(*sides, "forward", 3, 9.0)), CaseFailure)
    assert isinstance(client.time_pair(PairedTiming(EXP, EXP, "forward", 3, 9.0)), PairedTimes)


def test_a_renewed_process_is_another_one(client: QuickTimingClient) -> None:
    timed(client, EXP)
    before = process_of(client)
    client.renew()
    assert isinstance(timed(client, EXP), QuickTimes)
    assert process_of(client) != before


def test_a_build_says_what_it_is(client: QuickTimingClient) -> None:
    assert client.build.version == "1.9.1"


def test_a_library_that_is_none_is_said_at_once(tmp_path: Path) -> None:
    fake = tmp_path / "libmxnet.so"
    fake.write_bytes(b"nothing")
    with pytest.raises(LibraryError), QuickTimingClient(fake, QUICK, tmp_path):
        pass


def test_a_gpu_that_there_is_not_is_said_at_once(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="gpu"),
        QuickTimingClient(find_library(), msgspec.structs.replace(QUICK, ctx="gpu(0)"), tmp_path),
    ):
        pass


def test_closing_twice_does_nothing(tmp_path: Path) -> None:
    client = QuickTimingClient(find_library(), QUICK, tmp_path)
    with client:
        pid = process_of(client)
    client.close()
    assert not Path(f"/proc/{pid}").exists()


class _Disturbed:
    """Stands for a runner whose first calls the machine disturbs."""

    def __init__(self, disturbed: int) -> None:
        self._disturbed = disturbed

    def block(self, clock: object, count: int, *, discard_first: bool) -> list[Boundaries]:
        calls = []
        for _ in range(count):
            calls.append(Boundaries(0, 1000, 1000, disturbed=self._disturbed > 0))
            self._disturbed -= 1
        return calls


def test_a_disturbed_call_is_taken_again() -> None:
    runner = _Disturbed(2)
    taken = quick_timing._samples(runner, 3, math.inf)  # type: ignore[arg-type]
    assert [call.disturbed for call in taken] == [False] * 3
