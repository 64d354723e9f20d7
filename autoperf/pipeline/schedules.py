"""How queued batches become outcomes, one for each case that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.supervisor import Executor
from autoperf.executor.trial_client import Job
from autoperf.pipeline.batches import Batch, OperatorBatches

Judge: TypeAlias = Callable[[Job, Outcome], Outcome]


class SideOutcome(NamedTuple):
    """An outcome, and the number of the side that it is of."""

    side: int
    outcome: Outcome


class SideExecutor(NamedTuple):
    """Who measures a side, and who judges what a dtype's failures are."""

    executor: Executor
    judge: Judge | None = None


class Schedule(Protocol):
    """An order in which the cases of an operator are measured on all sides."""

    def outcomes(self, batches: OperatorBatches) -> Iterator[SideOutcome]:
        """The outcomes of an operator's batches, each as soon as it is there."""


class Sequential:
    """One side after the other, each with all cases of the operator."""

    def __init__(self, sides: Sequence[SideExecutor]) -> None:
        self._sides = sides

    def outcomes(self, batches: OperatorBatches) -> Iterator[SideOutcome]:
        """The outcomes of an operator's batches, each as soon as it is there."""
        for number, (side, batch) in enumerate(zip(self._sides, batches, strict=True)):
            for outcome in measure(side.executor, batch, side.judge):
                yield SideOutcome(number, outcome)


def measure(executor: Executor, batch: Batch, judge: Judge | None = None) -> Iterator[Outcome]:
    """The outcomes of a batch, each as soon as it is there, and as `judge` sees it."""
    yield from batch.skipped
    for job, outcome in zip(batch.jobs, executor.run(batch.jobs), strict=True):
        yield judge(job, outcome) if judge else outcome


def refuse_dtype(counts: Mapping[Status, int], first: Outcome | None, dtype: str | None) -> None:
    """Raises UsageError where MXNet refused every single case of the dtype that was asked for.

    `counts` are the outcomes by their status, `first` is the first of them, whose reason is told.
    """
    refused = not any(number for status, number in counts.items() if status not in (Status.SKIPPED, Status.FAILED))
    if dtype and first and refused:
        raise UsageError(f"no selected operator takes {dtype}: {first.reason}")
