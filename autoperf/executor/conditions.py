"""Watches what else goes on while samples are taken: other load, and processors that slow themselves down."""

from __future__ import annotations

import contextlib
import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from autoperf.executor.messages import Conditions

STAT = Path("/proc/stat")
PROCESSORS = Path("/sys/devices/system/cpu")
# Columns of /proc/stat's first line: user, nice, system, irq, softirq and steal; not idle, not waiting for a disk.
_BUSY = (0, 1, 2, 5, 6, 7)


class ConditionsReading(NamedTuple):
    """What a stretch of time was spent on: seconds by the clock, of all processors, and of this process's own.

    And how often this process was put aside, and a processor slowed itself down.
    """

    elapsed: float
    busy: float
    own: float
    preempted: int
    throttled: int


class ConditionsMonitor:
    """A window of time, open from its making on."""

    def __init__(self, stat: Path = STAT, processors: Path = PROCESSORS) -> None:
        self._stat = stat
        self._counters = sorted(processors.glob("cpu*/thermal_throttle/*_throttle_count"))
        self._begin = self._now()

    def close(self) -> Conditions:
        """What went on since."""
        return together([self.window()])

    def window(self) -> ConditionsReading:
        """The same, for `together` with others."""
        elapsed, busy, own, preempted, throttled = (
            after - before for before, after in zip(self._begin, self._now(), strict=True)
        )
        return ConditionsReading(elapsed, busy, own, int(preempted), int(throttled))

    def _now(self) -> tuple[float, float, float, int, int]:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        own = usage.ru_utime + usage.ru_stime
        busy = busy_seconds(self._stat)
        # Where Linux doesn't tell, nobody else was there.
        return time.monotonic(), own if busy is None else busy, own, usage.ru_nivcsw, throttles(self._counters)


def together(windows: Sequence[ConditionsReading]) -> Conditions:
    """What went on in all of these. Linux counts processor time in steps, which even out over many short windows."""
    others = sum(window.busy - window.own for window in windows)
    return Conditions(
        sum(window.elapsed for window in windows),
        max(0.0, others),
        sum(window.preempted for window in windows),
        sum(window.throttled for window in windows),
    )


def busy_seconds(stat: Path) -> float | None:
    """Processor time that was spent since the machine started, by anybody; None where that can't be read."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        with stat.open("rb") as file:
            ticks = [int(word) for word in file.readline().split()[1:]]
        return sum(ticks[column] for column in _BUSY) / os.sysconf("SC_CLK_TCK")
    return None


def throttles(counters: list[Path]) -> int:
    """How often processors slowed themselves down for heat since the machine started; 0 where that can't be read."""
    total = 0
    for counter in counters:
        with contextlib.suppress(OSError, ValueError):
            total += int(counter.read_text(encoding="ascii"))
    return total
