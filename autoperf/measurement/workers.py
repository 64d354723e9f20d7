"""Manages the worker processes; each case is timed in all of them, in random order."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import psutil

from autoperf.backends.protocol import TrialResult
from autoperf.core.errors import AutoperfError
from autoperf.core.machine import Reference
from autoperf.core.outcome import Status
from autoperf.measurement.batches import Job
from autoperf.measurement.managed_process import ManagedProcess
from autoperf.measurement.messages import Build, CaseFailure, Close, Measured, Open, Task, Turn
from autoperf.measurement.settings import Settings

T = TypeVar("T")
FINAL = frozenset({Status.TIMEOUT, Status.SKIPPED})
"""Failures that another process can't change: timeouts and missing layers."""
HELD_SHARE = 0.25
"""The share of the machine's memory that all processes may hold between two cases.

MXNet keeps the largest workspaces that its operators had: the ten processes of a run would come to hold all memory. A
process that holds more than its part is ended after a case, once all together hold too much.
"""


class Workers:
    """The worker processes and those in reserve, as the settings number them; one of them runs at a time.

    The processes of the reserve are started together when one of them is first needed.
    """

    def __init__(self, library: Path, settings: Settings, scratch: Path, variables: Mapping[str, str] = {}) -> None:
        """`variables` are added to their environment."""
        self._settings = settings
        # Known once the processes are ready.
        self.reference: Reference | None = None
        self._has_reserve = False
        self.processes, self._reserve = (
            tuple(ManagedProcess("worker", library, settings, scratch, variables) for _ in range(count))
            for count in ((settings.processes, settings.reserve) if settings.takes_times else (0, 0))
        )

    def start(self) -> None:
        """Starts all processes without waiting."""
        for process in self.processes:
            process.start()

    def wait_ready(self) -> Build:
        """Waits until all processes have loaded the library. Raises AutoperfError if one can't.

        The time of the probe is the smallest of all processes.
        """
        builds = [process.wait_ready() for process in self.processes]
        probe_us = min((build.probe_us for build in builds if build.probe_us is not None), default=None)
        return msgspec.structs.replace(builds[0], probe_us=probe_us)

    def prepare(self) -> None:
        """Restarts processes that were lost or ended; one that can't be started fails at its next request."""
        self._start_anew([process for process in self.processes if not process.runs])

    @staticmethod
    def _start_anew(lost: Sequence[ManagedProcess]) -> None:
        for process in lost:
            with contextlib.suppress(AutoperfError):
                process.renew()
                process.start()
        for process in lost:
            with contextlib.suppress(AutoperfError):
                process.wait_ready()

    def stop(self) -> None:
        """Ends all processes; a second call does nothing."""
        for process in (*self.processes, *self._reserve):
            process.stop()

    def order(self, job: Job) -> list[ManagedProcess]:
        """The processes in an order drawn from the case's id, so that none always comes first; then the reserve."""
        order = list(self.processes)
        random.Random(job.case.id).shuffle(order)  # noqa: S311 - an order of measurements, not a secret
        return [*order, *self._reserve]

    def ask(self, process: int, message: Open | Turn | Close, kind: type[T], deadline: float) -> T | CaseFailure:
        """The answer of one process to a request of an interleaved comparison, or the failure."""
        if time.monotonic() > deadline:
            return self.no_time_left()
        answer = self.processes[process].ask(message, kind, deadline)
        if isinstance(message, Close):
            self._end_if_large(self.processes[process])
        return answer

    def no_time_left(self) -> CaseFailure:
        """The failure of a case whose time limit is over before a further process."""
        return CaseFailure(
            Status.TIMEOUT, f"the limit of {self._settings.timeout:g} s leaves no time for another process"
        )

    def time_in(
        self, process: ManagedProcess, job: Job, trial_result: TrialResult, deadline: float
    ) -> Measured | CaseFailure:
        """The samples of a case in one process, or the failure.

        Earlier cases may have damaged a process, so a failure counts only in a fresh one.
        """
        if process in self._reserve and not self._has_reserve:
            self._has_reserve = True
            begin = time.monotonic()
            self._start_anew(self._reserve)
            deadline += time.monotonic() - begin
        used = not process.fresh
        reference_us = self.reference.us if self.reference else None
        task = Task(job.case, trial_result, seconds=job.seconds, reference_us=reference_us, program=job.program)
        answer = process.with_retry(
            lambda until: process.ask(task, Measured, until),
            deadline,
            lambda failure: used and failure.status not in FINAL,
        )
        self._end_if_large(process)
        return answer

    def _end_if_large(self, process: ManagedProcess) -> None:
        held = [each.held for each in (*self.processes, *self._reserve)]
        most = HELD_SHARE * psutil.virtual_memory().total
        if sum(held) > most and process.held > most / len(held):
            process.renew()
