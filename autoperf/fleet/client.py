"""The runner of a fleet: it sends batches to the machines of a Dask cluster, and yields their answers as they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import starmap
from pathlib import Path

import msgspec

from autoperf.backends.user_code import extensions
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.events import FleetMeasured, Notice, Sink
from autoperf.core.paths import cache_folder
from autoperf.fleet.agreement import agreement_batch
from autoperf.fleet.clusters import opened_cluster
from autoperf.fleet.fleet import Answered, DaskFleet, Fleet, Lost, Result, allowed_failures
from autoperf.fleet.messages import (
    Answer,
    BatchDone,
    CallsMessage,
    CallsTried,
    Greeting,
    Reply,
    Session,
)
from autoperf.fleet.order import Backlog, Piece, earlier_seconds, operator_seconds
from autoperf.fleet.shipping import layer_files, shipped, wanted_side
from autoperf.measurement.batches import BatchAnswer, BatchRunner, Job, NextBatch
from autoperf.measurement.local_runner import OpenRunner
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.run_session import RunSession
from autoperf.measurement.sides import Side
from autoperf.runs.environment import Machine

WAIT_SECONDS = 0.5
AHEAD = 4000
"""At most as many pieces wait for a machine; further batches are made later, so that memory stays flat."""


class ClusterRunner:
    """Runs batches on all machines of a fleet, the longest first; `ahead` is how many batches are made beforehand."""

    def __init__(
        self,
        fleet: Fleet[Piece | None],
        machines: tuple[Machine, ...],
        sink: Sink,
        earlier: Mapping[str, float],
        *,
        ahead: int = AHEAD,
        limit: int = 3,
    ) -> None:
        """A piece that has lost more than `limit` workers is divided, and a single case given up.

        `earlier` has the seconds of cases in an earlier run, by their ids.
        """
        self.machines = machines
        self._fleet, self._sink = fleet, sink
        self._ahead, self._limit = ahead, limit
        self._backlog = Backlog(earlier)
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
        request = CallsMessage(tuple(map(tuple, jobs)))
        while isinstance(result := self._tried(request), Lost) and not result.losses:
            pass
        answer = result.reply.answer if isinstance(result, Answered) else None
        if isinstance(answer, CallsTried) and answer.refused:
            raise EngineError(answer.refused)

    def _tried(self, request: CallsMessage) -> Result[Piece | None]:
        """The result of a machine, once there is one."""
        while not self._fleet.idle:
            self._fleet.wait(WAIT_SECONDS)
        self._fleet.submit(self._fleet.idle[0], request, None)
        while (result := self._fleet.wait(WAIT_SECONDS)) is None:
            pass
        return result

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
            if is_last and not self._fleet.in_flight and not self._backlog:
                return
            for answer in self._answers(self._fleet.wait(0.0 if may_ask else WAIT_SECONDS)):
                yield answer
                # A batch that depended on it may be there now.
                is_last = False

    @property
    def _wants_more(self) -> bool:
        """Whether a further batch is wanted now: `ahead` wait, or a machine is idle."""
        waiting = self._backlog.waiting
        return waiting < self._ahead or (not waiting and bool(self._fleet.idle))

    def _send(self, *, last: bool) -> None:
        """Gives each idle machine a piece."""
        machines = self._fleet.machines
        self._backlog.release(machines)
        for address in self._fleet.idle:
            # A full backlog is a sample of what follows: a piece that is longer than it keeps all busy is divided.
            is_sample = self._backlog.waiting >= self._ahead
            piece = self._backlog.take(address, len(machines), last=last or is_sample)
            if piece is not None:
                self._fleet.submit(address, piece.request, piece)

    def _answers(self, result: Result[Piece | None] | None) -> Iterator[BatchAnswer]:
        match result:
            case Answered(work=Piece() as piece, reply=Reply(answer=BatchDone(answers=answers)) as reply):
                yield from self._done(piece, reply, answers)
            case Answered(work=Piece() as piece, reply=reply):
                yield from self._lost(piece, f"{reply.host} gave another answer", 1)
            case Lost(work=Piece() as piece, reason=reason, losses=losses):
                yield from self._lost(piece, reason, losses)

    def _done(self, piece: Piece, reply: Reply[Answer], answers: Sequence[BatchAnswer]) -> Iterator[BatchAnswer]:
        if piece.batch.until is not None:
            self._backlog.begun(piece, reply.address)
        name = f"{reply.host}:{reply.address.rpartition(':')[2]}"
        for answer in answers:
            self._finished[name] += len(answer.cases)
            self._sink.handle(FleetMeasured(len(self._fleet.machines), dict(self._finished)))
            yield piece.answer(answer)

    def _lost(self, piece: Piece, reason: str, losses: int) -> Iterator[BatchAnswer]:
        """Measures a piece again, case by case once its limit is reached; then a single case has crashed."""
        again = piece.lost(losses)
        if again.losses <= self._limit:
            if losses:
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
    runner = cluster_runner(place, earlier)
    return replace(session, open_runner=runner, is_local=False, seconds=operator_seconds(earlier))


def cluster_runner(place: str, earlier: Mapping[str, float]) -> OpenRunner:
    """Opens a runner on a cluster. It raises ClusterError if that can't be used."""

    @contextmanager
    def opened(
        request: RunRequest, sides: Sequence[Side], _scratch: Path, sink: Sink, stop: ComparisonOptions | None
    ) -> Iterator[BatchRunner]:
        if request.settings.keep_dumps:
            raise UsageError("--keep-dumps keeps the files of this machine: leave it out, or --cluster")
        # Counts don't depend on a machine's speed.
        greeting = Greeting(agreement_batch(len(sides)) if request.settings.takes_times else None)
        session = _session(request, sides, stop)
        with (
            opened_cluster(place) as client,
            closing(DaskFleet[Piece | None](client, place, session, greeting, sink)) as fleet,
        ):
            # A time budget is shared at the moment when a case begins.
            ahead = 0 if request.settings.time_budget is not None else AHEAD
            machines = fleet.first().machines
            yield ClusterRunner(fleet, machines, sink, earlier, ahead=ahead, limit=allowed_failures())

    return opened


def _session(request: RunRequest, sides: Sequence[Side], stop: ComparisonOptions | None) -> Session:
    settings = [request.settings_of(number, side.release.layers) for number, side in enumerate(sides)]
    return Session(
        sides=tuple(starmap(wanted_side, zip(sides, settings, request.builds, strict=True))),
        dtypes=request.recipe.dtypes,
        int64_tensor=request.recipe.int64_tensor,
        stop=msgspec.structs.replace(stop, metrics=()) if stop else None,
        stop_metrics=tuple(metric.name for metric in stop.metrics) if stop else (),
        files=shipped([*extensions(), *layer_files(settings)]),
        extensions=tuple(map(str, extensions())),
    )
