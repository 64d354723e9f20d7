"""Keeps the processes that time cases: each case goes to each of them, in an order of its own."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Sequence
from pathlib import Path

from autoperf.core.errors import AutoperfError
from autoperf.core.outcome import Status
from autoperf.executor.managed_process import ManagedProcess
from autoperf.executor.messages import (
    Build,
    CaseFailure,
    Close,
    Measured,
    Open,
    Opened,
    Task,
    TrialResult,
    Turn,
    Turned,
)
from autoperf.executor.settings import Settings
from autoperf.executor.trial_client import Job, task_of

# How many processes, newly started, a case may bring down before it is no longer given to others.
MAX_LOST_PROCESSES = 2
# A process is asked only if there is this much more time than the one before it took.
ROOM = 1.25


class Workers:
    """As many processes as the settings say; only one of them runs at a time, the others wait for its end."""

    def __init__(self, library: Path, settings: Settings, scratch: Path) -> None:
        self._settings = settings
        self.processes = tuple(ManagedProcess("worker", library, settings, scratch) for _ in range(settings.processes))

    def start(self) -> None:
        """Starts all of them, without waiting."""
        for process in self.processes:
            process.start()

    def greet(self) -> Build:
        """Waits until all have loaded the library; raises AutoperfError if one can't."""
        builds = [process.greet() for process in self.processes]
        return builds[0]

    def prepare(self) -> None:
        """Starts those that were lost; one that can't be says so when it is asked."""
        for process in self.processes:
            with contextlib.suppress(AutoperfError):
                _ = process.child

    def stop(self) -> None:
        """Ends them; a second time does nothing."""
        for process in self.processes:
            process.stop()

    def time(
        self, job: Job, trial_result: TrialResult, deadline: float
    ) -> tuple[Sequence[Measured], Sequence[CaseFailure]]:
        """What the processes took, in the order in which they were asked, and why others gave nothing.

        The order is drawn from the case's digest, so that no process always comes first.
        """
        order = list(self.processes)
        random.Random(job.case.id).shuffle(order)  # noqa: S311 - an order of measurements, not a secret
        measured: list[Measured] = []
        refused: list[CaseFailure] = []
        took = 0.0
        for process in order:
            begin = time.monotonic()
            if took and begin + ROOM * took > deadline:
                refused.append(self._no_room())
                break
            answer = self._time(process, job, trial_result, deadline)
            took = time.monotonic() - begin
            if isinstance(answer, Measured):
                measured.append(answer)
                continue
            refused.append(answer)
            if answer.status is Status.TIMEOUT or (not measured and len(refused) == MAX_LOST_PROCESSES):
                break
        return measured, refused

    def say(
        self, process: int, message: Open | Turn | Close, deadline: float
    ) -> Opened | Turned | Measured | CaseFailure:
        """What one of them answers about a case that it times in turns."""
        if time.monotonic() > deadline:
            return self._no_room()
        return self._answer(self.processes[process], message, deadline)

    def fresh(self, process: int) -> bool:
        """Whether it has had no case yet."""
        return self.processes[process].fresh

    def renew(self, process: int) -> None:
        """Has a fresh process in its place for the next case."""
        self.processes[process].stop()

    def _no_room(self) -> CaseFailure:
        return CaseFailure(
            Status.TIMEOUT, f"the limit of {self._settings.timeout:g} s leaves no time for another process"
        )

    def _time(
        self, process: ManagedProcess, job: Job, trial_result: TrialResult, deadline: float
    ) -> Measured | CaseFailure:
        """A process that has run other cases may carry their damage, so a failure counts only in a fresh one."""
        used = not process.fresh
        return process.retried(
            lambda until: self._ask(process, job, trial_result, until),
            deadline,
            lambda failure: used and failure.status is not Status.TIMEOUT,
        )

    def _ask(
        self, process: ManagedProcess, job: Job, trial_result: TrialResult, deadline: float
    ) -> Measured | CaseFailure:
        answer = self._answer(process, task_of(job, trial_result), deadline)
        return answer if isinstance(answer, Measured | CaseFailure) else process.garbage()

    def _answer(
        self, process: ManagedProcess, message: Task | Open | Turn | Close, deadline: float
    ) -> Opened | Turned | Measured | CaseFailure:
        try:
            answer = process.ask(message, deadline)
        except AutoperfError as error:
            process.stop()
            return CaseFailure(Status.FAILED, f"the process that times cases can't be started: {error}", broken=True)
        return answer if isinstance(answer, Opened | Turned | Measured | CaseFailure) else process.garbage()
