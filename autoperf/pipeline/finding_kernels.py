"""The kernels that a finding's inputs run."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import msgspec

from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError
from autoperf.core.finding import Finding
from autoperf.core.outcome import Outcome, PassName
from autoperf.executor.batches import Job
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.hunt_sides import HuntSide, HuntSides

# Samples of each kernel for its mean.
KERNEL_RUNS = 5


class FindingKernels:
    """Measures the kernels of findings. Executors are started for the first finding and closed by the stack."""

    def __init__(self, sides: HuntSides, scratch: Path, stack: ExitStack) -> None:
        self._sides, self._scratch, self._stack = sides, scratch, stack
        self._executors: dict[int, Executor] = {}

    def of(self, finding: Finding) -> tuple[dict[str, float], dict[str, float]]:
        """Mean microseconds per call of each kernel, for the slow and the fast input; empty on an error."""
        searched = self._sides.searched
        try:
            slow = self._measure(finding.case, searched)
            fast = self._measure(finding.contrast, self._sides.other or searched)
        except AutoperfError:
            return {}, {}
        return _kernels(slow, finding.pass_), _kernels(fast, finding.pass_)

    def _measure(self, case: Case, side: HuntSide) -> Outcome:
        (outcome,) = self._executor(side).run([Job(case)])
        return outcome

    def _executor(self, side: HuntSide) -> Executor:
        if side.number not in self._executors:
            settings = msgspec.structs.replace(side.settings, processes=1, warmup=1, runs=KERNEL_RUNS)
            scratch = self._scratch / f"side-{side.number}"
            scratch.mkdir(exist_ok=True)
            executor = self._stack.enter_context(Executor(side.release.library, settings, scratch))
            self._executors[side.number] = executor
        return self._executors[side.number]


def _kernels(outcome: Outcome, pass_: PassName) -> dict[str, float]:
    result = outcome.passes.get(pass_)
    return dict(result.kernels) if result else {}
