"""How queued batches become outcomes, one for each case that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.supervisor import Executor
from autoperf.executor.trying import Job
from autoperf.pipeline.batches import Batch

Judge: TypeAlias = Callable[[Job, Outcome], Outcome]


def measure(executor: Executor, batch: Batch, judge: Judge | None = None) -> Iterator[Outcome]:
    """The outcomes of a batch, each as soon as it is there, and as `judge` sees it."""
    yield from batch.skipped
    for job, found in zip(batch.jobs, executor.run(batch.jobs), strict=True):
        yield judge(job, found) if judge else found


def refuse_dtype(counts: Mapping[Status, int], first: Outcome | None, dtype: str | None) -> None:
    """Raises UsageError where MXNet refused every single case of the dtype that was asked for.

    `counts` are the outcomes by their status, `first` is the first of them, whose reason is told.
    """
    refused = not any(number for status, number in counts.items() if status not in (Status.SKIPPED, Status.FAILED))
    if dtype and first and refused:
        raise UsageError(f"no selected operator takes {dtype}: {first.reason}")
