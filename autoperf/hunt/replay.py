"""Replays the logged timings of an earlier search, until the search requests something else."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable

from autoperf.core.outcome import Status
from autoperf.executor.messages import CaseFailure, PairedTimes, PairedTiming, QuickTimes, QuickTiming
from autoperf.hunt.timings import TimingSource
from autoperf.results import huntlog

Logged = huntlog.TriedLine | huntlog.PairLine


class Replay:
    """A timing source that answers from the log of one operator, and from `source` once the log ends or differs.

    A search is a function of its seed, the answers and their times, so a replay with a ReplayClock finds the same.
    `at` is when the last answer was logged, in seconds.
    """

    def __init__(self, source: TimingSource, logged: Iterable[Logged]) -> None:
        self.replaying = False
        self.at = 0.0
        self._source = source
        self._remaining = deque(logged)

    def time_case(self, request: QuickTiming, side: int) -> QuickTimes | CaseFailure:
        """The logged samples of the case, or new ones."""
        answer = self._next()
        if isinstance(answer, huntlog.TriedLine) and (answer.case, answer.side) == (request.case, side):
            return _refused(answer) or QuickTimes(answer.forward_us, answer.backward_us)
        self._stop_replaying()
        return self._source.time_case(request, side)

    def time_pair(self, request: PairedTiming, sides: tuple[int, int]) -> PairedTimes | CaseFailure:
        """The logged samples of both cases, or new ones."""
        answer = self._next()
        if isinstance(answer, huntlog.PairLine) and _answers(answer, request, sides):
            return _refused(answer) or PairedTimes(answer.first_us, answer.second_us)
        self._stop_replaying()
        return self._source.time_pair(request, sides)

    def renew(self) -> None:
        """Starts a fresh process for the next answer that is not logged."""
        self._source.renew()

    def _next(self) -> Logged | None:
        self.replaying = bool(self._remaining)
        answer = self._remaining.popleft() if self._remaining else None
        self.at = answer.at if answer else self.at
        return answer

    def _stop_replaying(self) -> None:
        self.replaying = False
        self._remaining.clear()


class ReplayClock:
    """Seconds from `begin` on: those at which answers were logged while a replay runs, then those of another clock."""

    def __init__(self, replay: Replay, begin: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._replay, self._clock = replay, clock
        self._offset = begin - clock()

    def __call__(self) -> float:
        """The seconds now."""
        if self._replay.replaying:
            self._offset = self._replay.at - self._clock()
        return self._clock() + self._offset


def _answers(line: huntlog.PairLine, request: PairedTiming, sides: tuple[int, int]) -> bool:
    logged = line.first, line.second, line.pass_, line.sides
    return logged == (request.first, request.second, request.pass_, sides)


def _refused(answer: Logged) -> CaseFailure | None:
    return CaseFailure(Status.FAILED, answer.refused) if answer.refused else None
