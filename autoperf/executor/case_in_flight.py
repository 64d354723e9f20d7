"""A case on its way from its trial to its outcome, and what a later visit needs to continue it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

from autoperf.core.outcome import INTERRUPTED, Outcome, Status
from autoperf.executor.batches import Job, StartedCase
from autoperf.executor.messages import CaseFailure, TrialResult
from autoperf.executor.workers import CaseTiming


class Visit(NamedTuple):
    """What is known of a case after a visit: its outcome, and the case for a later visit; None if that was the last."""

    outcome: Outcome
    rest: StartedCase | None


@dataclass
class CaseInFlight:
    """A case between its trial and its outcome; `left` are the seconds of its time limit that remain.

    The visit ends when `until` processes have timed it, or failed to; None: all, and those of the reserve.
    """

    job: Job
    trial_result: TrialResult | CaseFailure
    timing: CaseTiming | None
    trial_seconds: float
    left: float
    timing_seconds: float = 0.0
    until: int | None = None
    _is_interrupted: bool = False

    @property
    def is_done(self) -> bool:
        """Whether no process is to time the case in this visit."""
        if self.timing is None or self.timing.is_done:
            return True
        return self.until is not None and self.timing.asked >= self.until

    @property
    def rest(self) -> StartedCase | None:
        """The case for a later visit, if other processes are to time it."""
        timing, trial_result = self.timing, self.trial_result
        if self._is_interrupted or timing is None or timing.is_done or isinstance(trial_result, CaseFailure):
            return None
        measured, failures = tuple(timing.measured), tuple(timing.failures)
        return StartedCase(
            self.job, trial_result, measured, failures, self.trial_seconds, self.timing_seconds, self.left
        )

    def interrupt(self) -> bool:
        """Leaves out the processes that haven't timed the case. Returns whether it has an outcome."""
        self._is_interrupted = True
        if self.timing is None:
            return True
        is_complete = self.timing.is_done
        if not is_complete:
            self.timing.failures.append(CaseFailure(Status.SKIPPED, INTERRUPTED))
        return is_complete or bool(self.timing.measured)

    def step(self) -> None:
        """Times the case in its next process."""
        if self.timing is None:
            return
        begin = time.monotonic()
        self.timing.step(begin + self.left)
        spent = time.monotonic() - begin
        self.timing_seconds += spent
        self.left -= spent
