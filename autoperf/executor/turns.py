"""Times the same cases by two executors in turn, so that whatever else the machine does falls on both alike."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field

from autoperf.core.outcome import Outcome, Status
from autoperf.executor.messages import Facts, Measured, Refused
from autoperf.executor.supervisor import Executor, outcome
from autoperf.executor.trying import Job

# How many processes of a side may be lost over a case that no process of it has timed yet.
MOST_LOST = 2


@dataclass
class _Side:
    """One executor's part of a case: what its trial said, and what its processes took."""

    executor: Executor
    job: Job
    facts: Facts | Refused
    measured: list[Measured] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def lost(self) -> bool:
        """Whether it is no use to go on."""
        broken = any(one.status is Status.TIMEOUT for one in self.refused)
        return broken or (not self.measured and len(self.refused) >= MOST_LOST)

    def time_in(self, process: int, deadline: float) -> None:
        """Have one of the processes time the case."""
        if not isinstance(self.facts, Facts):
            return
        begin = time.monotonic()
        answer = self.executor.time_in(process, self.job, self.facts, deadline)
        self.seconds += time.monotonic() - begin
        if isinstance(answer, Measured):
            self.measured.append(answer)
        else:
            self.refused.append(answer)

    def outcome(self) -> Outcome:
        turns = len(self.measured) + len(self.refused)
        return self.executor.concluded(self.job, self.facts, self.measured, self.refused, self.seconds, turns=turns)


class Turns:
    """Two executors with as many processes each: their first processes make a pair, their second ones, and so on.

    Each pair times a case one right after the other, `rounds` times, with the other pairs in between; which of the two
    comes first is drawn at random, and so is the order of the pairs in each round (randomised blocks: Fisher, "The
    design of experiments", 1935). What slows a machine down for a tenth of a second so falls on some turns alone.
    """

    def __init__(self, base: Executor, new: Executor, seed: int, rounds: int = 1) -> None:
        self._executors = base, new
        self._seed = seed
        self._rounds = rounds

    def run(self, base: Job, new: Job) -> tuple[Outcome, Outcome]:
        """The outcomes of a case on both sides; what one of them can't run is not timed on the other either."""
        sides = [self._tried(executor, job) for executor, job in zip(self._executors, (base, new), strict=True)]
        stopped = [side for side in sides if not isinstance(side.facts, Facts)]
        if stopped:
            return self._stopped(sides[0]), self._stopped(sides[1])
        self._timed(sides, base.case.id)
        return sides[0].outcome(), sides[1].outcome()

    def _tried(self, executor: Executor, job: Job) -> _Side:
        executor.prepare()
        begin = time.monotonic()
        facts = executor.attempt(job, begin + executor.settings.timeout)
        return _Side(executor, job, facts, seconds=time.monotonic() - begin)

    def _timed(self, sides: list[_Side], case: str) -> None:
        order = random.Random(f"{self._seed}/{case}")  # noqa: S311 - an order of measurements, not a secret
        processes = range(min(side.executor.settings.processes for side in sides))
        deadline = time.monotonic() + sum(side.executor.settings.timeout for side in sides)
        for pair in [pair for _ in range(self._rounds) for pair in order.sample(processes, len(processes))]:
            for side in order.sample(sides, len(sides)):
                side.time_in(pair, deadline)
            if any(side.lost for side in sides):
                return

    def _stopped(self, side: _Side) -> Outcome:
        """The outcome of a case that fails here, or that the other side can't run."""
        if not isinstance(side.facts, Facts):
            return side.outcome()
        reason = "not timed, since the other side can't run it"
        return outcome(side.job.case, Status.SKIPPED, side.seconds, reason=reason, facts=side.facts)
