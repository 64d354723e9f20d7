"""The interleaved schedule: the cases of two sides, measured in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import starmap

from autoperf.analysis.comparison import ComparisonOptions
from autoperf.analysis.early_stop import EarlyStop
from autoperf.core.interrupts import interrupts_deferred
from autoperf.core.outcome import NOT_TIMED, Status
from autoperf.executor.interleaved_executors import InterleavedExecutors
from autoperf.executor.supervisor import outcome
from autoperf.pipeline.batches import OperatorBatches
from autoperf.pipeline.schedules import SideExecutor, SideOutcome

ABSENT = f"{NOT_TIMED} has no such case"


class InterleavedSchedule:
    """Both sides of each case in turns of a few milliseconds; the seed decides the order of turns."""

    def __init__(self, sides: Sequence[SideExecutor], seed: int, options: ComparisonOptions | None = None) -> None:
        """With `options`, a case ends as soon as all its figures are decided by them."""
        base, new = sides
        decided = EarlyStop(base.executor.reference, options).is_decided if options else None
        self._turns = InterleavedExecutors(base.executor, new.executor, seed, decided)

    def outcomes(self, batches: OperatorBatches) -> Iterator[SideOutcome]:
        """The outcomes of an operator's batches as they are measured; cases of one side only are skipped."""
        base, new = batches
        for side, batch in enumerate(batches):
            yield from (SideOutcome(side, skipped) for skipped in batch.skipped)
        base_jobs = {job.case.id: job for job in base.jobs}
        new_jobs = {job.case.id: job for job in new.jobs}
        for case, job in base_jobs.items():
            if case in new_jobs:
                timed = self._turns.run(job, new_jobs[case])
                # Ctrl-C between the sides would leave a case in one file only.
                with interrupts_deferred():
                    yield from starmap(SideOutcome, enumerate(timed))
            else:
                yield SideOutcome(0, outcome(job.case, Status.SKIPPED, 0.0, reason=ABSENT))
        for case, job in new_jobs.items():
            if case not in base_jobs:
                yield SideOutcome(1, outcome(job.case, Status.SKIPPED, 0.0, reason=ABSENT))

    def later(self) -> Iterator[OperatorBatches]:
        """Nothing: each case is measured once."""
        return iter(())
