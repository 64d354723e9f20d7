"""The probes: fixed pieces of work, which tell the speed of the processor and of memory at this moment."""

from __future__ import annotations

import mmap
import time
from typing import Protocol

import numpy as np

from autoperf.core.probe import ProbeKind

ELEMENTS = 2048
BYTES = 8 * ELEMENTS
# The arrays lie alike in every process: loads that follow a store at the same distance from a page wait for it, which
# made the probe twice as slow in one process of 24.
PAGE = 4096
OFFSET = 2048
PASSES = 4
MAX_NS = 10**12
# Readings of a calibration, of which the tenth percentile is taken: what was slower was disturbed.
MIN_READINGS = 50
OTHER_BYTES = 2**23
CALIBRATION_SHARE = 0.1


# Bytes that the memory probe asks the system for and fills.
FRESH_BYTES = 2**20


def probe_name() -> str:
    """Identifies the work of both probes: a release of NumPy may have another kernel."""
    cache = f"exp of {ELEMENTS} aligned float64, least of {PASSES}"
    return f"{cache}; fill of {FRESH_BYTES} fresh bytes; after other data; NumPy {np.__version__}"


class Probe(Protocol):
    """Fixed work, timed. `max_jump` is how much two readings differ by, at most, while the machine keeps its speed."""

    kind: ProbeKind
    max_jump: float

    def read(self) -> int:
        """Nanoseconds of the work."""


def calibrate(probe: Probe, seconds: float) -> float:
    """Microseconds at the fastest speed within so many seconds: the tenth percentile of the readings.

    Other data is written before each reading, as operators do. In a loop of its own a probe would find its data, and
    the system's pages, in the nearest cache, and every figure would seem to be taken on a slower machine.
    """
    others = np.zeros(OTHER_BYTES // 8)
    end = time.monotonic() + seconds
    readings: list[int] = []
    while len(readings) < MIN_READINGS or time.monotonic() < end:
        others += 1.0
        readings.append(probe.read())
    return sorted(readings)[int(CALIBRATION_SHARE * len(readings))] / 1000


class CacheProbe:
    """The exponential of 2,048 numbers: 32 KiB of data, about 2 us.

    Of the candidates in `benches/probe_models.py` its time follows those of most operators best.
    """

    kind: ProbeKind = "cache"
    max_jump = 0.1

    def __init__(self) -> None:
        buffer = np.zeros(2 * BYTES + OFFSET + PAGE, dtype="uint8")
        begin = -buffer.ctypes.data % PAGE
        end = begin + BYTES + OFFSET
        self._source = buffer[begin : begin + BYTES].view("float64")
        self._target = buffer[end : end + BYTES].view("float64")
        self._source[:] = np.linspace(0.1, 1.0, ELEMENTS)

    def read(self) -> int:
        """Nanoseconds of the work: the least of four passes.

        An unmeasured pass before them brings data and code into the caches. The engine's threads may still finish what
        they did when a call returns, on the same processor: a switch to them takes longer than a pass, and costs one.
        """
        source, target, exp, clock = self._source, self._target, np.exp, time.perf_counter_ns
        exp(source, out=target)
        least = MAX_NS
        begin = clock()
        for _ in range(PASSES):
            exp(source, out=target)
            end = clock()
            least = min(least, end - begin)
            begin = end
        return least


class MemoryProbe:
    """A mebibyte that the system has to provide, filled once: 256 page faults, about 0.1 ms.

    So do the outputs of a large call, which MXNet allocates anew each time.
    """

    kind: ProbeKind = "memory"
    max_jump = 0.3

    def read(self) -> int:
        """Nanoseconds of the work."""
        clock = time.perf_counter_ns
        begin = clock()
        # The mapping ends with the array, its only owner.
        array = np.frombuffer(mmap.mmap(-1, FRESH_BYTES), dtype="float64")
        array.fill(1.0)
        return clock() - begin
