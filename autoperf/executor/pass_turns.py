"""Times one pass of a case in turns, which alternate with those of another process."""

from __future__ import annotations

import time
from statistics import fmean

from autoperf.executor.messages import Turn
from autoperf.executor.open_case import RETAKE_SHARE
from autoperf.executor.runner import Runner
from autoperf.executor.sampling import undisturbed

WARM_CALLS = 2
NANOSECONDS = 1000.0
"""In a microsecond."""


class PassTurns:
    """A prepared call from its warm-up to its last turn; `means_us` has the mean microseconds of each turn."""

    def __init__(self, runner: Runner, *, backward: bool) -> None:
        """Warms the call up; `iteration_seconds` has the seconds of an iteration."""
        self._runner, self._backward = runner, backward
        self.means_us: list[float] = []
        warm = [runner.run_once(time.perf_counter_ns) for _ in range(WARM_CALLS)][-1]
        self.iteration_seconds = (warm.backward_end - warm.start) / 1e9

    def turn(self, turn: Turn) -> None:
        """Takes the samples of a turn, those again that the machine disturbed."""
        end = time.monotonic() + RETAKE_SHARE * turn.count * self.iteration_seconds
        calls = undisturbed(
            lambda missing: self._runner.block(time.perf_counter_ns, missing, discard_first=turn.discard_first),
            turn.count,
            end,
        )
        times = (
            call.backward_end - call.forward_end if self._backward else call.forward_end - call.start
            for call in calls
            if call.counted
        )
        self.means_us.append(fmean(times) / NANOSECONDS)
