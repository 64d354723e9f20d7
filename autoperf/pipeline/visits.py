"""The schedule of several visits: a part of the processes times each case, and the others come back to it later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from autoperf.core.outcome import Status
from autoperf.executor.case_in_flight import Visit, VisitedCase
from autoperf.pipeline.batches import Batch, OperatorBatches
from autoperf.pipeline.schedules import SideExecutor, SideOutcome
from autoperf.pipeline.spool import Spool


class _Unfinished(msgspec.Struct, frozen=True):
    """A case of a side that a later visit continues, and the status of its outcome so far."""

    side: int
    case: VisitedCase
    status: Status


class _UnfinishedOperator(msgspec.Struct, frozen=True):
    """The cases of an operator that a later visit continues."""

    operator: str
    cases: tuple[_Unfinished, ...]


class VisitSchedule:
    """One side after the other, each with all cases of an operator, in several visits.

    A visit times each case in its part of the processes. Between the visits of a case lie those of all other cases:
    what disturbs the machine for a minute is then in a part of a figure's processes only. Each visit has an outcome,
    which replaces that of the visit before. What the next one continues waits in a file.
    """

    def __init__(self, sides: Sequence[SideExecutor], visits: int, scratch: Path) -> None:
        self._sides = sides
        self._visits = visits
        self._processes = sides[0].executor.settings.processes
        self._visit = 1
        self._scratch = scratch
        self._spool = self._new_spool()
        self._unfinished: _UnfinishedOperator | None = None

    def outcomes(self, batches: OperatorBatches) -> Iterator[SideOutcome]:
        """The outcomes of an operator's batches, as they are measured."""
        unfinished, self._unfinished = self._unfinished, None
        rest: list[_Unfinished] = []
        for side_outcome, visited in self._continued(unfinished) if unfinished else self._begun(batches):
            # Before the outcome is handed over, since Ctrl-C may end that.
            if visited:
                rest.append(_Unfinished(side_outcome.side, visited, side_outcome.outcome.status))
            yield side_outcome
        if rest:
            self._spool.put(_UnfinishedOperator(batches[0].operator, tuple(rest)))

    def later(self) -> Iterator[OperatorBatches]:
        """The batches of the later visits, each of which is to be passed to `outcomes` before the next is taken."""
        while self._visit < self._visits:
            before, self._visit = self._spool, self._visit + 1
            self._spool = self._new_spool()
            for operator in before:
                self._unfinished = operator
                yield tuple(self._batch(operator, side) for side in range(len(self._sides)))

    @property
    def _until(self) -> int | None:
        """How many processes have timed a case after this visit; None: all."""
        return None if self._visit == self._visits else -(-self._processes * self._visit // self._visits)

    def _new_spool(self) -> Spool[_UnfinishedOperator]:
        """What is continued after this visit; the samples of all cases would fill the memory."""
        return Spool(self._scratch / f"visit-{self._visit}.ndjson", _UnfinishedOperator)

    def _begun(self, batches: OperatorBatches) -> Iterator[tuple[SideOutcome, VisitedCase | None]]:
        for number, (side, batch) in enumerate(zip(self._sides, batches, strict=True)):
            for skipped in batch.skipped:
                yield SideOutcome(number, skipped), None
            for job, visit in zip(batch.jobs, side.executor.first_visit(batch.jobs, self._until), strict=True):
                outcome = side.reclassify(job, visit.outcome) if side.reclassify else visit.outcome
                yield SideOutcome(number, outcome), visit.rest

    def _continued(self, operator: _UnfinishedOperator) -> Iterator[tuple[SideOutcome, VisitedCase | None]]:
        for number, side in enumerate(self._sides):
            cases = [entry for entry in operator.cases if entry.side == number]
            visits: Iterator[Visit] = side.executor.later_visit([entry.case for entry in cases], self._until)
            for entry, visit in zip(cases, visits, strict=True):
                outcome = msgspec.structs.replace(visit.outcome, visit=self._visit)
                yield SideOutcome(number, outcome, replaced=entry.status), visit.rest

    @staticmethod
    def _batch(operator: _UnfinishedOperator, side: int) -> Batch:
        return Batch(operator.operator, tuple(entry.case.job for entry in operator.cases if entry.side == side))
