"""A case between its trial and its outcome, and the values by which a later visit continues it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autoperf.backends.protocol import TrialResult
from autoperf.core.clocks import KERNEL, WALL, Clock
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import INTERRUPTED, PASSES, Outcome, PassName, Status
from autoperf.measurement.aggregation import DISAGREEMENT
from autoperf.measurement.batches import Job, StartedCase
from autoperf.measurement.messages import CaseCounts, CaseFailure, Measured, PassSamples
from autoperf.measurement.sampling import TRACE_STEP_US
from autoperf.measurement.stopping_rules import averaged, loops_for
from autoperf.measurement.workers import FINAL, Workers
from autoperf.stats.correction import ProbedSamples, at_reference, slope_of_figure
from autoperf.stats.intervals import median, process_interval


class Agreement:
    """The samples of each pass and clock of a case by process.

    The addresses of code and data differ between processes, and the state of the machine between their times: where
    processes differ, another process adds more than more samples do.
    """

    def __init__(self, reference: Reference | None) -> None:
        """With `reference`, medians are at that speed."""
        self._reference = reference
        self._figures: dict[tuple[PassName, str], list[_ProcessFigure]] = {}

    def add(self, measured: Measured) -> None:
        """Adds the samples of a process."""
        for name in PASSES:
            samples = measured.forward if name == "forward" else measured.backward
            for figure in _figures(samples) if samples else ():
                self._figures.setdefault((name, figure.clock.name), []).append(figure)

    @property
    def is_reached(self) -> bool:
        """Whether the interval over the processes reaches at most 3% beyond each median."""
        return all(_is_narrow(self._medians(parts)) for parts in self._figures.values())

    def _medians(self, parts: Sequence[_ProcessFigure]) -> list[float]:
        """The median of each process, corrected by the slope of the clock."""
        values = [list(part.samples) for part in parts]
        probed = [ProbedSamples(part.samples, part.probes) for part in parts if part.probes]
        if self._reference and len(probed) == len(parts):
            joined = _joined(probed)
            slope = slope_of_figure(parts[0].clock, joined, self._reference)
            values = at_reference(*joined, self._reference, slope).parts
        return [
            median(sorted(averaged(samples, part.loops) or samples))
            for part, samples in zip(parts, values, strict=True)
            if samples
        ]


class _ProcessFigure(NamedTuple):
    """The samples of a pass by one clock in one process, each of one call, and the calls that its resolution needs."""

    clock: Clock
    samples: Sequence[float]
    probes: Probes | None
    loops: int


def _figures(samples: PassSamples) -> Iterator[_ProcessFigure]:
    if samples.wall:
        yield _ProcessFigure(WALL, samples.wall, samples.wall_probes, 1)
    if samples.kernel:
        loops = loops_for(samples.kernel, TRACE_STEP_US)
        yield _ProcessFigure(KERNEL, samples.kernel, samples.kernel_probes, loops)


def _joined(parts: Sequence[ProbedSamples]) -> ProbedSamples:
    before = tuple(reading for part in parts for reading in part.probes.before)
    after = tuple(reading for part in parts for reading in part.probes.after)
    samples = [sample for part in parts for sample in part.samples]
    return ProbedSamples(samples, Probes(before, after), [len(part.samples) for part in parts])


def _is_narrow(medians: list[float]) -> bool:
    interval = process_interval(medians)
    if interval is None:
        return len(medians) > 1
    low, high = interval
    return high <= (1 + DISAGREEMENT) ** 2 * low


# The number of fresh processes that a case may bring down before it is given up.
MAX_LOST_PROCESSES = 2
# A process is asked only if there is this many times as much time left as the previous one took.
TIME_MARGIN = 1.25


class CaseTiming:
    """A case that worker processes time, one process a step.

    If all have samples but disagree, processes of the reserve time the case too, until they agree.
    """

    def __init__(self, workers: Workers, job: Job, trial_result: TrialResult, agreement: Agreement) -> None:
        self.measured: list[Measured] = []
        self.failures: list[CaseFailure] = []
        self._workers = workers
        self._job = job
        self._trial_result = trial_result
        self._agreement = agreement
        self._left = workers.order(job)
        self._needed = len(workers.processes)
        self._last_seconds = 0.0
        self._is_given_up = False

    @property
    def asked(self) -> int:
        """The number of processes that have timed the case, or failed to."""
        return len(self.measured) + len(self.failures)

    @property
    def is_done(self) -> bool:
        """Whether no further process is to time the case."""
        if self._is_given_up or not self._left:
            return True
        if not self._is_reserve:
            return False
        return bool(self.failures or self._agreement.is_reached or self._job.seconds is not None)

    @property
    def _is_reserve(self) -> bool:
        return self.asked >= self._needed

    def resume(self, measured: Sequence[Measured], failures: Sequence[CaseFailure]) -> None:
        """Begins after the processes that timed the case earlier."""
        self.measured += measured
        self.failures += failures
        for samples in measured:
            self._agreement.add(samples)
        del self._left[: self.asked]

    def step(self, deadline: float) -> None:
        """Times the case in the next process, if there is time for it before `deadline` (monotonic seconds)."""
        begin = time.monotonic()
        if self._last_seconds and begin + TIME_MARGIN * self._last_seconds > deadline:
            self.failures += [] if self._is_reserve else [self._workers.no_time_left()]
            self._is_given_up = True
            return
        answer = self._workers.time_in(self._left[0], self._job, self._trial_result, deadline)
        # Only now: after Ctrl-C the process must still count as one that hasn't timed the case.
        del self._left[0]
        self._last_seconds = time.monotonic() - begin
        if isinstance(answer, Measured):
            self.measured.append(answer)
            self._agreement.add(answer)
        else:
            self._fail(answer)

    def _fail(self, failure: CaseFailure) -> None:
        self.failures.append(failure)
        lost = not self.measured and len(self.failures) == MAX_LOST_PROCESSES
        self._is_given_up = failure.status in FINAL or lost


class Visit(NamedTuple):
    """The state of a case after a visit: its outcome, and the case for a later visit; None if that was the last."""

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
    counts: CaseCounts | CaseFailure | None = None
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
        """Leaves out the processes that haven't timed the case. Returns whether it has an outcome.

        It has one if some process has timed it, or failed to.
        """
        self._is_interrupted = True
        if self.timing is None:
            return self.counts is not None or isinstance(self.trial_result, CaseFailure)
        has_begun = self.timing.asked > 0
        if not self.timing.is_done:
            self.timing.failures.append(CaseFailure(Status.SKIPPED, INTERRUPTED))
        return has_begun

    def step(self) -> None:
        """Times the case in its next process."""
        if self.timing is None:
            return
        begin = time.monotonic()
        self.timing.step(begin + self.left)
        spent = time.monotonic() - begin
        self.timing_seconds += spent
        self.left -= spent
