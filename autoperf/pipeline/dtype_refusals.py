"""Dtypes that MXNet refuses only at run time, distinguished from failures by running the same case in another dtype."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from autoperf.cases.build import has_dtype
from autoperf.core.case import Case, Input
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.batches import Job
from autoperf.executor.child_setup import EXHAUSTED
from autoperf.executor.messages import TrialResult
from autoperf.executor.supervisor import Executor
from autoperf.generator.render import Origin, render, write
from autoperf.pipeline.sides import Side
from autoperf.rules.rule import Rule


@dataclass(frozen=True)
class DtypeRefusals:
    """Reclassifies failures of a run with --dtype; equal cases in other dtypes are rendered below `scratch`."""

    side: Side
    executor: Executor
    dtypes: tuple[str, ...]
    scratch: Path

    def reclassify(self, job: Job, outcome: Outcome) -> Outcome:
        """The outcome of a job; a failed case becomes skipped if it runs in the default dtype of its rule."""
        if outcome.status is not Status.FAILED or outcome.reason.startswith(EXHAUSTED):
            return outcome
        default = self._default_dtype(job.case.operator)
        dtype = next((dtype for dtype in self.dtypes if has_dtype(job.case, dtype)), default)
        if default is None or default == dtype or not self._runs(in_dtype(job.case, str(dtype), default)):
            return outcome
        reason = f"MXNet refuses {dtype} at run time, but accepts {default}: {outcome.reason}"
        return msgspec.structs.replace(outcome, status=Status.SKIPPED, reason=reason)

    def _default_dtype(self, name: str) -> str | None:
        operator = self.side.operators.get(name)
        rule = self.side.release.catalog.find(operator) if operator else None
        return rule.dtype if isinstance(rule, Rule) else None

    def _runs(self, case: Case) -> bool:
        rendered = render([case], Origin(self.side.mxnet, 0, "a case of another dtype", "stored"))
        job = Job(str(write(rendered, self.scratch)), rendered.functions[case.id], case)
        self.executor.prepare()
        return isinstance(self.executor.run_trial(job), TrialResult)


def in_dtype(case: Case, was: str, now: str) -> Case:
    """The case with tensors and parameters of dtype `was` changed to `now`, without outputs."""
    inputs = tuple(
        Input(item.name, msgspec.structs.replace(item.tensor, dtype=now)) if item.tensor.dtype == was else item
        for item in case.inputs
    )
    params = {name: now if value == was else value for name, value in case.params.items()}
    return msgspec.structs.replace(case, inputs=inputs, params=params, outputs=())
