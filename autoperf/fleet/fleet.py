"""The workers of a Dask cluster as a fleet: which can measure, whether they agree, and the work that each has."""

from __future__ import annotations

import math
import queue
import statistics
import time
import uuid
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import dask
import msgspec
from distributed import Client, Future, KilledWorker

from autoperf import __version__
from autoperf.core.errors import ClusterError
from autoperf.core.events import Notice, Sink
from autoperf.core.outcome import PASSES
from autoperf.core.texts import count
from autoperf.fleet import messages
from autoperf.fleet.machine import close, measure
from autoperf.measurement.batches import BatchRequest, Job
from autoperf.measurement.machine_state import copy_case, overhead_case, product_cases

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
MEASURING = "measuring"
"""The resource of a Dask worker that measures: it has 1, and a batch takes it."""
LOOK_SECONDS = 1.0
"""How often the workers are listed."""
CLOSE_SECONDS = 3.0
RESULT_SECONDS = 60.0
FETCH_SECONDS = (1.0, 4.0, 15.0, 40.0)
"""How long each attempt to fetch a reply may take; nobody answers the first where its worker has just been lost."""
Work = TypeVar("Work")


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
    return BatchRequest(0, "agreement", (jobs, *((),) * (sides - 1)))


class MachineAgreement:
    """The times of these cases on each machine, by the address of its worker; `unjudged` are machines that wait."""

    def __init__(self) -> None:
        self._readings: dict[str, _MachineTimes] = {}
        self._apart: dict[str, str] = {}
        self.unjudged: set[str] = set()

    def add(self, address: str, opened: messages.SessionOpened) -> None:
        """Adds a machine; one that wasn't asked for these cases agrees."""
        if not opened.agreement:
            return
        times: dict[str, _Time] = {}
        for each in (each for answer in opened.agreement for each in answer.cases):
            measured = each.outcome.passes.get(PASSES[0])
            series = measured.ranking_series() if measured else None
            if series and series.median > 0:
                noise = math.log(series.high / series.low) / 2 if series.low and series.high else math.inf
                times[each.outcome.case] = _Time(math.log(series.median), noise)
        self._readings[address] = _MachineTimes(opened.machines[0].hardware, times)
        self.unjudged.add(address)

    def judge(self, *, all_known: bool) -> Iterator[tuple[str, str]]:
        """Judges the machines that can be, or each if no other one is to come; yields those that differ, with words."""
        for address in sorted(self.unjudged):
            if all_known or len(self._peers(address)) >= ENOUGH:
                self.unjudged.discard(address)
                difference = self._difference(address)
                if abs(difference) > TOLERANCE:
                    way = "slower" if difference > 0 else "faster"
                    self._apart[address] = f"{abs(difference):.0%} {way} than others of its class"
                    yield address, self._apart[address]

    def marked(self, address: str, done: messages.BatchDone) -> messages.BatchDone:
        """The answers of a machine; if it differs, with a record of its own: its id may have outcomes already."""
        words, marked = self._apart.get(address), []
        for answer in done.answers if words else ():
            machines = (msgspec.structs.replace(each, id=f"{each.id}{APART}", apart=words) for each in answer.machines)
            marked.append(msgspec.structs.replace(answer, machines=tuple(machines)))
        return messages.BatchDone(tuple(marked)) if words else done

    def _peers(self, address: str) -> list[_MachineTimes]:
        """The machines of its class, itself among them."""
        return [each for each in self._readings.values() if each.hardware == self._readings[address].hardware]

    def _difference(self, address: str) -> float:
        """How much slower (or, below 0, faster) a machine certainly is than the median of its class, as a share.

        It is the median over the cases, of each the part that exceeds both intervals, and 0 for a machine that is alone
        in its class. Of two, each differs from the other.
        """
        own, peers = self._readings[address], self._peers(address)
        if len(peers) < ENOUGH:
            peers = [each for each in peers if each is not own]
        logs = []
        for case, timed in own.times.items():
            theirs = [each.times[case] for each in peers if case in each.times]
            if theirs:
                typical = _Time(*(statistics.median(values) for values in zip(*theirs, strict=True)))
                difference = timed.log - typical.log
                certain = max(0.0, abs(difference) - timed.noise - typical.noise)
                logs.append(math.copysign(certain, difference))
        return math.expm1(statistics.median(logs)) if logs else 0.0


@dataclass(frozen=True)
class Answered(Generic[Work]):
    """Some work and its reply."""

    work: Work
    reply: messages.Reply[messages.Answer]


@dataclass(frozen=True)
class Lost(Generic[Work]):
    """Work without an answer, and the number of workers that it has ended: 0 if a machine refused it."""

    work: Work
    reason: str
    losses: int = 1


Result: TypeAlias = Answered[Work] | Lost[Work]


class Fleet(Protocol[Work]):
    """Machines that each do one piece of work at a time."""

    @property
    def machines(self) -> Mapping[str, messages.SessionOpened]:
        """The machines that can measure now, by the addresses of their workers."""

    @property
    def idle(self) -> list[str]:
        """The machines without work."""

    @property
    def in_flight(self) -> list[Work]:
        """The work that machines have."""

    def submit(self, address: str, request: messages.Request, work: Work) -> None:
        """Has an idle machine answer a request; `work` comes back with the answer."""

    def wait(self, seconds: float) -> Result[Work] | None:
        """The next result, or None after some seconds. Raises ClusterError if there can't be any."""


@dataclass(frozen=True)
class _Flight(Generic[Work]):
    future: Future[Any]
    work: Work


class DaskFleet(Generic[Work]):
    """The workers of a Dask cluster; each opens the session once, and measures once it is judged."""

    def __init__(
        self, client: Client, place: str, session: messages.Session, greeting: messages.Greeting, sink: Sink
    ) -> None:
        """`place` names the cluster in messages; every machine is asked for the greeting first."""
        self._client, self._place, self._sink = client, place, sink
        self._token = uuid.uuid4().hex
        self._session, self._greeting = msgspec.msgpack.encode(session), greeting
        self._agreement = MachineAgreement()
        self._alive: frozenset[str] = frozenset()
        self._opening: dict[str, Future[Any]] = {}
        self._opened: dict[str, messages.SessionOpened] = {}
        self._refused: dict[str, str] = {}
        self._flights: dict[str, _Flight[Work]] = {}
        self._ended: queue.SimpleQueue[tuple[str, Future[Any]]] = queue.SimpleQueue()
        self._stranded: list[Lost[Work]] = []
        self._looked = 0.0
        self._waits = False

    @property
    def machines(self) -> Mapping[str, messages.SessionOpened]:
        """The machines that can measure now."""
        ready = (self._opened.keys() & self._alive) - self._agreement.unjudged
        return {address: opened for address, opened in self._opened.items() if address in ready}

    @property
    def idle(self) -> list[str]:
        """The machines without work."""
        return [address for address in self.machines if address not in self._flights]

    @property
    def in_flight(self) -> list[Work]:
        """The work that machines have."""
        return [flight.work for flight in self._flights.values()]

    def first(self) -> messages.SessionOpened:
        """The first machine that can measure; waits for it. Raises ClusterError if none of them can."""
        while not self.machines:
            self.wait(LOOK_SECONDS)
        return next(iter(self.machines.values()))

    def submit(self, address: str, request: messages.Request, work: Work) -> None:
        """Has an idle machine answer a request; no other one, so that a request that ends workers ends one."""
        self._flights[address] = _Flight(self._task(request, address), work)

    def wait(self, seconds: float) -> Result[Work] | None:
        """The next result, or None after some seconds. Raises ClusterError if no machine can give one."""
        self._look()
        if self._stranded:
            return self._stranded.pop()
        try:
            address, future = self._ended.get(timeout=seconds)
        except queue.Empty:
            return None
        if self._opening.get(address) is future:
            self._joined(address, self._opening.pop(address))
            return None
        flight = self._flights.get(address)
        if flight is None or flight.future is not future:
            return None
        del self._flights[address]
        return self._result(flight)

    def close(self) -> None:
        """Takes back what isn't answered, and has each machine end its processes."""
        if self._client.status != "running":
            return
        self._client.cancel([*(flight.future for flight in self._flights.values()), *self._opening.values()])
        ends = [
            self._client.submit(close, self._token, workers=[address], pure=False, resources={MEASURING: 1})
            for address in self._opened.keys() & self._alive
        ]
        deadline = time.monotonic() + CLOSE_SECONDS
        while time.monotonic() < deadline and any(future.status == "pending" for future in ends):
            time.sleep(0.05)

    def _task(self, request: messages.Request, address: str) -> Future[Any]:
        future = self._client.submit(
            measure,
            __version__,
            messages.source_digest(),
            self._token,
            self._session,
            msgspec.msgpack.encode(request),
            workers=[address],
            allow_other_workers=False,
            resources={MEASURING: 1},
            pure=False,
        )
        future.add_done_callback(lambda done: self._ended.put((address, done)))
        return future

    def _result(self, flight: _Flight[Work]) -> Result[Work]:
        reply = _reply(flight.future)
        if reply is None:
            if flight.future.status != "error":
                self._require_scheduler()
                flight.future.cancel()
            return Lost(flight.work, *_problem(flight.future))
        match reply.answer:
            case messages.MachineRefused(reason=reason):
                self._refuse(reply.address, reply.host, reason)
                self._require_machine()
                return Lost(flight.work, reason, losses=0)
            case messages.CutOff(reason=reason):
                return Lost(flight.work, reason)
            case messages.BatchDone() as done:
                answer: messages.Answer = self._agreement.marked(reply.address, done)
                return Answered(flight.work, msgspec.structs.replace(reply, answer=answer))
        return Answered(flight.work, reply)

    def _look(self) -> None:
        """Lists the workers: new ones open the session, and the work of those that are gone is lost."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        self._require_scheduler()
        try:
            alive = frozenset(self._client.nthreads())
        except (OSError, TimeoutError) as error:
            raise self._unreachable() from error
        joined, gone = alive - self._alive, self._alive - alive
        self._alive = alive
        for address in gone:
            self._refused.pop(address, None)
            if opening := self._opening.pop(address, None):
                opening.cancel()
            if flight := self._flights.pop(address, None):
                flight.future.cancel()
                self._stranded.append(Lost(flight.work, "its worker is gone"))
        self._open(joined - self._opened.keys() - self._opening.keys())
        self._judge()
        self._require_machine()

    def _require_scheduler(self) -> None:
        """Raises ClusterError if the scheduler doesn't come back."""
        deadline = time.monotonic() + RESULT_SECONDS
        while self._client.status == "connecting" and time.monotonic() < deadline:
            time.sleep(0.1)
        if self._client.status != "running":
            raise self._unreachable()

    def _unreachable(self) -> ClusterError:
        return ClusterError(
            f"the Dask scheduler of {self._place} can't be reached any more: start it again, and resume the run "
            "(`--resume FILE`)"
        )

    def _open(self, joined: Collection[str]) -> None:
        if not joined:
            return
        workers = self._client.scheduler_info()["workers"]
        for address in sorted(joined):
            if workers.get(address, {}).get("resources", {}).get(MEASURING, 0) < 1:
                advice = f"start it by `autoperf worker`, or with `--resources {MEASURING}=1`"
                self._refuse(address, address, f"it has no resource `{MEASURING}`: {advice}")
            else:
                self._opening[address] = self._task(self._greeting, address)

    def _joined(self, address: str, future: Future[Any]) -> None:
        """Takes the answer of a worker that has opened the session. Raises ClusterError if none can measure."""
        reply = _reply(future)
        if reply is None:
            self._refuse(address, address, _problem(future)[0])
        elif isinstance(reply.answer, messages.SessionOpened):
            self._opened[address] = reply.answer
            self._agreement.add(address, reply.answer)
            for text in reply.answer.notices:
                self._sink.handle(Notice(f"{reply.host}: {text}"))
        else:
            self._refuse(address, reply.host, getattr(reply.answer, "reason", "it gave another answer"))
        self._judge()
        self._require_machine()

    def _judge(self) -> None:
        for address, words in self._agreement.judge(all_known=not self._opening):
            host = self._opened[address].machines[0].environment.machine
            self._sink.handle(Notice(f"{host} ({address}) is {words}: its figures are kept apart"))

    def _refuse(self, address: str, host: str, reason: str) -> None:
        self._opened.pop(address, None)
        self._refused[address] = reason
        name = address if host in address else f"{host} ({address})"
        self._sink.handle(Notice(f"{name} doesn't measure: {reason}"))

    def _require_machine(self) -> None:
        """Raises ClusterError if all workers have refused; tells once that there are none."""
        if self.machines or self._opening:
            self._waits = False
            return
        if self._alive and self._alive <= self._refused.keys():
            reasons = "; ".join(dict.fromkeys(self._refused[address] for address in sorted(self._alive)))
            raise ClusterError(f"no machine of {self._place} can measure: {reasons}")
        if not self._waits:
            self._waits = True
            self._sink.handle(Notice(f"{self._place} has no machine that can measure: waiting for one (Ctrl-C ends)"))


def allowed_failures() -> int:
    """How many workers some work may end before it is given up: Dask's limit."""
    return int(dask.config.get("distributed.scheduler.allowed-failures"))


def _reply(future: Future[Any]) -> messages.Reply[messages.Answer] | None:
    """The reply that has come; None if none has, or if its worker was lost before it could be fetched."""
    for seconds in FETCH_SECONDS:
        if future.status != "finished":
            return None
        try:
            return msgspec.msgpack.decode(future.result(timeout=seconds), type=messages.Reply[messages.Answer])
        except TimeoutError:
            continue
        except (OSError, CancelledError):
            return None
    return None


def _problem(future: Future[Any]) -> tuple[str, int]:
    """Why there is no reply, and how many workers were lost over it."""
    error = future.exception(timeout=RESULT_SECONDS) if future.status == "error" else None
    if isinstance(error, KilledWorker):
        ended = error.allowed_failures + 1
        return f"it ended {count(ended, 'worker')}", ended
    return f"{type(error).__name__}: {error}" if error else "its worker or the connection to it was lost", 1
