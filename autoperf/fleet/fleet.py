"""The workers of a Dask cluster as a fleet: which of them can measure, and the pieces that they measure."""

from __future__ import annotations

import queue
import time
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import dask
import msgspec
from distributed import Client, Future, KilledWorker

from autoperf import __version__
from autoperf.core.errors import ClusterError
from autoperf.core.events import Notice, Sink
from autoperf.fleet.machine import close, measure
from autoperf.fleet.messages import Reply, Session, SessionOpened
from autoperf.fleet.shipping import source_digest

MEASURING = "measuring"
"""The resource of a Dask worker that measures: it has 1, and a batch takes it."""
LOOK_SECONDS = 1.0
"""How often the workers are listed."""
CLOSE_SECONDS = 3.0
RESULT_SECONDS = 60.0
_OPENING = 0
"""The number of a task that opens a session."""


class Answered(NamedTuple):
    """A piece's number and its reply."""

    number: int
    reply: Reply


class Lost(NamedTuple):
    """A piece whose worker was lost; `final` if Dask has tried as many as it allows."""

    number: int
    reason: str
    final: bool = False


Result: TypeAlias = Answered | Lost


class Fleet(Protocol):
    """Machines that each measure a piece at a time."""

    @property
    def machines(self) -> Mapping[str, SessionOpened]:
        """The machines that can measure now, by the addresses of their workers."""

    @property
    def opening(self) -> int:
        """The number of machines that are about to be able to."""

    def submit(self, number: int, request: bytes, address: str) -> None:
        """Has a machine answer a request."""

    def refuse(self, reply: Reply) -> None:
        """Gives no more pieces to the machine of this reply, which has refused one."""

    def wait(self, seconds: float) -> Result | None:
        """The next result, or None after some seconds. Raises ClusterError if there can't be any."""


@dataclass(frozen=True)
class _Flight:
    """A submitted piece, and the worker that runs it."""

    future: Future[Any]
    address: str


class DaskFleet:
    """The workers of a Dask cluster; each opens the session once, and then can measure."""

    def __init__(self, client: Client, place: str, session: Session, sink: Sink) -> None:
        """`place` names the cluster in messages."""
        self._client, self._place, self._sink = client, place, sink
        self._token = session.token
        self._session = msgspec.msgpack.encode(session)
        self._alive: frozenset[str] = frozenset()
        self._opening: dict[str, Future[Any]] = {}
        self._opened: dict[str, SessionOpened] = {}
        self._refused: dict[str, str] = {}
        self._flights: dict[int, _Flight] = {}
        self._ended: queue.SimpleQueue[tuple[int, str, Future[Any]]] = queue.SimpleQueue()
        self._stranded: list[Lost] = []
        self._looked = 0.0
        self._waits = False

    @property
    def machines(self) -> Mapping[str, SessionOpened]:
        """The machines that can measure now."""
        return {address: opened for address, opened in self._opened.items() if address in self._alive}

    @property
    def opening(self) -> int:
        """The number of workers that are opening the session."""
        return len(self._opening)

    def first(self) -> SessionOpened:
        """The first machine that can measure; waits for it. Raises ClusterError if none of them can."""
        while not self.machines:
            self.wait(LOOK_SECONDS)
        return next(iter(self.machines.values()))

    def submit(self, number: int, request: bytes, address: str) -> None:
        """Has a machine answer a request; no other one, so that a request that ends workers ends one."""
        future = self._task(request, address)
        self._flights[number] = _Flight(future, address)
        future.add_done_callback(lambda done: self._ended.put((number, "", done)))

    def refuse(self, reply: Reply) -> None:
        """Gives no more pieces to a machine."""
        self._refuse(reply.address, reply.host, getattr(reply.answer, "reason", ""))
        self._require_machine()

    def wait(self, seconds: float) -> Result | None:
        """The next result, or None after some seconds. Raises ClusterError if no machine can give one."""
        self._look()
        if self._stranded:
            return self._stranded.pop()
        try:
            number, address, future = self._ended.get(timeout=seconds)
        except queue.Empty:
            return None
        if number == _OPENING:
            self._joined(address, future)
            self._require_machine()
            return None
        flight = self._flights.get(number)
        if flight is None or flight.future is not future:
            return None
        del self._flights[number]
        return self._result(number, future)

    def close(self) -> None:
        """Takes back what isn't answered, and has each machine end its processes."""
        if self._client.status != "running":
            return
        self._client.cancel([*(flight.future for flight in self._flights.values()), *self._opening.values()])
        ends = [
            self._client.submit(close, self._token, workers=[address], pure=False, resources={MEASURING: 1})
            for address in self.machines
        ]
        deadline = time.monotonic() + CLOSE_SECONDS
        while time.monotonic() < deadline and any(future.status == "pending" for future in ends):
            time.sleep(0.05)

    def _task(self, request: bytes, address: str) -> Future[Any]:
        return self._client.submit(
            measure,
            __version__,
            source_digest(),
            self._session,
            request,
            workers=[address],
            allow_other_workers=False,
            resources={MEASURING: 1},
            pure=False,
        )

    def _result(self, number: int, future: Future[Any]) -> Result:
        reply = _reply(future)
        if reply is not None:
            return Answered(number, reply)
        if future.status == "error":
            error = future.exception(timeout=RESULT_SECONDS)
            return Lost(number, _problem(future), final=isinstance(error, KilledWorker))
        self._require_scheduler()
        future.cancel()
        return Lost(number, "its worker or the connection to it was lost")

    def _look(self) -> None:
        """Lists the workers: new ones open the session, and pieces of those that are gone are lost."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        alive = self._listed()
        joined, gone = alive - self._alive, self._alive - alive
        self._alive = alive
        for address in gone:
            self._refused.pop(address, None)
            if address in self._opening:
                self._opening.pop(address).cancel()
        self._open(joined - self._opened.keys() - self._opening.keys())
        if gone:
            self._stranded += self._lost()
        self._require_machine()

    def _listed(self) -> frozenset[str]:
        self._require_scheduler()
        try:
            return frozenset(self._client.nthreads())
        except (OSError, TimeoutError) as error:
            raise self._unreachable() from error

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
                continue
            future = self._task(b"", address)
            self._opening[address] = future
            future.add_done_callback(lambda done, address=address: self._ended.put((_OPENING, address, done)))

    def _joined(self, address: str, future: Future[Any]) -> None:
        """Takes the answer of a worker that has opened the session."""
        if self._opening.get(address) is not future:
            return
        del self._opening[address]
        reply = _reply(future)
        if reply is None:
            self._refuse(address, address, _problem(future))
        elif isinstance(reply.answer, SessionOpened):
            self._opened[address] = reply.answer
            for text in reply.answer.notices:
                self._sink.handle(Notice(f"{reply.host}: {text}"))
        else:
            self._refuse(address, reply.host, getattr(reply.answer, "reason", "it gave another answer"))

    def _refuse(self, address: str, host: str, reason: str) -> None:
        self._opened.pop(address, None)
        self._refused[address] = reason
        name = address if host in address else f"{host} ({address})"
        self._sink.handle(Notice(f"{name} doesn't measure: {reason}"))

    def _lost(self) -> Iterator[Lost]:
        """The pieces whose workers are gone."""
        for number, flight in list(self._flights.items()):
            if flight.address not in self._alive:
                del self._flights[number]
                flight.future.cancel()
                yield Lost(number, "its worker is gone")

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
    """How many workers a piece may end before it is given up: Dask's limit."""
    return int(dask.config.get("distributed.scheduler.allowed-failures"))


def _reply(future: Future[Any]) -> Reply | None:
    """The reply that has come; None if none has, or if its worker was lost before it could be fetched."""
    if future.status != "finished":
        return None
    try:
        return msgspec.msgpack.decode(future.result(timeout=RESULT_SECONDS), type=Reply)
    except (OSError, TimeoutError, CancelledError):
        return None


def _problem(future: Future[Any]) -> str:
    error = future.exception(timeout=RESULT_SECONDS) if future.status == "error" else None
    if isinstance(error, KilledWorker):
        return f"it ended {error.allowed_failures + 1} workers"
    return f"{type(error).__name__}: {error}" if error else "its worker was lost"
