"""Measure two sides in turn: what both have of each operator, and a reason for what only one of them has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from autoperf.core.outcome import Outcome, Status
from autoperf.executor.supervisor import outcome
from autoperf.executor.turns import Turns
from autoperf.pipeline.batches import OperatorBatches

ABSENT = "not timed, since the other side has no such case"


class Finished(NamedTuple):
    """An outcome, and whose it is: 0 for the base, 1 for what is new."""

    side: int
    outcome: Outcome


def in_turn(turns: Turns, row: OperatorBatches) -> Iterator[Finished]:
    """The outcomes of an operator's cases on both sides, each as soon as it is there."""
    base, new = row
    for side, batch in enumerate(row):
        yield from (Finished(side, skipped) for skipped in batch.skipped)
    here = {job.case.id: job for job in base.jobs}
    there = {job.case.id: job for job in new.jobs}
    for case, job in here.items():
        if case in there:
            yield from (Finished(side, found) for side, found in enumerate(turns.run(job, there[case])))
        else:
            yield Finished(0, outcome(job.case, Status.SKIPPED, 0.0, reason=ABSENT))
    for case in there.keys() - here.keys():
        yield Finished(1, outcome(there[case].case, Status.SKIPPED, 0.0, reason=ABSENT))
