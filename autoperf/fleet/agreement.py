"""Whether machines of one class agree: all of them measure the same few cases before any other."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from autoperf.core.events import Notice, Sink
from autoperf.core.outcome import PASSES
from autoperf.fleet.fleet import Answered, Fleet, Result
from autoperf.fleet.messages import BatchDone, BatchMessage, CutOff, MachineRefused, Reply, SessionOpened
from autoperf.measurement.batches import BatchAnswer, BatchRequest, Job
from autoperf.measurement.roofline import copy_case, overhead_case, product_cases
from autoperf.runs.environment import Machine

NUMBER = 0
"""The number of this batch, which no other one has."""
SECONDS = 0.1
"""For the samples of each case."""
TOLERANCE = 0.1
"""Machines whose typical difference from their class is larger measure another population."""
ORDER = 256
ELEMENTS = 2**16
APART = "-apart"
"""The end of the id of a machine that is kept apart."""
ENOUGH = 3
"""With as many machines of its class, it is clear which of them differs."""


class _Time(NamedTuple):
    """A case's median in log microseconds, and half of its 95% interval: infinite with too few samples."""

    log: float
    noise: float


class _MachineTimes(NamedTuple):
    """A machine's class, and the time of each case."""

    hardware: tuple[object, ...]
    times: Mapping[str, _Time]


def agreement_batch(sides: int) -> BatchRequest:
    """The cases that every machine measures first, on the first side: overhead, memory, BLAS and oneDNN."""
    cases = (overhead_case(), copy_case(ELEMENTS), *product_cases("float32", ORDER))
    jobs = tuple(Job(case, SECONDS) for case in cases)
    return BatchRequest(NUMBER, "agreement", (jobs, *((),) * (sides - 1)))


class MachineAgreement:
    """The times of these cases on each machine, by the address of its worker."""

    def __init__(self) -> None:
        self._readings: dict[str, _MachineTimes] = {}

    def add(self, address: str, machine: Machine, answers: Sequence[BatchAnswer]) -> None:
        """Adds a machine's answers."""
        self._readings[address] = _MachineTimes(machine.hardware, dict(_times(answers)))

    def is_known(self, address: str) -> bool:
        """Whether enough machines of its class have answered to judge this one."""
        own = self._readings[address]
        return sum(each.hardware == own.hardware for each in self._readings.values()) >= ENOUGH

    def difference(self, address: str) -> float:
        """How much slower (or, below 0, faster) a machine certainly is than the median of its class, as a share.

        It is the median over the cases, of each the part that exceeds both intervals, and 0 for a machine that is alone
        in its class. Of two, each differs from the other.
        """
        own = self._readings[address]
        peers = [each for each in self._readings.values() if each.hardware == own.hardware]
        if len(peers) < ENOUGH:
            peers = [each for each in peers if each is not own]
        logs = []
        for case, time in own.times.items():
            theirs = [each.times[case] for each in peers if case in each.times]
            if theirs:
                typical = _Time(*(statistics.median(values) for values in zip(*theirs, strict=True)))
                difference = time.log - typical.log
                certain = max(0.0, abs(difference) - time.noise - typical.noise)
                logs.append(math.copysign(certain, difference))
        return math.expm1(statistics.median(logs)) if logs else 0.0


def _times(answers: Sequence[BatchAnswer]) -> Iterator[tuple[str, _Time]]:
    for answer in answers:
        for each in answer.cases:
            measured = each.outcome.passes.get(PASSES[0])
            series = measured.ranking_series() if measured else None
            if series and series.median > 0:
                bounds = series.low, series.high
                noise = math.log(bounds[1] / bounds[0]) / 2 if bounds[0] and bounds[1] else math.inf
                yield each.outcome.case, _Time(math.log(series.median), noise)


class AgreeingFleet:
    """A fleet whose machines measure the same cases first; one that disagrees with its class is told and kept apart.

    A machine that is alone needs no agreement until another one comes.
    """

    def __init__(self, fleet: Fleet, sides: int, sink: Sink) -> None:
        self._fleet, self._sink = fleet, sink
        self._request = msgspec.msgpack.encode(BatchMessage(agreement_batch(sides)))
        self._agreement = MachineAgreement()
        self._numbers = itertools.count(NUMBER - 1, -1)
        self._asked: dict[int, str] = {}
        self._unjudged: dict[str, str] = {}
        self._ready: set[str] = set()
        self._seen: set[str] = set()
        self._apart: dict[str, str] = {}

    @property
    def machines(self) -> Mapping[str, SessionOpened]:
        """The machines that have been judged."""
        return {address: opened for address, opened in self._fleet.machines.items() if address in self._ready}

    @property
    def opening(self) -> int:
        """The number of machines that are about to be able to measure."""
        return self._fleet.opening + len(self._fleet.machines) - len(self.machines)

    def submit(self, number: int, request: bytes, address: str) -> None:
        """Has a machine answer a request."""
        self._fleet.submit(number, request, address)

    def refuse(self, reply: Reply) -> None:
        """Gives no more pieces to a machine."""
        self._fleet.refuse(reply)

    def wait(self, seconds: float) -> Result | None:
        """The next result that isn't about the agreement. Raises ClusterError if there can't be any."""
        self._welcome()
        result = self._fleet.wait(seconds)
        if result is None or result.number > NUMBER:
            return self._marked(result) if isinstance(result, Answered) else result
        address = self._asked.pop(result.number, None)
        if address is not None:
            self._take(address, result)
        return None

    def _take(self, address: str, result: Result) -> None:
        match result:
            case Answered(reply=Reply(answer=BatchDone(answers=answers)) as reply):
                self._agreement.add(address, answers[0].machines[0], answers)
                self._unjudged[address] = reply.host
            case Answered(reply=Reply(answer=MachineRefused() | CutOff()) as reply):
                self._fleet.refuse(reply)
            case _:
                # It is asked once more.
                self._seen.discard(address)

    def _welcome(self) -> None:
        """Asks machines that came, unless there is one alone; judges those that can be judged."""
        present = self._fleet.machines
        if len(present) == 1 and not self._fleet.opening:
            self._ready |= present.keys()
        elif len(present) > 1:
            for address in present.keys() - self._seen:
                self._seen.add(address)
                number = next(self._numbers)
                self._asked[number] = address
                self._fleet.submit(number, self._request, address)
        self._asked = {number: address for number, address in self._asked.items() if address in present}
        for address in list(self._unjudged):
            if self._agreement.is_known(address) or not (self._asked or self._fleet.opening):
                self._judge(address, self._unjudged.pop(address))

    def _judge(self, address: str, host: str) -> None:
        difference = self._agreement.difference(address)
        self._ready.add(address)
        if abs(difference) > TOLERANCE:
            words = f"{abs(difference):.0%} {'slower' if difference > 0 else 'faster'} than others of its class"
            self._apart[address] = words
            self._sink.handle(Notice(f"{host} ({address}) is {words}: its figures from now on are kept apart"))

    def _marked(self, answered: Answered) -> Answered:
        """The answer of a machine that is kept apart, with records of its own."""
        words = self._apart.get(answered.reply.address)
        done = answered.reply.answer
        if words is None or not isinstance(done, BatchDone):
            return answered
        marked = BatchDone(tuple(_apart(answer, words) for answer in done.answers))
        return answered._replace(reply=msgspec.structs.replace(answered.reply, answer=marked))


def _apart(answer: BatchAnswer, words: str) -> BatchAnswer:
    """The answer under other ids of its machines: those without the mark may have outcomes already."""
    machines = tuple(
        msgspec.structs.replace(machine, id=f"{machine.id}{APART}", apart=words) for machine in answer.machines
    )
    return msgspec.structs.replace(answer, machines=machines)
