"""Monitors the machine while samples are taken: load of other programs, preemption and thermal throttling."""

from __future__ import annotations

import contextlib
import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from autoperf.measurement.messages import Conditions
from autoperf.measurement.placement import usable_processors

STAT = Path("/proc/stat")
PROCESSORS = Path("/sys/devices/system/cpu")
# Columns of a processor's line in /proc/stat: user, nice, system, irq, softirq and steal; without idle and iowait.
_BUSY = (0, 1, 2, 5, 6, 7)


class ConditionsReading(NamedTuple):
    """Counters over a period: seconds elapsed, busy seconds of the processors of this process, and its own seconds.

    `throttled` counts thermal throttling events.
    """

    elapsed: float
    busy: float
    own_seconds: float
    throttled: int


class ConditionsMonitor:
    """Measures a period that starts when the monitor is created.

    With `children`, child processes that end within the period are no other programs.
    """

    def __init__(self, stat: Path = STAT, processors: Path = PROCESSORS, *, children: bool = False) -> None:
        self._stat = stat
        self._own = (resource.RUSAGE_SELF, *([resource.RUSAGE_CHILDREN] if children else []))
        self._names = frozenset(f"cpu{processor}".encode() for processor in usable_processors())
        self._counters = sorted(processors.glob("cpu*/thermal_throttle/*_throttle_count"))
        self._begin = self._now()

    def restart(self) -> None:
        """Begins another period."""
        self._begin = self._now()

    def close(self) -> Conditions:
        """The conditions since the start."""
        return combined([self.window()])

    def window(self) -> ConditionsReading:
        """The counters since the start, to be merged with others by `combined`."""
        elapsed, busy, own_seconds, throttled = (
            after - before for before, after in zip(self._begin, self._now(), strict=True)
        )
        return ConditionsReading(elapsed, busy, own_seconds, int(throttled))

    def _now(self) -> tuple[float, float, float, int]:
        usages = map(resource.getrusage, self._own)
        own_seconds = sum(usage.ru_utime + usage.ru_stime for usage in usages)
        busy = busy_seconds(self._stat, self._names)
        # Without /proc/stat, no other load is assumed.
        return (time.monotonic(), own_seconds if busy is None else busy, own_seconds, throttles(self._counters))


def combined(windows: Sequence[ConditionsReading]) -> Conditions:
    """The conditions over several periods, in which the errors of Linux's coarse processor times cancel."""
    others = sum(window.busy - window.own_seconds for window in windows)
    return Conditions(
        sum(window.elapsed for window in windows), max(0.0, others), sum(window.throttled for window in windows)
    )


def busy_seconds(stat: Path, names: frozenset[bytes]) -> float | None:
    """Busy seconds of these processors (`cpu0`, ...) since the machine started; None if they can't be read."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        with stat.open("rb") as file:
            lines = [line.split() for line in file if line.startswith(b"cpu")]
        ticks = [int(line[1 + column]) for line in lines if line[0] in names for column in _BUSY]
        return sum(ticks) / os.sysconf("SC_CLK_TCK") if ticks else None
    return None


def throttles(counters: list[Path]) -> int:
    """The number of thermal throttling events since the machine started; 0 if they can't be read."""
    total = 0
    for counter in counters:
        with contextlib.suppress(OSError, ValueError):
            total += int(counter.read_text(encoding="ascii"))
    return total
