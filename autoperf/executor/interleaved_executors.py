"""Times the same cases by two executors in turn, so that whatever else the machine does falls on both alike."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from autoperf.core.outcome import NOT_TIMED, Outcome, Status
from autoperf.executor.messages import CaseFailure, Close, Measured, Open, Opened, TrialResult, Turn, Turned
from autoperf.executor.sampling import UNSETTLED_SECONDS
from autoperf.executor.settings import Settings, sampling_seconds
from autoperf.executor.supervisor import Executor, outcome
from autoperf.executor.trial_client import Job, task_of
from autoperf.processes.child_process import INVALID_ANSWER

# How many processes of a side may be lost over a case that no process of it has timed yet.
MAX_LOST_PROCESSES = 2
# Turns that a process takes of a case, and how few of a long one.
TURNS = 40
MIN_TURNS = 12
TURN_SECONDS = 0.0025
MAX_SAMPLES = 64
MAX_TIMEOUT_SHARE = 0.25
# A longer iteration is moved between processors by Linux itself, and one more of it would cost too much.
MAX_PINNED_SECONDS = 0.005
WITHOUT_PARTNER = "the process that takes turns with it gave no samples"


@dataclass
class _InterleavedSide:
    """One executor's part of a case: what its trial said, and what its processes took."""

    executor: Executor
    job: Job
    trial_result: TrialResult | CaseFailure
    measured: list[Measured] = field(default_factory=list)
    refused: list[CaseFailure] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def lost(self) -> bool:
        """Whether it is no use to go on."""
        broken = any(one.status is Status.TIMEOUT for one in self.refused)
        return broken or (not self.measured and len(self.refused) >= MAX_LOST_PROCESSES)

    def say(
        self, process: int, message: Open | Turn | Close, deadline: float
    ) -> Opened | Turned | Measured | CaseFailure:
        """What one of the processes answers."""
        begin = time.monotonic()
        answer = self.executor.say(process, message, deadline)
        self.seconds += time.monotonic() - begin
        return answer

    def open(self, process: int, deadline: float) -> float:
        """The case is made ready; the seconds that an iteration takes. Raises _Failed."""
        if not isinstance(self.trial_result, TrialResult):
            raise _TurnFailed(self, self.trial_result)
        answer = self.say(process, Open(task_of(self.job, self.trial_result)), deadline)
        if isinstance(answer, Opened):
            return answer.iteration_seconds
        raise _TurnFailed(self, answer)

    def turn(self, process: int, turn: Turn, deadline: float) -> None:
        """Samples are taken. Raises _Failed."""
        answer = self.say(process, turn, deadline)
        if not isinstance(answer, Turned):
            raise _TurnFailed(self, answer)

    def close(self, process: int, deadline: float) -> Measured:
        """The case is given back; what its turns took. Raises _Failed."""
        answer = self.say(process, Close(), deadline)
        if isinstance(answer, Measured):
            return answer
        raise _TurnFailed(self, answer)

    def outcome(self) -> Outcome:
        return self.executor.concluded(self.job, self.trial_result, self.measured, self.refused, self.seconds)


class _TurnFailed(Exception):  # noqa: N818 - what ends a sitting, not the program
    """A process of this side gave something else than what it was asked for."""

    def __init__(self, side: _InterleavedSide, answer: object) -> None:
        super().__init__()
        self.side = side
        self.refused = answer if isinstance(answer, CaseFailure) else CaseFailure(Status.CRASHED, INVALID_ANSWER)


class InterleavedExecutors:
    """Two executors with as many processes each: their first processes make a pair, their second ones, and so on.

    The processes of a pair keep a case ready and take turns of a few milliseconds, one right after the other, up to
    forty each; which comes first is drawn at random each time (randomised blocks: Fisher, "The design of
    experiments", 1935), and so is the processor on which both begin. Then comes the next pair. What slows a machine
    down for a tenth of a second so falls on turns of both sides, or on few.
    """

    def __init__(self, base: Executor, new: Executor, seed: int) -> None:
        self._executors = base, new
        self._seed = seed

    def run(self, base: Job, new: Job) -> tuple[Outcome, Outcome]:
        """The outcomes of a case on both sides; what one of them can't run is not timed on the other either."""
        sides = [self._tried(executor, job) for executor, job in zip(self._executors, (base, new), strict=True)]
        if all(isinstance(side.trial_result, TrialResult) for side in sides):
            self._timed(sides, base.case.id)
            return sides[0].outcome(), sides[1].outcome()
        return self._stopped(sides[0]), self._stopped(sides[1])

    def _tried(self, executor: Executor, job: Job) -> _InterleavedSide:
        executor.prepare()
        begin = time.monotonic()
        trial_result = executor.attempt(job, begin + executor.settings.timeout)
        return _InterleavedSide(executor, job, trial_result, seconds=time.monotonic() - begin)

    def _timed(self, sides: list[_InterleavedSide], case: str) -> None:
        draw = random.Random(f"{self._seed}/{case}")  # noqa: S311 - an order of measurements, not a secret
        processes = range(min(side.executor.settings.processes for side in sides))
        timeout = sum(side.executor.settings.timeout for side in sides)
        deadline = time.monotonic() + timeout
        for pair in draw.sample(processes, len(processes)):
            used = [not side.executor.fresh(pair) for side in sides]
            answers = _sitting(sides, pair, draw, deadline)
            # A process that has run other cases may carry their damage, so a failure counts only in a fresh one.
            if any(was and _broken(answer) for was, answer in zip(used, answers, strict=True)):
                for side in sides:
                    side.executor.renew(pair)
                answers = _sitting(sides, pair, draw, max(deadline, time.monotonic() + timeout))
            for side, answer in zip(sides, answers, strict=True):
                if isinstance(answer, Measured):
                    side.measured.append(answer)
                else:
                    side.refused.append(answer or CaseFailure(Status.SKIPPED, WITHOUT_PARTNER))
            if any(side.lost for side in sides):
                return

    def _stopped(self, side: _InterleavedSide) -> Outcome:
        """The outcome of a case that fails here, or that the other side can't run."""
        if not isinstance(side.trial_result, TrialResult):
            return side.outcome()
        reason = f"{NOT_TIMED} can't run it"
        return outcome(side.job.case, Status.SKIPPED, side.seconds, reason=reason, trial_result=side.trial_result)


def turns_of(settings: Settings, iteration_seconds: float, seconds: float | None = None) -> list[Turn]:
    """A process's turns of a case whose iterations take `iteration_seconds`; `seconds` is for its samples on a side.

    With exact counts, nothing but what was asked for is run. Otherwise a turn has 2.5 ms' worth of samples at most,
    or one; a power of two, so that averages over a power of two leave nothing over.
    """
    if settings.runs is not None:
        turns = min(TURNS, settings.runs)
        return [Turn(settings.runs // turns + (number < settings.runs % turns)) for number in range(turns)]
    once = max(iteration_seconds, 1e-6) * (2 if settings.profiler == "native" else 1)
    share = sampling_seconds(settings, seconds)
    fitting = max(1, min(MAX_SAMPLES, int(min(TURN_SECONDS, share / TURNS) / once)))
    count = 1 << (fitting.bit_length() - 1)
    wanted = max(MIN_TURNS, min(TURNS, int(share / (count * once))))
    allowed = max(1, int(settings.timeout * MAX_TIMEOUT_SHARE / settings.processes / (count * once)))
    return [Turn(count, discard_first=iteration_seconds < UNSETTLED_SECONDS)] * min(wanted, allowed)


def _broken(answer: Measured | CaseFailure | None) -> bool:
    return isinstance(answer, CaseFailure) and answer.status is not Status.TIMEOUT


def _sitting(
    sides: Sequence[_InterleavedSide], pair: int, draw: random.Random, deadline: float
) -> list[Measured | CaseFailure | None]:
    """What a pair's turns of a case took on each side; where one fails, why, and nothing for the other."""
    try:
        _take(sides, pair, draw, deadline)
        return [side.close(pair, deadline) for side in sides]
    except _TurnFailed as failure:
        for side in sides:
            if side is not failure.side:
                side.say(pair, Close(), deadline)
        return [failure.refused if side is failure.side else None for side in sides]


def _take(sides: Sequence[_InterleavedSide], pair: int, draw: random.Random, deadline: float) -> None:
    """All turns; raises _Failed."""
    iteration_seconds = max([side.open(pair, deadline) for side in draw.sample(sides, len(sides))])
    settings = sides[0].executor.settings
    steered = settings.runs is None and iteration_seconds < MAX_PINNED_SECONDS
    for turn in turns_of(settings, iteration_seconds, sides[0].job.seconds):
        placed = Turn(turn.count, turn.discard_first, draw.random()) if steered else turn
        for side in draw.sample(sides, len(sides)):
            side.turn(pair, placed, deadline)
