"""Calls of a Python program that MXNet's inference accepts, but refuses when they run: mistakes of the caller."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.core.outcome import Status
from autoperf.executor.batches import Job
from autoperf.executor.child_setup import EXHAUSTED
from autoperf.executor.messages import CaseFailure, TrialResult
from autoperf.executor.supervisor import Executor


def check_calls(jobs: Iterable[Job], executor: Executor) -> None:
    """Tries each call before any is timed. Raises EngineError, with MXNet's words, for one that MXNet refuses.

    A call in several dtypes is refused if MXNet refuses all of them. A crash, a hang or a lack of memory is no refusal.
    """
    for _, same_call in groupby(jobs, key=lambda job: _without_dtypes(job.case)):
        refusals = [_refusal(executor, job) for job in same_call]
        if all(refusals):
            raise EngineError(refusals[0])


def _without_dtypes(case: Case) -> tuple[object, ...]:
    """Equal for the dtypes of one call."""
    return case.operator, case.params, [(item.name, item.tensor.shape) for item in case.inputs]


def _refusal(executor: Executor, job: Job) -> str:
    """MXNet's error for a case that it refuses, else nothing."""
    tried: TrialResult | CaseFailure = executor.try_early(job)
    if isinstance(tried, TrialResult) or tried.status is not Status.FAILED:
        return ""
    if tried.broken or tried.reason.startswith(EXHAUSTED):
        return ""
    return f"MXNet refuses these inputs of {job.case.operator}: {tried.reason}"
