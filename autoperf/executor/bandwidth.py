"""The second probe: a copy, whose time shows what others leave of the bandwidth of memory and shared caches."""

from __future__ import annotations

import time

import numpy as np

from autoperf.executor.probe import at_full_speed

COPIED = 2**22
"""The bytes of the array. Larger than what a processor has for itself, so that other programs and machines compete."""
MOVED = 2 * COPIED
"""The bytes that a copy reads and writes."""
COPY_NAME = f"copy of {COPIED} bytes"
REPEATS = 2
READINGS = 24


class BandwidthProbe:
    """A copy of 4 MiB, about 100 us. The other probe computes within a processor's own caches, and doesn't see this."""

    def __init__(self) -> None:
        self._source = np.ones(COPIED // 8)
        self._target = np.zeros(COPIED // 8)

    def read(self) -> float:
        """Microseconds of the copy: the least of two, after an uncounted one."""
        source, target, clock = self._source, self._target, time.perf_counter_ns
        np.copyto(target, source)
        readings = []
        for _ in range(REPEATS):
            begin = clock()
            np.copyto(target, source)
            readings.append(clock() - begin)
        return min(readings) / 1000

    def calibrate(self) -> float:
        """Typical microseconds while nobody competes."""
        return at_full_speed([self.read() for _ in range(READINGS)])
