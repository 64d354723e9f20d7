"""Dask's own queue, or one batch in flight for each machine: how long does a run take, and what is given up?

    python benches/fleet_queue.py RUN.NDJSON [--machines 16] [--losses 0,1,2,4] [--seconds 20]

The batches of a recorded run are done by workers of Dask that sleep so long that all take about `--seconds`. Each is
lost so often in this time, and another one joins. Three ways to give them the batches are compared:

- resource: Dask gets all at once with the resource `measuring`, the longest first by its priorities
- saturation: likewise without a resource, which Dask's scheduler keeps in its queue with `worker-saturation: 1.0`
- runner: that of `--cluster`, which has one batch in flight for each worker

Printed are the makespan by its lower bound (the sum over the machines, or the longest batch), and what is given up (by
Dask: batches, `KilledWorker`; by the runner: cases), though no batch ends a worker.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import dask
from distributed import Client, Future, Scheduler, SpecCluster, Worker, wait

from autoperf.core.case import Case
from autoperf.core.events import NullSink
from autoperf.core.outcome import Outcome, Status
from autoperf.fleet.client import ClusterRunner
from autoperf.fleet.clusters import LOOPBACK, SILENT, WORKER_CONFIGURATION
from autoperf.fleet.fleet import MEASURING, Answered, Lost, Result
from autoperf.fleet.messages import BatchDone, Reply, Request, SessionOpened
from autoperf.fleet.order import Piece
from autoperf.measurement.batches import BatchAnswer, BatchRequest, CaseAnswer, Job
from autoperf.runs.environment import Machine
from autoperf.runs.run_reader import RunReader

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


class SleepingFleet:
    """Workers of Dask that sleep for the recorded seconds, each with one batch in flight."""

    def __init__(self, client: Client, record: Machine, recorded: dict[str, Outcome], pace: float) -> None:
        self._client, self._record, self._recorded, self._pace = client, record, recorded, pace
        self._flights: dict[str, tuple[Future[None], BatchRequest, Piece | None]] = {}

    @property
    def machines(self) -> dict[str, SessionOpened]:
        return dict.fromkeys(self._client.nthreads(), SessionOpened((self._record,)))

    @property
    def idle(self) -> list[str]:
        return [address for address in self.machines if address not in self._flights]

    @property
    def in_flight(self) -> list[Piece | None]:
        return [work for *_, work in self._flights.values()]

    def submit(self, address: str, request: Request, work: Piece | None) -> None:
        assert isinstance(request, BatchRequest)
        seconds = self._pace * sum(self._recorded[job.case.profile].seconds for job in request.jobs[0])
        future = self._client.submit(time.sleep, seconds, workers=[address], resources={MEASURING: 1}, pure=False)
        self._flights[address] = future, request, work

    def wait(self, seconds: float) -> Result[Piece | None] | None:
        machines = self._client.nthreads()
        for address, (future, batch, work) in list(self._flights.items()):
            if future.status == "finished":
                del self._flights[address]
                return Answered(work, Reply(address, "node", BatchDone(tuple(self._answers(batch)))))
            if address not in machines:
                del self._flights[address]
                return Lost(work, "its worker is gone")
        time.sleep(0.02 if seconds else 0.0)
        return None

    def _answers(self, batch: BatchRequest) -> Iterator[BatchAnswer]:
        for position, job in enumerate(batch.jobs[0]):
            done = self._recorded[job.case.profile]
            yield BatchAnswer(batch.number, (self._record,), (CaseAnswer(0, position, done),), done.seconds)


def dasks_queue(client: Client, seconds: Sequence[float], resources: Mapping[str, int] | None) -> int:
    """Has Dask do all at once, and returns how many it gives up."""
    futures = [client.submit(time.sleep, each, priority=each, resources=resources, pure=False) for each in seconds]
    wait(futures)
    return sum(future.status == "error" for future in futures)


def one_in_flight(fleet: SleepingFleet, batches: Sequence[BatchRequest], seconds: Mapping[str, float]) -> int:
    """Has the runner do all, and returns how many cases it gives up."""
    runner, left = ClusterRunner(fleet, (), NullSink(), seconds), iter(batches)
    answers = runner.run(lambda: next(left, None))
    return sum(case.outcome.status is Status.CRASHED for answer in answers for case in answer.cases)


def _case(outcome: Outcome, key: str) -> Case:
    """A case of the outcome's operator, whose profile is the key of the outcome."""
    params = {**outcome.params, "key": key}
    return Case(operator=outcome.operator, category=outcome.category, profile=key, inputs=outcome.inputs, params=params)


def queue(path: Path, machines: int, losses: Sequence[int], seconds: float) -> None:
    with RunReader(path) as run:
        recorded = {str(number): each for number, each in enumerate(run) if each.status is not Status.SKIPPED}
        record = run.machines[0]
    operators: dict[str, list[Job]] = defaultdict(list)
    for key, outcome in recorded.items():
        operators[outcome.operator].append(Job(_case(outcome, key)))
    batches = [BatchRequest(n, name, (tuple(jobs),)) for n, (name, jobs) in enumerate(operators.items())]
    known = {job.case.id: recorded[job.case.profile].seconds for each in batches for job in each.jobs[0]}
    sums = [sum(known[job.case.id] for job in each.jobs[0]) for each in batches]
    pace = seconds * machines / sum(sums)
    bound = max(seconds, pace * max(sums))
    print(f"| losses of each worker |{''.join(f' {way}: makespan | given up |' for way in WAYS)}")
    print(f"|---:|{'---:|---:|' * len(WAYS)}")
    for times in losses:
        words = [str(times)]
        for way in WAYS:
            with ExitStack() as stack:
                sleepers = Sleepers(machines, stack)
                threading.Thread(target=sleepers.lose_each, args=(times, seconds), daemon=True).start()
                begin = time.monotonic()
                if way == "runner":
                    fleet = SleepingFleet(sleepers.client, record, recorded, pace)
                    given_up = one_in_flight(fleet, batches, known)
                else:
                    resources = {MEASURING: 1} if way == "resource" else None
                    given_up = dasks_queue(sleepers.client, [pace * each for each in sums], resources)
                words += [f"{(time.monotonic() - begin) / bound:.2f}", str(given_up)]
        print(f"| {' | '.join(words)} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--machines", type=int, default=16)
    parser.add_argument("--losses", default="0,1,2,4")
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    queue(options.run, options.machines, [int(count) for count in options.losses.split(",")], options.seconds)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
