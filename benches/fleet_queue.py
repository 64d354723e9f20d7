"""Dask's own queue, or one batch in flight for each machine: how long does a run take, and what is given up?

    python benches/fleet_queue.py [--machines 16] [--batches 320] [--losses 0,1,2,4] [--seconds 20]

Batches of one to eight cases, whose seconds are log-normal, are done by workers of Dask that sleep, all of them about
`--seconds`. Each worker is lost so often in this time, and another one joins. Three ways to give them the batches are
compared:

- resource: Dask gets all at once with the resource `measuring`, the longest first by its priorities
- saturation: likewise without a resource, which Dask's scheduler keeps in its queue with `worker-saturation: 1.0`
- runner: that of `--cluster`, which has one batch in flight for each worker

Printed are the makespan by its lower bound (the sum over the machines), and what is given up (by Dask: batches,
`KilledWorker`; by the runner: cases), though no batch ends a worker.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from unittest.mock import patch

import dask
import msgspec
from distributed import Client, Scheduler, SpecCluster, Worker, get_worker, wait

from autoperf.core.case import Case
from autoperf.core.events import NullSink
from autoperf.core.outcome import Status
from autoperf.fleet import fleet
from autoperf.fleet.client import ClusterRunner, Piece
from autoperf.fleet.clusters import LOOPBACK, SILENT, WORKER_CONFIGURATION
from autoperf.fleet.fleet import MEASURING
from autoperf.fleet.messages import BatchDone, Greeting, Reply, Session, SessionOpened
from autoperf.measurement.batches import BatchAnswer, BatchRequest, CaseAnswer, Job, outcome

WAYS = ("resource", "saturation", "runner")


class Sleepers:
    """Workers of Dask in this process, with the resource and the configuration of `--cluster local`."""

    def __init__(self, machines: int, stack: ExitStack) -> None:
        # Only tasks without resources are kept in the scheduler's queue.
        stack.enter_context(dask.config.set(WORKER_CONFIGURATION | {"distributed.scheduler.worker-saturation": 1.0}))
        scheduler = {"cls": Scheduler, "options": {**LOOPBACK, "dashboard_address": "127.0.0.1:0"}}
        self._cluster = stack.enter_context(SpecCluster(workers={}, scheduler=scheduler, silence_logs=SILENT))
        self.client = stack.enter_context(Client(self._cluster))
        self._workers = [self._cluster.sync(self._join) for _ in range(machines)]
        stack.callback(self._cluster.sync, self._close)

    async def _join(self) -> Worker:
        place = self._cluster.scheduler_address
        worker: Worker = await Worker(place, host="127.0.0.1", dashboard=False, nthreads=1, resources={MEASURING: 1})
        return worker

    async def _lose(self, worker: Worker) -> None:
        assert worker.batched_stream.comm
        worker.batched_stream.comm.abort()

    async def _close(self) -> None:
        await asyncio.gather(*(worker.close(timeout=1, executor_wait=False) for worker in self._workers))

    def lose_each(self, times: int, seconds: float) -> None:
        """Ends the workers one after the other so often within about these seconds; another one joins for each."""
        draw, losses = random.Random(0), times * len(self._workers)
        for loss in range(losses):
            time.sleep(draw.uniform(0.5, 1.5) * seconds / losses)
            place = loss % len(self._workers)
            self._cluster.sync(self._lose, self._workers[place])
            self._workers[place] = self._cluster.sync(self._join)


def slept(_version: str, _source: str, _token: str, _session: bytes, request: bytes) -> bytes:
    """The reply to a request, in the place of `measure`: its cases have slept."""
    asked = msgspec.msgpack.decode(request, type=Greeting | BatchRequest)
    answer: SessionOpened | BatchDone = SessionOpened(())
    if isinstance(asked, BatchRequest):
        time.sleep(seconds_of(asked))
        done = [outcome(job.case, Status.MEASURED, 0.0) for job in asked.jobs[0]]
        cases = tuple(CaseAnswer(0, position, each) for position, each in enumerate(done))
        answer = BatchDone((BatchAnswer(asked.number, (), cases, 0.0),))
    return msgspec.msgpack.encode(Reply(get_worker().address, "node", answer))


def seconds_of(batch: BatchRequest) -> float:
    return sum(job.seconds or 0.0 for job in batch.jobs[0])


def drawn(count: int, seconds: float) -> list[BatchRequest]:
    """Batches that take so many seconds together."""
    draw = random.Random(0)
    sizes = [[draw.lognormvariate(0.0, 1.0) for _ in range(draw.randint(1, 8))] for _ in range(count)]
    pace = seconds / sum(map(sum, sizes))
    return [
        BatchRequest(number, str(number), (tuple(_job(f"{number} {n}", pace * each) for n, each in enumerate(cases)),))
        for number, cases in enumerate(sizes)
    ]


def _job(name: str, seconds: float) -> Job:
    return Job(Case(operator="sleep", category="unary", profile="drawn", inputs=(), params={"name": name}), seconds)


def dasks_queue(client: Client, seconds: Sequence[float], resources: Mapping[str, int] | None) -> int:
    """Has Dask do all at once, and returns how many it gives up."""
    futures = [client.submit(time.sleep, each, priority=each, resources=resources, pure=False) for each in seconds]
    wait(futures)
    return sum(future.status == "error" for future in futures)


def one_in_flight(client: Client, batches: Sequence[BatchRequest]) -> int:
    """Has the runner do all, and returns how many cases it gives up."""
    left = iter(batches)
    with patch.object(fleet, "measure", slept):
        place = fleet.DaskFleet[Piece | None](client, "here", Session(sides=()), Greeting(), NullSink())
        with closing(place):
            answers = ClusterRunner(place, (), NullSink(), {}).run(lambda: next(left, None))
            return sum(case.outcome.status is Status.CRASHED for answer in answers for case in answer.cases)


def measured(way: str, machines: int, batches: Sequence[BatchRequest], times: int, seconds: float) -> str:
    """The cells of a way's makespan by its bound, and of what is given up."""
    with ExitStack() as stack:
        sleepers = Sleepers(machines, stack)
        losing = threading.Thread(target=sleepers.lose_each, args=(times, seconds))
        losing.start()
        begin = time.monotonic()
        if way == "runner":
            given_up = one_in_flight(sleepers.client, batches)
        else:
            resources = {MEASURING: 1} if way == "resource" else None
            given_up = dasks_queue(sleepers.client, list(map(seconds_of, batches)), resources)
        makespan = time.monotonic() - begin
        losing.join()
    return f"{makespan / seconds:.2f} | {given_up}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--machines", type=int, default=16)
    parser.add_argument("--batches", type=int, default=320)
    parser.add_argument("--losses", default="0,1,2,4")
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    batches = drawn(options.batches, options.seconds * options.machines)
    print(f"| losses of each worker |{''.join(f' {way}: makespan | given up |' for way in WAYS)}")
    print(f"|---:|{'---:|---:|' * len(WAYS)}")
    for times in map(int, options.losses.split(",")):
        found = [measured(way, options.machines, batches, times, options.seconds) for way in WAYS]
        print(f"| {times} | {' | '.join(found)} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
