"""The time budget of a run: the time limit of each case, and the end of the budget."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from autoperf.core.outcome import Status
from autoperf.measurement.batches import Job, outcome
from autoperf.measurement.operator_batches import Batch, Identify, OperatorBatches, by_id, by_key
from autoperf.measurement.scratch import Spool

Clock = Callable[[], float]
MIN_SECONDS = 0.03
"""Minimum sampling time of a case; with less, fewer cases are measured instead."""
INITIAL_CASES = 4.0
INITIAL_SECONDS = 0.1
MIN_MEASURING_SHARE = 0.5
COUNTING_SHARE = 0.75
"""The share of the budget for counting, if all cases are counted first and one of them is to be timed."""
MIN_CASES_OF_USE = 20
MIN_USE = 0.2


class TimeBudget:
    """Divides a budget: first one case of each operator, then the second, and so on.

    Until the first round ends, the number of cases is an estimate. The overhead of a case is the mean of earlier cases.
    The time to make the cases of the remaining operators is reserved, at most half of the budget.
    """

    def __init__(
        self,
        budget: float,
        operators: int,
        max_seconds: float,
        start: float | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        """`budget` is in seconds from `start` on (default: now); a case gets at most `max_seconds`."""
        self.seconds = budget
        self._usable = 1.0
        self.machines: Callable[[], int] = lambda: 1
        """How many machines measure at the same time."""
        self._max_seconds = max_seconds
        self._clock = clock
        self._begin = clock() if start is None else start
        self._operators = operators
        self._added = 0
        self._known = 0
        self._done = 0
        self._preparing = 0.0
        self._measuring = 0.0
        self._granted = 0.0

    def share_with(self, machines: Callable[[], int], spent: float) -> None:
        """Begins now, with `spent` seconds used, on as many machines as `machines` returns."""
        self.machines = machines
        self._begin = self._clock() - spent

    def add_operator(self, cases: int, seconds: float) -> None:
        """Adds an operator with `cases` cases, which took `seconds` to make."""
        self._added += 1
        self._known += cases
        self._preparing += seconds

    def keep_for_times(self) -> None:
        """Leaves a part for a case that was counted and is timed later: without one, all of it is for counting."""
        self._usable = COUNTING_SHARE

    def begin_timing(self, cases: int) -> None:
        """Gives the time that is left to these cases, the only ones that are timed after all have been counted."""
        self._usable, self._known, self._operators, self._added, self._done = 1.0, cases, 0, 0, 0
        self._measuring = self._granted = 0.0

    def end_of_operators(self) -> None:
        """Ends the estimate of further operators."""
        self._operators = self._added

    def add_case(self, granted: float, took: float) -> None:
        """Adds a measured case: the seconds granted for its samples, and those that it took in total."""
        self._done += 1
        self._granted += granted
        self._measuring += took

    @property
    def title(self) -> str:
        """`time budget of 10m`, with the share of it that counting may take."""
        share = f"the {self._usable:.0%} for counting of the " if self._usable < 1 else ""
        return f"{share}time budget of {spell(self.seconds)}"

    def exhausted(self) -> bool:
        """Whether no further case can be measured in time."""
        reserved = min(self._to_prepare(), (1 - MIN_MEASURING_SHARE) * self.seconds)
        return self._elapsed() + self._overhead() >= self._usable * self.seconds - reserved

    def share(self) -> float:
        """The seconds that the samples of the next case may take."""
        seconds = self.seconds - self._elapsed() - self._to_prepare()
        share = (seconds * self.machines() / max(1.0, self._cases_left()) - self._overhead()) / self._use()
        return min(self._max_seconds, max(MIN_SECONDS, share))

    def remaining(self) -> float:
        """The seconds until the end of the run: the estimate for the remaining cases, or the rest of the budget."""
        each = self.share() * self._use() + self._overhead()
        expected = self._cases_left() * each / self.machines() + self._to_prepare()
        return max(0.0, min(self.seconds - self._elapsed(), expected))

    def _elapsed(self) -> float:
        return self._clock() - self._begin

    def _cases_left(self) -> float:
        each = self._known / self._added if self._added else INITIAL_CASES
        return self._known - self._done + max(0, self._operators - self._added) * each

    def _to_prepare(self) -> float:
        return max(0, self._operators - self._added) * self._preparing / self._added if self._added else 0.0

    def _use(self) -> float:
        """The part of the granted time that cases use: less than 1 if many of them end early."""
        if self._done < MIN_CASES_OF_USE or not self._granted:
            return 1.0
        return min(1.0, max(MIN_USE, self._measuring / self._granted))

    def _overhead(self) -> float:
        """Mean seconds of a case beyond those granted for its samples; a guess before the first case."""
        if not self._done:
            return INITIAL_SECONDS
        return max(0.0, (self._measuring - self._granted) / self._done)


def spell(seconds: float) -> str:
    """A duration in the syntax of the command line: `10m`, `1h30m`, `90s` as `1m30s`, `0.5s`."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    parts = ((hours, "h"), (minutes, "m"), (round(rest, 3), "s"))
    return "".join(f"{number:g}{unit}" for number, unit in parts if number)


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
    queue: Iterable[OperatorBatches],
    budget: TimeBudget,
    seed: int,
    scratch: Path,
    *,
    identify: Identify = by_id,
    clock: Clock = time.monotonic,
) -> Iterator[OperatorBatches]:
    """The queue's cases one at a time, each with its time limit; once the budget is exhausted, each as skipped.

    The first round has one case of each operator in the order of the queue, the next round the second case of each, and
    so on. Cases of the same key run on all sides at once. The seed decides the order of an operator's cases, so that no
    profile is always first. Cases of later rounds are stored in files, so that memory does not grow with their number.
    """
    rounds: list[Spool[_QueuedCase]] = []
    begin = clock()
    for batches in queue:
        entries = _entries(batches, seed, identify)
        budget.add_operator(len(entries), clock() - begin)
        without_jobs = tuple(Batch(batch.operator, (), batch.skipped) for batch in batches)
        if any(batch.skipped for batch in without_jobs):
            yield without_jobs
        rounds += [
            Spool(scratch / f"round-{number}.ndjson", _QueuedCase) for number in range(len(rounds) + 1, len(entries))
        ]
        for spool, entry in zip(rounds, entries[1:], strict=False):
            spool.put(entry)
        for entry in entries[:1]:
            yield from _run(entry, len(batches), budget)
        sides = len(batches)
        begin = clock()
    budget.end_of_operators()
    for entry in itertools.chain.from_iterable(rounds):
        yield from _run(entry, sides, budget)


def _run(entry: _QueuedCase, sides: int, budget: TimeBudget) -> Iterator[OperatorBatches]:
    """The case, or its skipped outcomes; the consumer adds measured cases to the budget."""
    if budget.exhausted():
        reason = f"{budget.title} ended before it"
        skipped = {side: (outcome(job.case, Status.SKIPPED, 0.0, reason=reason),) for side, job in entry.jobs.items()}
        yield tuple(Batch(entry.operator, (), skipped.get(side, ())) for side in range(sides))
        return
    limit = budget.share() / len(entry.jobs)
    jobs = {side: (msgspec.structs.replace(job, seconds=limit),) for side, job in entry.jobs.items()}
    yield tuple(Batch(entry.operator, jobs.get(side, ())) for side in range(sides))


def _entries(batches: OperatorBatches, seed: int, identify: Identify) -> Sequence[_QueuedCase]:
    """The cases of an operator, each with the sides that run it."""
    by_case: dict[object, dict[int, Job]] = {}
    for side, batch in enumerate(batches):
        for key, job in by_key(batch.jobs, identify).items():
            by_case.setdefault(key, {})[side] = job
    operator = batches[0].operator
    return [_QueuedCase(operator, jobs) for jobs in shuffled(by_case.values(), seed, operator)]
