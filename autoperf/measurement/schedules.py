"""The schedule of a run: the next batches, and the outcomes that follow from their answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.core.case import Case
from autoperf.core.outcome import NOT_TIMED, Outcome, Status
from autoperf.measurement.batches import BatchAnswer, BatchRequest, CaseAnswer, Job, StartedCase, outcome
from autoperf.measurement.messages import CaseCounts
from autoperf.measurement.operator_batches import Identify, OperatorBatches, by_id, by_key
from autoperf.measurement.scratch import Spool
from autoperf.measurement.time_budget import TimeBudget
from autoperf.registry.spellings import function_of

ABSENT = f"{NOT_TIMED} has no such case"


class SideOutcome(NamedTuple):
    """An outcome, the number of its side, and its case, unless it was never to run.

    `pair` is the id in the run file, if it isn't the case's own. `machine` is the id of the machine that tried it.
    `replaced` is the status of the case's outcome of an earlier visit, which this one of visit `visit` replaces.
    """

    side: int
    outcome: Outcome
    case: Case | None = None
    pair: str = ""
    machine: str = ""
    visit: int = 1
    replaced: Status | None = None


class InTurn(NamedTuple):
    """An interleaved measurement of both sides: the seed of its order, and the key of a pair of cases.

    `different` are the operators, by globs, whose cases are timed though their results differ.
    """

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
    case: StartedCase
    status: Status


class _UnfinishedOperator(msgspec.Struct, frozen=True):
    """The cases of an operator that a later visit continues; of a comparison in turn, one case on both sides."""

    operator: str
    cases: tuple[_Unfinished, ...]

    @property
    def difference(self) -> float:
        """The log ratio of both sides' instructions, in the pass where it is largest; 0 where one isn't counted."""
        base, new = (entry.case.job.counts for entry in self.cases)
        if not (isinstance(base, CaseCounts) and isinstance(new, CaseCounts)):
            return 0.0
        pairs = [(base.passes[name].kernels, new.passes[name].kernels) for name in base.passes.keys() & new.passes]
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
        self.count = count
        self._processes = processes
        self._scratch = scratch

    def until(self, visit: int) -> int | None:
        """The number of processes that have timed a case after this visit; None: all."""
        return None if visit == self.count else -(-self._processes * visit // self.count)

    def spool(self, visit: int) -> Spool[_UnfinishedOperator]:
        """The cases that are continued after this visit."""
        return Spool(self._scratch / f"visit-{visit}.ndjson", _UnfinishedOperator)


class Schedule:
    """The order in which a queue's cases are measured on all sides; several batches may be in flight.

    The next visit begins when all batches are answered; its outcomes replace earlier ones.
    """

    def __init__(
        self,
        queue: Iterator[OperatorBatches],
        visits: Visits,
        in_turn: InTurn | None = None,
        budget: TimeBudget | None = None,
    ) -> None:
        self._queue = queue
        self._visits = visits
        self._in_turn = in_turn
        self._budget = budget
        self._visit = 1
        self._number = 0
        self._sides = 0
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
        """The outcomes of an answer. Cases that were interrupted are left to a resumed run."""
        batch = self._in_flight[answer.number]
        batch.answered += len(answer.cases)
        batch.seconds += answer.seconds
        for case in answer.cases:
            # Before outcomes are yielded, since Ctrl-C may end that.
            if case.rest:
                batch.rest.append(_Unfinished(case.side, case.rest, case.outcome.status))
        if batch.answered == batch.request.size:
            self._finish(batch)
        ids = [machine.id for machine in answer.machines] or [""] * self._sides
        yield from (self._side_outcome(batch, case, ids[case.side]) for case in answer.cases)

    def _finish(self, batch: _InFlight) -> None:
        request = batch.request
        del self._in_flight[request.number]
        # Cases in turn are continued one by one.
        size = self._sides if self._in_turn else len(batch.rest)
        for first in range(0, len(batch.rest), size or 1):
            self._spool.put(_UnfinishedOperator(request.operator, tuple(batch.rest[first : first + size])))
        if self._budget:
            if batch.rest:
                self._budget.keep_for_times()
            granted = sum(job.seconds or 0.0 for jobs in request.jobs for job in jobs)
            self._budget.add_case(granted, batch.seconds)

    def _begun(self, batches: OperatorBatches) -> Scheduled:
        operator, jobs = batches[0].operator, tuple(batch.jobs for batch in batches)
        self._sides = len(batches)
        skipped = [SideOutcome(side, done) for side, batch in enumerate(batches) for done in batch.skipped]
        if self._in_turn:
            jobs, unpaired = _paired(jobs, self._in_turn.identify)
            skipped += unpaired
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
            jobs = tuple(tuple(msgspec.structs.replace(each.job, seconds=seconds) for each in side) for side in started)
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
        started: tuple[tuple[StartedCase, ...], ...] = (),
        statuses: Mapping[tuple[int, int], Status] | None = None,
    ) -> BatchRequest:
        self._number += 1
        turns, until = self._in_turn, self._visits.until(self._visit)
        request = BatchRequest(self._number, operator, jobs, started, until)
        if turns:
            different = turns.times_different(operator)
            request = msgspec.structs.replace(request, in_turn=turns.seed, times_different=different)
        self._in_flight[request.number] = _InFlight(request, self._visit, statuses or {})
        return request

    def _side_outcome(self, batch: _InFlight, answer: CaseAnswer, machine: str) -> SideOutcome:
        side, position = answer.side, answer.position
        if batch.visit > 1:
            listed = batch.request.jobs[side] or tuple(each.job for each in batch.request.started[side])
            case, replaced = listed[position].case, batch.statuses[side, position]
            return SideOutcome(side, answer.outcome, case, machine=machine, visit=batch.visit, replaced=replaced)
        pair = batch.request.jobs[0][position].case.id if self._in_turn else ""
        return SideOutcome(side, answer.outcome, batch.request.jobs[side][position].case, pair, machine)


def _paired(
    jobs: tuple[tuple[Job, ...], ...], identify: Identify
) -> tuple[tuple[tuple[Job, ...], ...], list[SideOutcome]]:
    """The jobs of both sides in pairs, and the skipped outcomes of cases that one side alone has."""
    base, new = (by_key(side, identify) for side in jobs)
    both = [key for key in base if key in new]
    absent = [
        SideOutcome(side, outcome(job.case, Status.SKIPPED, 0.0, reason=ABSENT), job.case)
        for side, own, other in ((0, base, new), (1, new, base))
        for key, job in own.items()
        if key not in other
    ]
    return (tuple(base[key] for key in both), tuple(new[key] for key in both)), absent
