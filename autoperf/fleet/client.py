"""The runner of a fleet: it sends batches to the machines of a Dask cluster, and yields their answers as they come."""

from __future__ import annotations

import itertools
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec

from autoperf.backends.lookup import MXNET
from autoperf.backends.user_code import extensions
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.events import FleetMeasured, Notice, Sink
from autoperf.core.paths import cache_folder
from autoperf.fleet.agreement import AgreeingFleet
from autoperf.fleet.clusters import opened_cluster
from autoperf.fleet.fleet import Answered, DaskFleet, Fleet, Lost, allowed_failures
from autoperf.fleet.messages import (
    BatchDone,
    BatchMessage,
    CallsMessage,
    CallsTried,
    CutOff,
    MachineRefused,
    Reply,
    Session,
    WantedSide,
    stop_rule,
)
from autoperf.fleet.order import Backlog, Estimates, Piece, earlier_seconds, operator_seconds
from autoperf.fleet.shipping import layer_files, shipped, wanted_build
from autoperf.measurement.batches import BatchAnswer, BatchRunner, Job, NextBatch
from autoperf.measurement.local_runner import OpenRunner
from autoperf.measurement.run_request import BuildHints, RunRequest
from autoperf.measurement.run_session import RunSession
from autoperf.measurement.settings import Settings
from autoperf.measurement.sides import Side
from autoperf.runs.environment import Machine

WAIT_SECONDS = 0.5
AHEAD = 4000
"""At most as many pieces wait for a machine; further batches are made later, so that memory stays flat."""


class ClusterRunner:
    """Runs batches on all machines of a fleet, the longest first; `ahead` is how many batches are made beforehand."""

    def __init__(
        self,
        fleet: Fleet,
        machines: tuple[Machine, ...],
        sink: Sink,
        estimates: Estimates,
        *,
        ahead: int = AHEAD,
        limit: int = 3,
    ) -> None:
        """A piece that has lost more than `limit` workers is divided, and a single case given up."""
        self.machines = machines
        self._fleet, self._sink = fleet, sink
        self._ahead, self._limit = ahead, limit
        self._backlog = Backlog(estimates.seconds)
        self._placed: dict[int, str] = {}
        self._in_flight: dict[int, Piece] = {}
        self._numbers = itertools.count(1)
        self._finished: Counter[str] = Counter()

    @property
    def parallel(self) -> int:
        """The number of machines that measure at the same time."""
        return max(1, len(self._fleet.machines))

    def check_calls(self, jobs: Sequence[Sequence[Job]]) -> None:
        """Tries the calls of each side before any is timed. Raises EngineError for one that the framework refuses.

        A call that ends its worker is no refusal: measured again, it becomes an outcome.
        """
        if not any(jobs):
            return
        request = msgspec.msgpack.encode(CallsMessage(tuple(map(tuple, jobs))))
        while (reply := self._reply(request)) and isinstance(reply.answer, MachineRefused):
            self._fleet.refuse(reply)
        if reply and isinstance(reply.answer, CallsTried) and reply.answer.refused:
            raise EngineError(reply.answer.refused)

    def _reply(self, request: bytes) -> Reply | None:
        """The reply of a machine; None if it is lost."""
        while not self._fleet.machines:
            self._fleet.wait(WAIT_SECONDS)
        self._fleet.submit(next(self._numbers), request, next(iter(self._fleet.machines)))
        while True:
            match self._fleet.wait(WAIT_SECONDS):
                case Answered(reply=reply):
                    return reply
                case Lost():
                    return None

    def run(self, next_batch: NextBatch) -> Iterator[BatchAnswer]:
        """The answers as they come; batches are made while machines measure."""
        is_last = False
        while True:
            may_ask = not is_last and self._wants_more
            if may_ask:
                batch = next_batch()
                is_last = batch is None
                if batch is not None:
                    self._backlog.add_batch(batch)
            self._send(last=is_last)
            if is_last and not self._in_flight and not self._backlog:
                return
            for answer in self._answers(self._fleet.wait(0.0 if may_ask else WAIT_SECONDS)):
                yield answer
                # A batch that depended on it may be there now.
                is_last = False

    @property
    def _wants_more(self) -> bool:
        """Whether a further batch is wanted now: `ahead` wait, or a machine is idle."""
        return len(self._backlog) < self._ahead or (not self._backlog and bool(self._idle))

    @property
    def _idle(self) -> list[str]:
        """The machines without a piece."""
        busy = set(self._placed.values())
        return [address for address in self._fleet.machines if address not in busy]

    def _send(self, *, last: bool) -> None:
        """Gives each idle machine a piece."""
        for settled in self._backlog.settled():
            if settled.home is not None and settled.home in self._fleet.machines:
                self._submit(settled, settled.home)
            else:
                self._backlog.add(settled.afresh())
        for address in self._idle:
            piece = self._take(last=last)
            if piece is None:
                return
            self._submit(piece, address)

    def _take(self, *, last: bool) -> Piece | None:
        # A full backlog is a sample of what follows: a piece that is longer than it keeps all machines busy is divided.
        return self._backlog.take(len(self._fleet.machines), last=last or len(self._backlog) >= self._ahead)

    def _submit(self, piece: Piece, address: str) -> None:
        number = next(self._numbers)
        self._fleet.submit(number, msgspec.msgpack.encode(BatchMessage(piece.request)), address)
        self._in_flight[number], self._placed[number] = piece, address

    def _answers(self, result: Answered | Lost | None) -> Iterator[BatchAnswer]:
        if result is None or result.number not in self._in_flight:
            return
        piece = self._in_flight.pop(result.number)
        self._placed.pop(result.number, None)
        match result:
            case Answered(reply=Reply(answer=BatchDone(answers=answers)) as reply):
                yield from self._done(piece, reply, answers)
            case Answered(reply=Reply(answer=MachineRefused()) as reply):
                self._backlog.add(piece.afresh())
                self._fleet.refuse(reply)
            case Answered(reply=Reply(answer=CutOff(reason=reason)) as reply):
                yield from self._lost(piece, f"the measuring process on {reply.host} ended: {reason}")
            case Answered(reply=reply):
                yield from self._lost(piece, f"{reply.host} gave another answer")
            case Lost(reason=reason, final=final):
                yield from self._lost(piece, reason, final=final)

    def _done(self, piece: Piece, reply: Reply, answers: Sequence[BatchAnswer]) -> Iterator[BatchAnswer]:
        if piece.batch.until is not None:
            self._backlog.begun(piece, reply.address)
        name = f"{reply.host}:{reply.address.rpartition(':')[2]}"
        for answer in answers:
            self._finished[name] += len(answer.cases)
            self._sink.handle(FleetMeasured(len(self._fleet.machines), dict(self._finished)))
            yield piece.answer(answer)

    def _lost(self, piece: Piece, reason: str, *, final: bool = False) -> Iterator[BatchAnswer]:
        """Measures a piece again, case by case once its limit is reached; then a single case has crashed."""
        losses = piece.losses + 1
        again = replace(piece.afresh(), losses=losses)
        if not final and losses <= self._limit:
            self._sink.handle(Notice(f"{piece.batch.operator} is measured again: {reason}"))
            self._backlog.add(again)
        elif len(piece.cases) > 1:
            self._sink.handle(Notice(f"{piece.batch.operator} is measured again, case by case: {reason}"))
            for single in again.singles():
                self._backlog.add(single)
        else:
            yield again.given_up(f"given up after {self._limit + 1} workers: {reason}")


def on_cluster(session: RunSession, place: str) -> RunSession:
    """The session with the machines of the cluster that `--cluster` names; the newest run file tells what is long."""
    earlier = earlier_seconds(cache_folder() / "runs")
    runner = cluster_runner(place, Estimates(earlier))
    return replace(session, open_runner=runner, is_local=False, seconds=operator_seconds(earlier))


def cluster_runner(place: str, estimates: Estimates) -> OpenRunner:
    """Opens a runner on a cluster. It raises ClusterError if that can't be used."""

    @contextmanager
    def opened(
        request: RunRequest, sides: Sequence[Side], _scratch: Path, sink: Sink, stop: ComparisonOptions | None
    ) -> Iterator[BatchRunner]:
        if request.settings.keep_dumps:
            raise UsageError("--keep-dumps keeps the files of this machine: leave it out, or --cluster")
        session = _session(request, sides, stop)
        with opened_cluster(place) as client, closing(DaskFleet(client, place, session, sink)) as fleet:
            first = fleet.first()
            # A time budget is shared at the moment when a case begins.
            ahead = 0 if request.settings.time_budget is not None else AHEAD
            yield ClusterRunner(
                # Counts don't depend on a machine's speed.
                AgreeingFleet(fleet, len(sides), sink) if request.settings.takes_times else fleet,
                first.machines,
                sink,
                estimates,
                ahead=ahead,
                limit=allowed_failures(),
            )

    return opened


def _session(request: RunRequest, sides: Sequence[Side], stop: ComparisonOptions | None) -> Session:
    settings = [request.settings_of(number, side.release.layers) for number, side in enumerate(sides)]
    wanted = [_wanted_side(side, own, hints) for side, own, hints in zip(sides, settings, request.builds, strict=True)]
    return Session(
        token=uuid.uuid4().hex,
        sides=tuple(wanted),
        dtypes=request.recipe.dtypes,
        int64_tensor=request.recipe.int64_tensor,
        stop=stop_rule(stop),
        extensions=shipped(extensions()),
        layers=shipped(layer_files(settings)),
    )


def _wanted_side(side: Side, settings: Settings, hints: BuildHints) -> WantedSide:
    release = side.release
    build = wanted_build(hints.framework, hints.build, release.version, release.library)
    followed = None
    if release.followed:
        followed = wanted_build(MXNET, hints.followed, release.registry.mxnet, release.followed)
    return WantedSide(side.label, settings, build, followed)
