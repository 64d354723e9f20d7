"""The probe: a fixed piece of work of a few microseconds, which shows the current speed of the processor."""

from __future__ import annotations

import time

import numpy as np

from autoperf.stats.correction import MAX_SLOWDOWN, median

ELEMENTS = 2048
BYTES = 8 * ELEMENTS
# The arrays lie alike in every process: loads that follow a store at the same distance from a page wait for it, which
# made the probe twice as slow in one process of 24.
PAGE = 4096
OFFSET = 2048
REPEATS = 4
MAX_NS = 10**12
# Readings of a calibration: the machine was at its full speed in those within a tenth of the fastest ones.
MIN_READINGS = 50
OTHER_BYTES = 2**18
FASTEST_SHARE = 0.02
FULL_SPEED = 1.1
PAUSE_SECONDS = 0.001
MIN_SHARE = 1 / 32


def probe_name() -> str:
    """Identifies the work: a release of NumPy may have another kernel."""
    return f"exp of {ELEMENTS} aligned float64, least of {REPEATS}, at full speed, NumPy {np.__version__}"


class Probe:
    """The exponential of 2,048 numbers, 32 KiB, 2 us: the best of the candidates in `benches/probe_models.py`."""

    def __init__(self) -> None:
        buffer = np.zeros(2 * BYTES + OFFSET + PAGE, dtype="uint8")
        begin = -buffer.ctypes.data % PAGE
        end = begin + BYTES + OFFSET
        self._source = buffer[begin : begin + BYTES].view("float64")
        self._target = buffer[end : end + BYTES].view("float64")
        self._source[:] = np.linspace(0.1, 1.0, ELEMENTS)

    def read(self) -> int:
        """Nanoseconds of the work: the least of four repeats.

        An unmeasured pass before them brings data and code into the caches. The engine's threads may still finish what
        they did when a call returns, on the same processor: a switch to them takes longer than a pass, and costs one.
        """
        source, target, exp, clock = self._source, self._target, np.exp, time.perf_counter_ns
        exp(source, out=target)
        least = MAX_NS
        begin = clock()
        for _ in range(REPEATS):
            exp(source, out=target)
            end = clock()
            least = min(least, end - begin)
            begin = end
        return least

    def calibrate(self, seconds: float) -> float:
        """Typical microseconds at full speed: the median of the readings within a tenth of the fastest ones.

        A low percentile of all would depend on how often the machine was at full speed, and be less than readings
        beside samples typically are: times would seem to be taken on a slower machine, and be corrected to too short
        ones. Other data is written before each reading, as operators do.
        """
        others = np.zeros(OTHER_BYTES // 8)
        end = time.monotonic() + seconds
        readings: list[int] = []
        while len(readings) < MIN_READINGS or time.monotonic() < end:
            others += 1.0
            readings.append(self.read())
        ordered = sorted(readings)
        fastest = ordered[int(FASTEST_SHARE * len(ordered))]
        return median([reading for reading in ordered if reading <= FULL_SPEED * fastest]) / 1000


class SpeedWait:
    """Waits until the machine is at its reference speed, for at most a share of `seconds` seconds altogether."""

    def __init__(self, probe: Probe, reference_us: float, seconds: float, share: float = 1.0) -> None:
        self._probe = probe
        self._limit_ns = MAX_SLOWDOWN * reference_us * 1000
        self._share, self._left = share, share * seconds
        self.was_reached = False

    def next(self, reference_us: float, seconds: float) -> SpeedWait:
        """The next case's wait: half as long if this one was in vain, as where the reference is of a better hour."""
        share = 1.0 if self.was_reached else max(MIN_SHARE, self._share / 2)
        return SpeedWait(self._probe, reference_us, seconds, share)

    def wait(self) -> float:
        """Waits until the probe is at reference speed or no time is left. Returns the seconds that it took."""
        begin = time.monotonic()
        end = begin + self._left
        while time.monotonic() < end:
            if self._probe.read() <= self._limit_ns:
                self.was_reached = True
                break
            time.sleep(PAUSE_SECONDS)
        waited = time.monotonic() - begin
        self._left -= waited
        return waited
