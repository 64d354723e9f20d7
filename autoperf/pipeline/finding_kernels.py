"""The kernels that a finding's inputs run."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import msgspec

from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError
from autoperf.core.finding import Finding
from autoperf.core.outcome import Outcome, PassName
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.generator.render import Origin, render, write
from autoperf.pipeline.batches import rendered_jobs
from autoperf.pipeline.release import Release

# Samples of each kernel for its mean.
KERNEL_RUNS = 5


class FindingKernels:
    """Measures the kernels of findings. The executor is started for the first finding and closed by the stack."""

    def __init__(self, release: Release, settings: Settings, scratch: Path, stack: ExitStack) -> None:
        self._release, self._scratch, self._stack = release, scratch, stack
        self._settings = msgspec.structs.replace(settings, processes=1, warmup=1, runs=KERNEL_RUNS)
        self._executor: Executor | None = None
        self._number = 0

    def of(self, finding: Finding) -> tuple[dict[str, float], dict[str, float]]:
        """Mean microseconds per call of each kernel, for the slow and the fast input; empty on an error."""
        try:
            slow, fast = (_kernels(self._measure(case), finding.pass_) for case in (finding.case, finding.contrast))
        except AutoperfError:
            return {}, {}
        return slow, fast

    def _measure(self, case: Case) -> Outcome:
        if self._executor is None:
            self._executor = self._stack.enter_context(Executor(self._release.library, self._settings, self._scratch))
        self._number += 1
        rendered = render([case], Origin(self._release.registry.mxnet, 0, "a hunt", "found"))
        folder = self._scratch / f"finding-{self._number}"
        (outcome,) = self._executor.run(rendered_jobs([case], rendered, write(rendered, folder)))
        return outcome


def _kernels(outcome: Outcome, pass_: PassName) -> dict[str, float]:
    result = outcome.forward if pass_ == "forward" else outcome.backward  # noqa: S105 - a pass of an operator
    return dict(result.kernels) if result else {}
