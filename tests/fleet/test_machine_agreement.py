"""Machines measure the same cases first; one that disagrees with its class is told, and its figures are kept apart."""

from __future__ import annotations

import sys
from collections import deque

import msgspec
import pytest

from autoperf.core.events import Notice
from autoperf.core.outcome import Status
from autoperf.fleet.agreement import AgreeingFleet, agreement_batch
from autoperf.fleet.fleet import Answered, Lost, Result
from autoperf.fleet.messages import BatchDone, BatchMessage, CutOff, Reply, SessionOpened
from autoperf.measurement.batches import BatchAnswer, BatchRequest, CaseAnswer, Job, outcome
from autoperf.runs.environment import Machine, machine_of
from tests.values import ENVIRONMENT, Recording, case, passed, series, steady


def record(name: str, model: str = "A") -> Machine:
    processor = msgspec.structs.replace(ENVIRONMENT.processor, model=model)
    return machine_of(msgspec.structs.replace(ENVIRONMENT, machine=name, processor=processor))


class TimedFleet:
    """Machines that take so many microseconds for every case."""

    def __init__(self, **speeds: tuple[float, str]) -> None:
        self._speeds = speeds
        self.opening = 0
        self.machines: dict[str, SessionOpened] = {}
        self.asked: list[tuple[int, str]] = []
        self._results: deque[Result] = deque()
        for name in speeds:
            self.join(name)

    def join(self, name: str) -> None:
        self.machines[name] = SessionOpened((record(name, self._speeds[name][1]),))

    def submit(self, number: int, request: bytes, name: str) -> None:
        self.asked.append((number, name))
        batch = msgspec.msgpack.decode(request, type=BatchMessage).request
        machine = record(name, self._speeds[name][1])
        cases = tuple(
            CaseAnswer(
                0,
                place,
                outcome(job.case, Status.MEASURED, 0.1, passes=(passed(steady(self._speeds[name][0])), None)),
            )
            for place, job in enumerate(batch.jobs[0])
        )
        self._results.append(
            Answered(number, Reply(name, name, BatchDone((BatchAnswer(batch.number, (machine,), cases, 0.1),))))
        )

    def refuse(self, reply: Reply) -> None:
        del self.machines[reply.address]

    def wait(self, seconds: float) -> Result | None:
        return self._results.popleft() if self._results else None


def settled(fleet: TimedFleet) -> tuple[AgreeingFleet, list[str]]:
    sink = Recording()
    agreeing = AgreeingFleet(fleet, 1, sink)
    for _ in range(20):
        assert agreeing.wait(0.0) is None
    return agreeing, [event.text for event in sink.events if isinstance(event, Notice)]


def test_machines_of_a_class_that_agree_are_ready_without_a_word() -> None:
    agreeing, told = settled(TimedFleet(a=(10.0, "A"), b=(10.4, "A"), c=(9.8, "A")))
    assert (set(agreeing.machines), told) == ({"a", "b", "c"}, [])


def test_another_class_may_be_as_fast_as_it_is() -> None:
    assert settled(TimedFleet(a=(10.0, "A"), b=(10.0, "A"), c=(30.0, "B")))[1] == []


def test_a_machine_that_disagrees_is_told_and_kept_apart() -> None:
    fleet = TimedFleet(a=(10.0, "A"), b=(10.1, "A"), c=(13.0, "A"))
    agreeing, told = settled(fleet)
    (line,) = told
    assert line.startswith("c (c) is 29% slower than others of its class")
    machines = {}
    for number, name in ((1, "b"), (2, "c")):
        batch = BatchRequest(7, "exp", ((Job(case("exp", 3)),),))
        agreeing.submit(number, msgspec.msgpack.encode(BatchMessage(batch)), name)
        result = agreeing.wait(0.0)
        (answer,) = result.reply.answer.answers
        machines[name] = answer.machines[0]
    assert machines["b"].hardware == record("a").hardware
    assert machines["c"].hardware != record("a").hardware
    assert machines["c"].apart == "29% slower than others of its class"


def test_too_few_samples_judge_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "steady", lambda median: series([median]))
    assert settled(TimedFleet(a=(10.0, "A"), b=(10.1, "A"), c=(13.0, "A")))[1] == []


def test_a_machine_alone_measures_at_once_and_the_next_is_asked() -> None:
    fleet = TimedFleet(a=(10.0, "A"))
    agreeing, _ = settled(fleet)
    assert (list(agreeing.machines), fleet.asked) == (["a"], [])
    fleet._speeds["b"] = (10.0, "A")
    fleet.join("b")
    assert list(agreeing.machines) == ["a"]
    for _ in range(5):
        agreeing.wait(0.0)
    assert set(agreeing.machines) == {"a", "b"}
    assert sorted(name for _, name in fleet.asked) == ["a", "b"]


@pytest.mark.parametrize("sides", [1, 2])
def test_the_cases_are_measured_on_one_side(sides: int) -> None:
    assert [bool(jobs) for jobs in agreement_batch(sides).jobs] == [True, *[False] * (sides - 1)]


def test_a_machine_that_was_lost_is_asked_once_more() -> None:
    fleet = TimedFleet(a=(10.0, "A"), b=(10.0, "A"))
    agreeing = AgreeingFleet(fleet, 1, Recording())
    agreeing._welcome()
    first = fleet._results.popleft()
    fleet._results.append(Lost(first.number, "its worker is gone"))
    for _ in range(8):
        assert agreeing.wait(0.0) is None
    assert set(agreeing.machines) == {"a", "b"}


def test_a_machine_whose_measuring_process_ends_does_not_measure() -> None:
    fleet = TimedFleet(a=(10.0, "A"), b=(10.0, "A"))
    agreeing = AgreeingFleet(fleet, 1, Recording())
    agreeing._welcome()
    first = fleet._results.popleft()
    ended = agreeing._asked[first.number]
    fleet._results.append(Answered(first.number, Reply(ended, ended, CutOff("killed by SIGKILL"))))
    for _ in range(8):
        assert agreeing.wait(0.0) is None
    assert set(agreeing.machines) == {"a", "b"} - {ended}
