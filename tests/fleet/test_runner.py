"""A runner over a fleet whose machines leave, refuse, cut off and crash: each case is answered exactly once."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterator

import pytest

from autoperf.core.errors import EngineError
from autoperf.core.events import FleetMeasured, Notice
from autoperf.core.outcome import Outcome, Status
from autoperf.fleet.client import ClusterRunner, Piece
from autoperf.fleet.fleet import Answered, Lost, Result
from autoperf.fleet.messages import Answer, BatchDone, CallsMessage, CallsTried, Reply, SessionOpened
from autoperf.measurement.batches import BatchAnswer, BatchRequest, CaseAnswer, Job, outcome
from tests.values import MACHINE, Recording, case

KINDS = ("answer", "answer", "answer", "lost", "refuse", "join")


class FakeFleet:
    """Machines that answer in an order that the seed draws, unless they fail as it draws; `deadly` cases end them."""

    def __init__(self, machines: int, seed: int, faults: bool = False, deadly: Collection[str] = ()) -> None:
        self.machines = {f"tcp://node:{number}": SessionOpened((MACHINE,)) for number in range(machines)}
        self._random = random.Random(seed)
        self._faults, self._deadly = faults, deadly
        self._busy: dict[str, tuple[BatchRequest | CallsMessage, Piece | None]] = {}
        self._made = machines
        self.most = 0
        self.sent = 0

    @property
    def idle(self) -> list[str]:
        return [address for address in self.machines if address not in self._busy]

    @property
    def in_flight(self) -> list[Piece | None]:
        return [work for _, work in self._busy.values()]

    def submit(self, address: str, request: BatchRequest | CallsMessage, work: Piece | None) -> None:
        assert address in self.idle
        self._busy[address] = request, work
        self.sent += 1
        self.most = max(self.most, len(self._busy))

    def wait(self, seconds: float) -> Result[Piece | None] | None:
        if not self._busy or (seconds == 0.0 and self._random.random() < 0.5):
            return None
        address = self._random.choice(sorted(self._busy))
        request, work = self._busy.pop(address)
        if isinstance(request, BatchRequest):
            return self._result(address, request, work)
        (job,) = request.jobs[0]
        if job.case.id in self._deadly:
            return Lost(work, "its worker is gone")
        return self._reply(address, CallsTried("exp refuses" if job.case.operator == "exp" else ""), work)

    def _result(self, address: str, request: BatchRequest, work: Piece | None) -> Result[Piece | None]:
        if any(job.case.id in self._deadly for job in request.jobs[0]):
            return Lost(work, "it ended 4 workers", losses=4)
        kind = self._random.choice(KINDS) if self._faults else "answer"
        if kind == "lost":
            return Lost(work, "its worker is gone")
        if kind == "refuse" and len(self.machines) > 1:
            del self.machines[address]
            return Lost(work, "No space left on device", losses=0)
        if kind == "join":
            self._made += 1
            self.machines[f"tcp://node:{self._made}"] = SessionOpened((MACHINE,))
        return self._reply(address, BatchDone(tuple(self._answers(request))), work)

    def _reply(self, address: str, answer: Answer, work: Piece | None) -> Answered[Piece | None]:
        return Answered(work, Reply(address, "node", answer))

    def _answers(self, request: BatchRequest) -> Iterator[BatchAnswer]:
        for position, job in enumerate(request.jobs[0]):
            done = outcome(job.case, Status.MEASURED, 0.5)
            yield BatchAnswer(request.number, (MACHINE,), (CaseAnswer(0, position, done),), 0.5)


def batches(count: int) -> list[BatchRequest]:
    return [batch(number) for number in range(1, count + 1)]


def batch(number: int) -> BatchRequest:
    name = f"op{number}"
    return BatchRequest(number, name, (tuple(Job(case(name, size)) for size in range(1, number % 5 + 2)),))


def ran(fleet: FakeFleet, wanted: list[BatchRequest], **options: int) -> tuple[list[Outcome], Recording]:
    sink = Recording()
    runner = ClusterRunner(fleet, (MACHINE,), sink, {}, **options)
    left = iter(wanted)
    found = []
    for answer in runner.run(lambda: next(left, None)):
        batch = wanted[answer.number - 1]
        for each in answer.cases:
            assert each.outcome.case == batch.jobs[each.side][each.position].case.id
            found.append(each.outcome)
    return found, sink


def asked(wanted: list[BatchRequest]) -> Counter[str]:
    return Counter(job.case.id for batch in wanted for job in batch.jobs[0])


@pytest.mark.parametrize("ahead", [0, 3, 2000])
@pytest.mark.parametrize("machines", [1, 4, 50])
def test_every_case_is_answered_once(machines: int, ahead: int) -> None:
    wanted = batches(20)
    fleet = FakeFleet(machines, seed=machines)
    found, sink = ran(fleet, wanted, ahead=ahead)
    assert Counter(each.case for each in found) == asked(wanted)
    assert 1 < fleet.most <= machines or machines == 1
    shares = [event for event in sink.events if isinstance(event, FleetMeasured)]
    assert sum(shares[-1].cases.values()) == len(found)


@pytest.mark.parametrize("seed", range(100))
def test_no_case_is_lost_or_answered_twice_whatever_happens(seed: int) -> None:
    wanted = batches(12)
    found, _ = ran(FakeFleet(3, seed, faults=True), wanted)
    assert Counter(each.case for each in found) == asked(wanted)


def test_a_case_that_ends_workers_becomes_an_outcome_and_takes_no_other_along() -> None:
    wanted = batches(6)
    deadly = wanted[3].jobs[0][1].case.id
    found, sink = ran(FakeFleet(2, seed=1, deadly=[deadly]), wanted)
    assert Counter(each.case for each in found) == asked(wanted)
    (crashed,) = (each for each in found if each.status is not Status.MEASURED)
    assert (crashed.case, crashed.status) == (deadly, Status.CRASHED)
    assert "it ended 4 workers" in crashed.reason
    told = [event.text for event in sink.events if isinstance(event, Notice)]
    assert any("case by case" in text for text in told)


def test_calls_are_tried_on_a_machine() -> None:
    runner = ClusterRunner(FakeFleet(1, 1), (MACHINE,), Recording(), {})
    runner.check_calls([[Job(case("sin", 2))]])
    with pytest.raises(EngineError, match="exp refuses"):
        runner.check_calls([[Job(case("exp", 2))]])


def test_a_call_that_ends_its_worker_is_tried_once() -> None:
    deadly = case("exp", 2)
    fleet = FakeFleet(3, 1, deadly=[deadly.id])
    runner = ClusterRunner(fleet, (MACHINE,), Recording(), {})
    runner.check_calls([[Job(deadly)]])
    assert fleet.sent == 1
