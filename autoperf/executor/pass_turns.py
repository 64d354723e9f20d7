"""Times one pass of a case in turns, which alternate with those of another process."""

from __future__ import annotations

import time
from statistics import fmean

from autoperf.executor.messages import Turn
from autoperf.executor.open_case import RETAKE_SHARE, wall_block
from autoperf.executor.runner import Runner
from autoperf.executor.warm_up_rules import SettledState

WARM_UP = SettledState(seconds=0.0, limit=1.0)
NANOSECONDS = 1000.0
"""In a microsecond."""


class PassTurns:
    """A prepared call from its warm-up to its last turn; `means_us` has the mean microseconds of each turn."""

    def __init__(self, runner: Runner, *, backward: bool) -> None:
        """Warms the call up; `iteration_seconds` has the seconds of an iteration."""
        self._runner, self._backward = runner, backward
        self.means_us: list[float] = []
        self.iteration_seconds = runner.warm_up(WARM_UP)[-1].seconds

    def turn(self, turn: Turn) -> None:
        """Takes the samples of a turn; disturbed ones are repeated."""
        end = time.monotonic() + RETAKE_SHARE * turn.count * self.iteration_seconds
        calls = wall_block(self._runner, turn.count, end, discard_first=turn.discard_first)
        times = (call.passed(backward=self._backward) for call in calls if call.counted)
        self.means_us.append(fmean(times) / NANOSECONDS)
