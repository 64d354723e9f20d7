"""Samples a case in one process until a rule has enough of them, and watches the machine meanwhile."""

from __future__ import annotations

import contextlib
import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from autoperf.backends.protocol import Kernel
from autoperf.core.clocks import WALL
from autoperf.core.machine import Reference
from autoperf.measurement.attribution import Boundaries, attribute, kernel_name
from autoperf.measurement.case_calls import CaseCalls, joined, probes_of
from autoperf.measurement.messages import Conditions, PassSamples
from autoperf.measurement.placement import usable_processors
from autoperf.measurement.probe import SpeedWait
from autoperf.measurement.stopping_rules import FIRST_SAMPLES, Readings, TargetPrecision, checkpoints
from autoperf.stats.correction import corrected, median, typical_slope

BLOCK = 8
BLOCK_SECONDS = 0.002
# The first call after a change of clocks is a few microseconds slower, which is negligible for longer calls.
UNSETTLED_SECONDS = 0.001
# By the wall clock, dispatch is a part of calls that are longer: it needs its code in the caches.
COLD_SECONDS = 0.01
TRACE_STEP_US = 1.0
NANOSECONDS = 1000.0
"""In a microsecond."""
# Two samples are taken before the rule is asked for the first time, if an iteration takes less than this.
MAX_UNCHECKED_SECONDS = 4.0
# Counts differ little between iterations: a few are enough, and they take a quarter of the samples' time at most.
COUNTED = 16
COUNTED_SHARE = 0.25
# Precision is a ratio, so that any reference will do.
ANY_REFERENCE = Reference("any", 1.0, "")


class Sampler:
    """Takes the samples of a case by the clocks of its calls, in blocks; long calls of one operator give both at once.

    With a `wait`, blocks begin when the machine is at its reference speed, as long as it has time left. That time comes
    on top of the samples'.
    """

    def __init__(self, calls: CaseCalls, wait: SpeedWait | None = None) -> None:
        self._calls, self._wait = calls, wait
        self._waited = 0.0
        self._end = float("inf")
        self._block, self._discard_first, self._discard_cold = BLOCK, False, False
        self._kernels: list[Kernel] = []
        # Kernel times of the forward and the backward pass, for the rule.
        self._totals: tuple[list[float], list[float]] = ([], [])
        self.trace_seconds = 0.0

    def sample(self, rule: TargetPrecision | int, iteration_seconds: float, seconds: float) -> None:
        """Samples until the rule stops, or this number of times by each clock, for about `seconds` seconds in all."""
        self._time(rule, iteration_seconds, seconds)
        count = rule if isinstance(rule, int) else _counted_iterations(iteration_seconds, seconds)
        self._calls.count(count, discard_first=iteration_seconds < UNSETTLED_SECONDS)

    def _time(self, rule: TargetPrecision | int, iteration_seconds: float, seconds: float) -> None:
        """Takes all samples by the wall clock first: short calls take up to a fifth longer beside traced ones."""
        calls = self._calls
        self._end = time.monotonic() + seconds
        if not isinstance(rule, int):
            self._block = max(1, min(BLOCK, int(BLOCK_SECONDS / max(iteration_seconds, 1e-9))))
            self._discard_first = iteration_seconds < UNSETTLED_SECONDS
            self._discard_cold = iteration_seconds < COLD_SECONDS
        calls.choose_loop(iteration_seconds)
        if calls.is_one_loop:
            self._discard_first = self._discard_cold
            first = self._first_checkpoint(iteration_seconds, seconds)
            self._until(rule, self._take_traced, lambda: [*self._wall_readings(), *self._kernel_readings()], first)
            return
        clocks = 2 if calls.recorder else 1
        first = self._first_checkpoint(clocks * iteration_seconds, seconds)
        untraced = 2 if calls.python else 1
        share = untraced / (untraced + 1) if calls.recorder else 1.0
        spent = self._until(rule, self._take, self._wall_readings, first, share=share)
        if calls.recorder:
            self._until(rule, self._take_traced, self._kernel_readings, first, spent=spent)

    def _until(
        self,
        rule: TargetPrecision | int,
        take: Callable[[int], None],
        readings: Callable[[], Sequence[Readings]],
        first: int,
        *,
        share: float = 1.0,
        spent: float = 0.0,
    ) -> float:
        """Takes samples until the rule stops, which has `share` of its time for them; returns the seconds in all."""
        if isinstance(rule, int):
            take(rule)
            return spent
        begin, waited = time.monotonic(), self._waited
        elapsed, sampled = spent, 0
        for count in checkpoints(first):
            # A step is skipped if it would end further after the limit than it starts before it.
            step = (elapsed - spent) * (count / sampled - 1) if sampled else 0.0
            if sampled and rule.enough(readings(), (elapsed + step / 2) / share):
                break
            take(count - sampled)
            elapsed, sampled = spent + time.monotonic() - begin - (self._waited - waited), count
        return elapsed

    def samples(self) -> tuple[PassSamples, PassSamples | None]:
        """The samples of the forward and the backward pass."""
        return self._calls.samples(self._kernels)

    def _first_checkpoint(self, iteration_seconds: float, seconds: float) -> int:
        """The first checkpoint: a power of two in at most half of the time, but two samples if these are short."""
        count = FIRST_SAMPLES
        while count > 1 and count * iteration_seconds > (seconds / 2 if count > 2 else MAX_UNCHECKED_SECONDS):
            count //= 2
        return count

    def _take(self, count: int) -> None:
        """Takes samples by the wall clock, in alternating blocks with those of the call in Python."""
        for size in self._blocks(count):
            self._calls.take(size, self._end, discard_first=self._discard_cold)

    def _take_traced(self, count: int) -> None:
        taken = len(self._calls.traced)
        for size in self._blocks(count):
            self._calls.take_traced(size, self._end, discard_first=self._discard_first)
        recorder = self._calls.recorder
        if recorder is None:
            return
        begin = time.monotonic()
        trace = recorder.kernels()
        self._kernels += trace
        traced, operator = joined(self._calls.traced[taken:]), kernel_name(self._calls.runner.call.case)
        forward, backward, _ = attribute(trace, traced, operator, recorder.roles)
        # For the stopping rule.
        self._totals[0].extend(forward.totals)
        self._totals[1].extend(backward.totals)
        self.trace_seconds += time.monotonic() - begin

    def _blocks(self, count: int) -> Iterator[int]:
        """The sizes of blocks of so many samples, each once the machine is at its reference speed."""
        for at in range(0, count, self._block):
            if self._wait:
                waited = self._wait.wait()
                self._waited += waited
                self._end += waited
            yield min(self._block, count - at)

    def _wall_readings(self) -> list[Readings]:
        wall = joined(self._calls.wall)
        readings = [Readings(_at_one_speed([call.forward for call in wall], wall))]
        if self._calls.runner.call.gradients:
            readings.append(Readings(_at_one_speed([call.backward for call in wall], wall)))
        return readings

    def _kernel_readings(self) -> list[Readings]:
        """The kernel times of each pass that has any; the traced calls' times if there are none."""
        readings = [Readings(totals, TRACE_STEP_US) for totals in self._totals if totals]
        return readings or [Readings([call.forward for call in joined(self._calls.traced) if call.counted])]


def _at_one_speed(samples: Sequence[float], calls: Sequence[Boundaries]) -> list[float]:
    probes = probes_of(calls)
    if not probes:
        return list(samples)
    slope = typical_slope(WALL, median(sorted(samples)) / NANOSECONDS)
    return corrected(samples, probes, (), ANY_REFERENCE, slope)


def _counted_iterations(iteration_seconds: float, seconds: float) -> int:
    """At least two, unless these are long."""
    fitting = int(COUNTED_SHARE * seconds / max(iteration_seconds, 1e-9))
    return max(1 if 2 * iteration_seconds > MAX_UNCHECKED_SECONDS else 2, min(COUNTED, fitting))


STAT = Path("/proc/stat")
PROCESSORS = Path("/sys/devices/system/cpu")
# Columns of a processor's line in /proc/stat: user, nice, system, irq, softirq and steal; without idle and iowait.
_BUSY = (0, 1, 2, 5, 6, 7)


class ConditionsMonitor:
    """Measures periods, the first from now on; with `children`, child processes that end are no other programs."""

    def __init__(self, stat: Path = STAT, processors: Path = PROCESSORS, *, children: bool = False) -> None:
        self._stat = stat
        self._own = (resource.RUSAGE_SELF, *([resource.RUSAGE_CHILDREN] if children else []))
        self._names = frozenset(f"cpu{processor}".encode() for processor in usable_processors())
        self._counters = sorted(processors.glob("cpu*/thermal_throttle/*_throttle_count"))
        self._sums = (0.0, 0.0, 0)
        self._begin = self._now()

    def restart(self) -> None:
        """Begins another period."""
        self._begin = self._now()

    def pause(self) -> None:
        """Ends a period."""
        now = self._now()
        elapsed, others, throttled = (
            total + after - before for total, before, after in zip(self._sums, self._begin, now, strict=True)
        )
        self._sums, self._begin = (elapsed, others, int(throttled)), now

    @property
    def conditions(self) -> Conditions:
        """The conditions over all periods, in which the errors of Linux's coarse processor times cancel."""
        elapsed, others, throttled = self._sums
        return Conditions(elapsed, max(0.0, others), throttled)

    def close(self) -> Conditions:
        """Ends the last period; returns the conditions over all of them."""
        self.pause()
        return self.conditions

    def _now(self) -> tuple[float, float, int]:
        """Counters of seconds, of busy seconds that weren't this process's own, and of thermal throttling events."""
        own_seconds = sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, self._own))
        busy = busy_seconds(self._stat, self._names)
        # Without /proc/stat, no other load is assumed.
        return time.monotonic(), 0.0 if busy is None else busy - own_seconds, throttles(self._counters)


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
