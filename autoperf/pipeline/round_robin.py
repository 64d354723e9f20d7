"""Runs within a time budget: one case of each operator in turn, and what doesn't fit is skipped with that reason."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from autoperf.core.outcome import Status
from autoperf.executor.supervisor import outcome
from autoperf.executor.trial_client import Job
from autoperf.pipeline.batches import Batch, OperatorBatches
from autoperf.pipeline.time_budget import TimeBudget, spell

Clock = Callable[[], float]
T = TypeVar("T")


class _QueuedCase(msgspec.Struct, frozen=True):
    """One case of an operator on every side where it runs: by the side's number."""

    operator: str
    jobs: dict[int, Job]


def shuffled(items: Iterable[T], seed: int, name: str = "") -> list[T]:
    """The items in an order that the seed and the name decide."""
    found = list(items)
    random.Random(f"{seed}/{name}").shuffle(found)  # noqa: S311 - an order of measurements, not a secret
    return found


def round_robin(
    queue: Iterable[OperatorBatches], pace: TimeBudget, seed: int, scratch: Path, *, clock: Clock = time.monotonic
) -> Iterator[OperatorBatches]:
    """The queue's cases one at a time, with the time that each may take; once the time is over, each as skipped.

    In the first round comes one case of each operator, as the queue has them, then the second of each, and so on; an
    operator's cases are in an order drawn by the seed, so that no profile comes first everywhere. Cases wait for their
    round in files, so that memory doesn't grow with their number.
    """
    spool = _Spool(scratch)
    begin = clock()
    for row in queue:
        entries = _entries(row, seed)
        pace.met(len(entries), clock() - begin)
        without = tuple(Batch(batch.operator, (), batch.skipped) for batch in row)
        if any(batch.skipped for batch in without):
            yield without
        for number, entry in enumerate(entries[1:], 1):
            spool.put(number, entry)
        for entry in entries[:1]:
            yield from _run(entry, len(row), pace, clock)
        sides = len(row)
        begin = clock()
    pace.complete()
    for number in itertools.count(1):
        if not spool.has(number):
            return
        for entry in spool.entries(number):
            yield from _run(entry, sides, pace, clock)


def _run(entry: _QueuedCase, sides: int, pace: TimeBudget, clock: Clock) -> Iterator[OperatorBatches]:
    """The case, or its outcomes as skipped; whoever takes it from here has run it when the next one is asked for."""
    if pace.over():
        reason = f"time budget of {spell(pace.budget)} ended before it"
        told = {side: (outcome(job.case, Status.SKIPPED, 0.0, reason=reason),) for side, job in entry.jobs.items()}
        yield tuple(Batch(entry.operator, (), told.get(side, ())) for side in range(sides))
        return
    granted = pace.share() / len(entry.jobs)
    jobs = {side: (msgspec.structs.replace(job, seconds=granted),) for side, job in entry.jobs.items()}
    begin = clock()
    yield tuple(Batch(entry.operator, jobs.get(side, ())) for side in range(sides))
    pace.done(granted * len(entry.jobs), clock() - begin)


def _entries(row: OperatorBatches, seed: int) -> Sequence[_QueuedCase]:
    """The row's cases, each with the sides that run it."""
    found: dict[str, dict[int, Job]] = {}
    for side, batch in enumerate(row):
        for job in batch.jobs:
            found.setdefault(job.case.id, {})[side] = job
    operator = row[0].operator
    return [_QueuedCase(operator, jobs) for jobs in shuffled(found.values(), seed, operator)]


class _Spool:
    """Entries by round, a file for each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._encoder = msgspec.json.Encoder(enc_hook=str)
        self._decoder = msgspec.json.Decoder(_QueuedCase, dec_hook=_path)

    def put(self, number: int, entry: _QueuedCase) -> None:
        """At the end of this round."""
        with self._file(number).open("ab") as file:
            file.write(self._encoder.encode(entry) + b"\n")

    def has(self, number: int) -> bool:
        """Whether this round has an entry."""
        return self._file(number).exists()

    def entries(self, number: int) -> Iterator[_QueuedCase]:
        """A round's entries, in the order in which they were put there."""
        with self._file(number).open("rb") as file:
            for line in file:
                yield self._decoder.decode(line)

    def _file(self, number: int) -> Path:
        return self._folder / f"round-{number}.ndjson"


def _path(kind: type, value: Any) -> Any:
    return Path(value) if kind is Path else value
