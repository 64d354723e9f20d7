"""Schedules: the order in which queued batches are measured, with one outcome per case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.supervisor import Executor
from autoperf.executor.trial_client import Job
from autoperf.pipeline.batches import Batch, OperatorBatches

Reclassify: TypeAlias = Callable[[Job, Outcome], Outcome]


class SideOutcome(NamedTuple):
    """An outcome and the number of its side.

    `pair` is the id that it is stored by, if that isn't its case's own. `replaced` is the status of the case's earlier
    outcome, which this one replaces.
    """

    side: int
    outcome: Outcome
    pair: str = ""
    replaced: Status | None = None


class SideExecutor(NamedTuple):
    """The executor of a side, and the function that reclassifies failures of a dtype."""

    executor: Executor
    reclassify: Reclassify | None = None


class Schedule(Protocol):
    """An order in which the cases of an operator are measured on all sides."""

    def outcomes(self, batches: OperatorBatches) -> Iterator[SideOutcome]:
        """The outcomes of an operator's batches, as they are measured."""

    def later(self) -> Iterator[OperatorBatches]:
        """Batches that are measured after all others; `outcomes` gets each before the next is taken."""


class SequentialSchedule:
    """One side after the other, each with all cases of the operator."""

    def __init__(self, sides: Sequence[SideExecutor]) -> None:
        self._sides = sides

    def outcomes(self, batches: OperatorBatches) -> Iterator[SideOutcome]:
        """The outcomes of an operator's batches, as they are measured."""
        for number, (side, batch) in enumerate(zip(self._sides, batches, strict=True)):
            for outcome in measure(side.executor, batch, side.reclassify):
                yield SideOutcome(number, outcome)

    def later(self) -> Iterator[OperatorBatches]:
        """Nothing: each case is measured once."""
        return iter(())


def measure(executor: Executor, batch: Batch, reclassify: Reclassify | None = None) -> Iterator[Outcome]:
    """The outcomes of a batch as they are measured, each passed through `reclassify`."""
    yield from batch.skipped
    for job, outcome in zip(batch.jobs, executor.run_in_rounds(batch.jobs), strict=True):
        yield reclassify(job, outcome) if reclassify else outcome


def refuse_dtype(counts: Mapping[Status, int], first: Outcome | None, dtypes: Sequence[str]) -> None:
    """Raises UsageError if MXNet refused every case of the requested dtypes.

    `counts` are the outcomes by status, `first` is the first of them, whose reason is reported.
    """
    refused = not any(number for status, number in counts.items() if status not in (Status.SKIPPED, Status.FAILED))
    if dtypes and first and refused:
        raise UsageError(f"no selected operator takes {' or '.join(dtypes)}: {first.reason}")
