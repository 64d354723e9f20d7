"""Round robin within a time budget: one case of each operator in turn; cases that do not fit are skipped."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from autoperf.core.outcome import Status
from autoperf.executor.batches import Job, outcome
from autoperf.pipeline.batches import Batch, OperatorBatches
from autoperf.pipeline.spool import Spool
from autoperf.pipeline.time_budget import TimeBudget, spell

Clock = Callable[[], float]
T = TypeVar("T")


class _QueuedCase(msgspec.Struct, frozen=True):
    """One case of an operator: its jobs by the number of the side."""

    operator: str
    jobs: dict[int, Job]


def shuffled(items: Iterable[T], seed: int, name: str = "") -> list[T]:
    """The items in an order that depends on the seed and the name."""
    shuffled_items = list(items)
    random.Random(f"{seed}/{name}").shuffle(shuffled_items)  # noqa: S311 - an order of measurements, not a secret
    return shuffled_items


def round_robin(
    queue: Iterable[OperatorBatches], budget: TimeBudget, seed: int, scratch: Path, *, clock: Clock = time.monotonic
) -> Iterator[OperatorBatches]:
    """The queue's cases one at a time, each with its time limit; once the budget is exhausted, each as skipped.

    The first round has one case of each operator in the order of the queue, the next round the second case of each, and
    so on. The seed decides the order of an operator's cases, so that no profile is always first. Cases of later rounds
    are stored in files, so that memory does not grow with their number.
    """
    rounds: list[Spool[_QueuedCase]] = []
    begin = clock()
    for batches in queue:
        entries = _entries(batches, seed)
        budget.add_operator(len(entries), clock() - begin)
        without_jobs = tuple(Batch(batch.operator, (), batch.skipped) for batch in batches)
        if any(batch.skipped for batch in without_jobs):
            yield without_jobs
        rounds += [_round(scratch, number) for number in range(len(rounds) + 1, len(entries))]
        for spool, entry in zip(rounds, entries[1:], strict=False):
            spool.put(entry)
        for entry in entries[:1]:
            yield from _run(entry, len(batches), budget)
        sides = len(batches)
        begin = clock()
    budget.end_of_operators()
    for entry in itertools.chain.from_iterable(rounds):
        yield from _run(entry, sides, budget)


def _round(folder: Path, number: int) -> Spool[_QueuedCase]:
    return Spool(folder / f"round-{number}.ndjson", _QueuedCase)


def _run(entry: _QueuedCase, sides: int, budget: TimeBudget) -> Iterator[OperatorBatches]:
    """The case, or its skipped outcomes; the consumer adds measured cases to the budget."""
    if budget.exhausted():
        reason = f"time budget of {spell(budget.seconds)} ended before it"
        skipped = {side: (outcome(job.case, Status.SKIPPED, 0.0, reason=reason),) for side, job in entry.jobs.items()}
        yield tuple(Batch(entry.operator, (), skipped.get(side, ())) for side in range(sides))
        return
    limit = budget.share() / len(entry.jobs)
    jobs = {side: (msgspec.structs.replace(job, seconds=limit),) for side, job in entry.jobs.items()}
    yield tuple(Batch(entry.operator, jobs.get(side, ())) for side in range(sides))


def _entries(batches: OperatorBatches, seed: int) -> Sequence[_QueuedCase]:
    """The cases of an operator, each with the sides that run it."""
    by_case: dict[str, dict[int, Job]] = {}
    for side, batch in enumerate(batches):
        for job in batch.jobs:
            by_case.setdefault(job.case.id, {})[side] = job
    operator = batches[0].operator
    return [_QueuedCase(operator, jobs) for jobs in shuffled(by_case.values(), seed, operator)]
