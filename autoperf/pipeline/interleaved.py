"""Two sides whose cases are measured in turn: what both have of each operator, and a reason for what only one has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autoperf.core.outcome import NOT_TIMED, Status
from autoperf.executor.interleaved_executors import InterleavedExecutors
from autoperf.executor.supervisor import outcome
from autoperf.pipeline.batches import OperatorBatches
from autoperf.pipeline.schedules import SideExecutor, SideOutcome

ABSENT = f"{NOT_TIMED} has no such case"


class Interleaved:
    """Case by case, both sides in turns of a few milliseconds; the order of turns is drawn by the seed."""

    def __init__(self, sides: Sequence[SideExecutor], seed: int) -> None:
        base, new = sides
        self._turns = InterleavedExecutors(base.executor, new.executor, seed)

    def outcomes(self, batches: OperatorBatches) -> Iterator[SideOutcome]:
        """The outcomes of an operator's batches, each as soon as it is there."""
        base, new = batches
        for side, batch in enumerate(batches):
            yield from (SideOutcome(side, skipped) for skipped in batch.skipped)
        here = {job.case.id: job for job in base.jobs}
        there = {job.case.id: job for job in new.jobs}
        for case, job in here.items():
            if case in there:
                yield from (SideOutcome(side, timed) for side, timed in enumerate(self._turns.run(job, there[case])))
            else:
                yield SideOutcome(0, outcome(job.case, Status.SKIPPED, 0.0, reason=ABSENT))
        for case in there.keys() - here.keys():
            yield SideOutcome(1, outcome(there[case].case, Status.SKIPPED, 0.0, reason=ABSENT))
