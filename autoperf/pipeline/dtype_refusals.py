"""Tells a dtype that MXNet refuses only when it runs from a case that fails: by the same case in another dtype."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from autoperf.core.case import Case, Input
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.child_setup import EXHAUSTED
from autoperf.executor.messages import TrialResult
from autoperf.executor.supervisor import Executor
from autoperf.executor.trial_client import Job
from autoperf.generator.render import Origin, render, write
from autoperf.pipeline.sides import Side
from autoperf.rules.rule import Rule


@dataclass(frozen=True)
class DtypeRefusals:
    """Judges the outcomes of a run for which a dtype was asked; `scratch` is where twins of its cases are rendered."""

    side: Side
    executor: Executor
    dtype: str
    scratch: Path

    def judged(self, job: Job, found: Outcome) -> Outcome:
        """The outcome of a job; a failed case is skipped if it runs in the dtype that its operator takes by nature."""
        if found.status is not Status.FAILED or found.reason.startswith(EXHAUSTED):
            return found
        natural = self._natural(job.case.operator)
        if natural in (None, self.dtype) or not self._runs(in_dtype(job.case, self.dtype, str(natural))):
            return found
        reason = f"MXNet refuses {self.dtype} when it runs, but takes {natural}: {found.reason}"
        return msgspec.structs.replace(found, status=Status.SKIPPED, reason=reason)

    def _natural(self, name: str) -> str | None:
        operator = self.side.operators.get(name)
        rule = self.side.release.catalog.find(operator) if operator else None
        return rule.dtype if isinstance(rule, Rule) else None

    def _runs(self, case: Case) -> bool:
        rendered = render([case], Origin(self.side.mxnet, 0, "a case of another dtype", "stored"))
        job = Job(write(rendered, self.scratch), rendered.functions[case.id], case)
        self.executor.prepare()
        return isinstance(self.executor.run_trial(job, time.monotonic() + self.executor.settings.timeout), TrialResult)


def in_dtype(case: Case, was: str, now: str) -> Case:
    """The case with all tensors and parameters of one dtype in another, its outputs unknown."""
    inputs = tuple(
        Input(item.name, msgspec.structs.replace(item.tensor, dtype=now)) if item.tensor.dtype == was else item
        for item in case.inputs
    )
    params = {name: now if value == was else value for name, value in case.params.items()}
    return msgspec.structs.replace(case, inputs=inputs, params=params, outputs=())
