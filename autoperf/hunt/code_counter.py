"""Counts the instructions of findings, each side by processes of its own under valgrind."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.core.case import Case
from autoperf.core.clocks import INSTRUCTIONS
from autoperf.core.counts import CodeCount
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.finding import FindingCode
from autoperf.core.outcome import PassName
from autoperf.counts.valgrind import PROGRAM, require_counter
from autoperf.hunt.code import finding_code
from autoperf.measurement.batches import Job
from autoperf.measurement.messages import CaseFailure
from autoperf.measurement.settings import Settings
from autoperf.measurement.supervisor import Executor


def check_countable(counters: tuple[str, ...], ctx: str, against: str) -> None:
    """Raises UsageError where a hunt can't count these events, or no valgrind is installed; nothing without any."""
    if counters and against:
        raise UsageError(f"--counters compares functions of MXNet's, and {against} has others: leave it out")
    require_counter(counters, PROGRAM, ctx)


class CountedSide(NamedTuple):
    """A build of MXNet, with the settings of its processes."""

    library: Path
    settings: Settings


class CodeCounter:
    """Counts both inputs of findings; processes start with the first one, and the stack closes them."""

    def __init__(self, sides: Sequence[CountedSide], scratch: Path, stack: ExitStack) -> None:
        """`sides` are the slow one and the fast one, or one for both."""
        self._sides, self._scratch, self._stack = sides, scratch, stack
        self._executors: dict[int, Executor] = {}

    def code(self, slow: Case, fast: Case, pass_: PassName, work: float) -> FindingCode:
        """The code of a finding. Raises AutoperfError where an input can't be counted."""
        found: list[CodeCount] = []
        for case, side in ((slow, 0), (fast, len(self._sides) - 1)):
            counts = self.counts(case, side)
            if isinstance(counts, CaseFailure) or pass_ not in counts:
                reason = counts.reason if isinstance(counts, CaseFailure) else f"it has no {pass_} pass"
                raise EngineError(f"{case.id} isn't counted: {reason}")
            found.append(counts[pass_])
        return finding_code(found[0], found[1], work)

    def counts(self, case: Case, side: int) -> dict[PassName, CodeCount] | CaseFailure:
        """The counts of a case's passes on a side, or why there are none."""
        (outcome,) = self.executor(side).run([Job(case)])
        counts = {name: run.code for name, run in outcome.passes.items() if run.code}
        return counts or CaseFailure(outcome.status, outcome.reason or "its passes have no counts")

    def executor(self, side: int) -> Executor:
        """The running processes of a side."""
        if side not in self._executors:
            library, settings = self._sides[side]
            settings = msgspec.structs.replace(
                settings, profiler="none", counters=(INSTRUCTIONS.name,), count_by=PROGRAM, processes=1
            )
            scratch = self._scratch / f"code-{side}"
            scratch.mkdir(exist_ok=True)
            self._executors[side] = self._stack.enter_context(Executor(library, settings, scratch))
        return self._executors[side]
