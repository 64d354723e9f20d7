"""The schedule of a run within its time budget: the next batches, and the outcomes that follow from their answers."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from autoperf.core.case import Case
from autoperf.core.outcome import NOT_TIMED, Outcome, Status
from autoperf.measurement.batches import (
    Batch,
    BatchAnswer,
    BatchRequest,
    CaseAnswer,
    Identify,
    Job,
    OperatorBatches,
    TriedCase,
    by_id,
    by_key,
    outcome,
)
from autoperf.measurement.messages import CaseCounts
from autoperf.measurement.scratch import Spool
from autoperf.registry.names import function_of

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
        self._max_seconds, self._operators, self._clock = max_seconds, operators, clock
        self._begin = clock() if start is None else start
        self._added = self._known = self._done = 0
        self._preparing = self._measuring = self._granted = 0.0

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
        return max(0.0, (self._measuring - self._granted) / self._done) if self._done else INITIAL_SECONDS


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
        later = range(len(rounds) + 1, len(entries))
        rounds += [Spool(scratch / f"round-{number}.ndjson", _QueuedCase) for number in later]
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
    by_case: dict[object, dict[int, Job]] = {}
    for side, batch in enumerate(batches):
        for key, job in by_key(batch.jobs, identify).items():
            by_case.setdefault(key, {})[side] = job
    operator = batches[0].operator
    return [_QueuedCase(operator, jobs) for jobs in shuffled(by_case.values(), seed, operator)]


ABSENT = f"{NOT_TIMED} has no such case"


class SideOutcome(NamedTuple):
    """An outcome as the run file has it, but for its work; the number of its side, and its case unless it never runs.

    `replaced` is the status of the case's outcome of an earlier visit, which this one replaces.
    """

    side: int
    outcome: Outcome
    case: Case | None = None
    replaced: Status | None = None


class InTurn(NamedTuple):
    """The seed of an interleaved order, the key of a pair, and globs of operators timed though their results differ."""

    seed: int
    identify: Identify = by_id
    different: tuple[str, ...] = ()

    def times_different(self, operator: str) -> bool:
        """Whether cases of an operator are timed though their results differ."""
        names = operator, function_of(operator)
        return any(fnmatchcase(name, pattern) for pattern in self.different for name in names)


class Scheduled(NamedTuple):
    """The next operator: the number of its outcomes, those without a measurement, and its batch, if any."""

    operator: str
    size: int
    skipped: tuple[SideOutcome, ...]
    request: BatchRequest | None


class _Unfinished(msgspec.Struct, frozen=True):
    """A case of a side that a later visit continues, and the status of its outcome so far."""

    side: int
    case: TriedCase
    status: Status


class _UnfinishedOperator(msgspec.Struct, frozen=True):
    """The cases of an operator that a later visit continues; of a comparison in turn, one case on both sides."""

    operator: str
    cases: tuple[_Unfinished, ...]

    @property
    def difference(self) -> float:
        """The log ratio of both sides' instructions, in the pass where it is largest; 0 where one isn't counted."""
        base, new = (entry.case.counts for entry in self.cases)
        if not (isinstance(base, CaseCounts) and isinstance(new, CaseCounts)):
            return 0.0
        last = [(base.passes[name][-1], new.passes[name][-1]) for name in base.passes.keys() & new.passes]
        pairs = [(before.kernels, after.kernels) for before, after in last]
        return max((abs(math.log(max(b, 1) / max(n, 1))) for b, n in pairs), default=0.0)


@dataclass
class _InFlight:
    """A batch that was requested: the cases whose outcomes are missing, and those that a later visit continues."""

    request: BatchRequest
    visit: int = 1
    statuses: Mapping[tuple[int, int], Status] = field(default_factory=dict)
    answered: int = 0
    seconds: float = 0.0
    rest: list[_Unfinished] = field(default_factory=list)


class Visits:
    """The visits of a run: at each of them, a part of a case's processes times it, then all other cases follow.

    So a disturbance of a minute affects only a part of the processes. Cases that a later visit continues wait in a
    file, since their samples would fill the memory.
    """

    def __init__(self, count: int, processes: int, scratch: Path) -> None:
        self.count, self._processes, self._scratch = count, processes, scratch

    def until(self, visit: int) -> int | None:
        """The number of processes that have timed a case after this visit; None: all."""
        return None if visit == self.count else -(-self._processes * visit // self.count)

    def spool(self, visit: int) -> Spool[_UnfinishedOperator]:
        """The cases that are continued after this visit."""
        return Spool(self._scratch / f"visit-{visit}.ndjson", _UnfinishedOperator)


class Schedule:
    """The order in which a queue's cases are measured on all sides; a visit begins when all batches are answered."""

    def __init__(
        self,
        queue: Iterator[OperatorBatches],
        visits: Visits,
        in_turn: InTurn | None = None,
        budget: TimeBudget | None = None,
    ) -> None:
        self._queue, self._visits, self._in_turn, self._budget = queue, visits, in_turn, budget
        self._visit, self._number, self._sides = 1, 0, 0
        self._in_flight: dict[int, _InFlight] = {}
        self._spool = visits.spool(1)
        self._started: Iterator[_UnfinishedOperator] = iter(())

    def next(self) -> Scheduled | None:
        """The next operator; None while it depends on batches in flight, and at the end."""
        batches = next(self._queue, None)
        if batches is not None:
            return self._begun(batches)
        while True:
            operator = next(self._started, None)
            if operator is not None:
                return self._continued(operator)
            if self._in_flight or self._visit == self._visits.count:
                return None
            self._started = self._waiting(self._spool)
            self._visit += 1
            self._spool = self._visits.spool(self._visit)

    def _waiting(self, spool: Spool[_UnfinishedOperator]) -> Iterator[_UnfinishedOperator]:
        """What the next visit continues: of cases in turn, the largest difference first, as long as there is time."""
        if not self._in_turn or not self._budget:
            yield from spool
            return
        differing = sorted(spool, key=lambda each: -each.difference)
        self._budget.begin_timing(len(differing))
        for each in differing:
            if self._budget.exhausted():
                return
            yield each

    def outcomes(self, answer: BatchAnswer) -> Iterator[SideOutcome]:
        """An answer's outcomes, but of interrupted cases. Raises OutputError last if what continues can't be stored."""
        batch = self._in_flight[answer.number]
        batch.answered += len(answer.cases)
        batch.seconds += answer.seconds
        for case in answer.cases:
            # Before outcomes are yielded, since Ctrl-C may end that.
            if case.rest:
                batch.rest.append(_Unfinished(case.side, case.rest, case.outcome.status))
        ids = [machine.id for machine in answer.machines] or [""] * self._sides
        yield from (self._side_outcome(batch, case, ids[case.side]) for case in answer.cases)
        if batch.answered != batch.request.size:
            return
        del self._in_flight[answer.number]
        # Cases in turn are continued one by one.
        size = self._sides if self._in_turn else len(batch.rest)
        for first in range(0, len(batch.rest), size or 1):
            self._spool.put(_UnfinishedOperator(batch.request.operator, tuple(batch.rest[first : first + size])))
        if self._budget:
            if batch.rest:
                self._budget.keep_for_times()
            granted = sum(job.seconds or 0.0 for jobs in batch.request.jobs for job in jobs)
            self._budget.add_case(granted, batch.seconds)

    def _begun(self, batches: OperatorBatches) -> Scheduled:
        operator = batches[0].operator
        jobs: tuple[tuple[Job, ...], ...] = tuple(batch.jobs for batch in batches)
        self._sides = len(batches)
        skipped = [SideOutcome(side, done) for side, batch in enumerate(batches) for done in batch.skipped]
        if self._in_turn:
            base, new = (by_key(side, self._in_turn.identify) for side in jobs)
            both = [key for key in base if key in new]
            jobs = tuple(base[key] for key in both), tuple(new[key] for key in both)
            # The cases that one side alone has.
            skipped += [
                SideOutcome(side, outcome(job.case, Status.SKIPPED, 0.0, reason=ABSENT), job.case)
                for side, own, other in ((0, base, new), (1, new, base))
                for key, job in own.items()
                if key not in other
            ]
        return Scheduled(
            operator,
            sum(batch.size for batch in batches),
            tuple(skipped),
            self._requested(operator, jobs) if any(jobs) else None,
        )

    def _continued(self, operator: _UnfinishedOperator) -> Scheduled:
        cases = [[entry for entry in operator.cases if entry.side == side] for side in range(self._sides)]
        started = tuple(tuple(entry.case for entry in entries) for entries in cases)
        jobs: tuple[tuple[Job, ...], ...] = ((),) * self._sides
        if self._in_turn:
            seconds = self._budget.share() / self._sides if self._budget else None
            jobs = tuple(
                tuple(msgspec.structs.replace(each.job, seconds=seconds, counts=each.counts) for each in side)
                for side in started
            )
            started = ()
        statuses = {
            (side, position): entry.status
            for side, entries in enumerate(cases)
            for position, entry in enumerate(entries)
        }
        request = self._requested(operator.operator, jobs, started, statuses)
        return Scheduled(operator.operator, request.size, (), request)

    def _requested(
        self,
        operator: str,
        jobs: tuple[tuple[Job, ...], ...],
        started: tuple[tuple[TriedCase, ...], ...] = (),
        statuses: Mapping[tuple[int, int], Status] | None = None,
    ) -> BatchRequest:
        self._number += 1
        turns, until = self._in_turn, self._visits.until(self._visit)
        seed, different = (turns.seed, turns.times_different(operator)) if turns else (None, False)
        request = BatchRequest(self._number, operator, jobs, started, until, seed, different)
        self._in_flight[request.number] = _InFlight(request, self._visit, statuses or {})
        return request

    def _side_outcome(self, batch: _InFlight, answer: CaseAnswer, machine: str) -> SideOutcome:
        side, position = answer.side, answer.position
        listed = batch.request.jobs[side] or tuple(each.job for each in batch.request.started[side])
        is_paired = self._in_turn is not None and batch.visit == 1
        stored = msgspec.structs.replace(
            answer.outcome,
            case=batch.request.jobs[0][position].case.id if is_paired else answer.outcome.case,
            machine=machine or msgspec.UNSET,
            visit=batch.visit if batch.visit > 1 else msgspec.UNSET,
            waits=answer.rest is not None or msgspec.UNSET,
        )
        return SideOutcome(side, stored, listed[position].case, batch.statuses.get((side, position)))
