"""A time budget for a run: how long each case may take so that all have their share, and when it ends."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], float]
MIN_SECONDS = 0.03
"""Samples of a case that may take less than this would say nothing; rather fewer cases are measured."""
USUAL_CASES = 4.0
USUAL_SECONDS = 0.1
MEASURING = 0.5


class TimeBudget:
    """Spends a budget: first one case of each operator, then the second, and so on.

    Cases become known operator by operator in the first round, so until then their number is expected. What a case
    costs beyond its samples is learnt from those before. Of the budget, as much is kept back as it takes to find out
    what the remaining operators' cases would have been, but never more than half.
    """

    def __init__(
        self,
        budget: float,
        operators: int,
        ample_seconds: float,
        begun: float | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        """`budget` is in seconds from `begun` on (default: now); a case gets `ample_seconds` where time is ample."""
        self.budget = budget
        self._usual = ample_seconds
        self._clock = clock
        self._begin = clock() if begun is None else begun
        self._operators = operators
        self._met = 0
        self._known = 0
        self._done = 0
        self._preparing = 0.0
        self._measuring = 0.0
        self._granted = 0.0

    def met(self, cases: int, seconds: float) -> None:
        """An operator has so many cases; finding that out took so long."""
        self._met += 1
        self._known += cases
        self._preparing += seconds

    def complete(self) -> None:
        """There are no more operators than those that were met."""
        self._operators = self._met

    def done(self, granted: float, took: float) -> None:
        """A case is done, that was granted so many seconds for its samples and took so many in all."""
        self._done += 1
        self._granted += granted
        self._measuring += took

    def over(self) -> bool:
        """Whether no further case can be measured in time."""
        kept = min(self._to_prepare(), (1 - MEASURING) * self.budget)
        return self._elapsed() + self._extra() >= self.budget - kept

    def share(self) -> float:
        """How many seconds the samples of the next case may take."""
        left = self.budget - self._elapsed() - self._to_prepare()
        return min(self._usual, max(MIN_SECONDS, left / max(1.0, self._cases_left()) - self._extra()))

    def left(self) -> float:
        """The seconds until the run is over: what the remaining cases are expected to take, or what the budget has."""
        each = self.share() + self._extra()
        expected = self._cases_left() * each + self._to_prepare()
        return max(0.0, min(self.budget - self._elapsed(), expected))

    def _elapsed(self) -> float:
        return self._clock() - self._begin

    def _cases_left(self) -> float:
        each = self._known / self._met if self._met else USUAL_CASES
        return self._known - self._done + max(0, self._operators - self._met) * each

    def _to_prepare(self) -> float:
        return max(0, self._operators - self._met) * self._preparing / self._met if self._met else 0.0

    def _extra(self) -> float:
        """What a case costs beyond the time that its samples were granted, in the mean; a guess before there is one."""
        if not self._done:
            return USUAL_SECONDS
        return max(0.0, (self._measuring - self._granted) / self._done)


def spell(seconds: float) -> str:
    """A duration as the command line takes it: `10m`, `1h30m`, `90s` as `1m30s`, `0.5s`."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    parts = ((hours, "h"), (minutes, "m"), (round(rest, 3), "s"))
    return "".join(f"{number:g}{unit}" for number, unit in parts if number)
