"""Takes the samples of one case in one process: wall times, kernel times, counts; and watches the machine meanwhile.

Long calls of one operator give both times at once.
"""

from __future__ import annotations

import contextlib
import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from autoperf.backends.protocol import Kernel, Profiler
from autoperf.core.clocks import WALL
from autoperf.core.machine import Probes, Reference
from autoperf.measurement.attribution import Attributed, Boundaries, attribute, kernel_name
from autoperf.measurement.messages import Conditions, PassSamples
from autoperf.measurement.placement import usable_processors
from autoperf.measurement.probe import SpeedWait
from autoperf.measurement.runner import Counts, EventCounter, Runner
from autoperf.measurement.stopping_rules import FIRST_SAMPLES, ExactCount, Readings, StoppingRule, checkpoints
from autoperf.stats.correction import corrected, typical_slope
from autoperf.stats.intervals import median

BLOCK = 8
BLOCK_SECONDS = 0.002
# The first call after a change of clocks is a few microseconds slower, which is negligible for longer calls.
UNSETTLED_SECONDS = 0.001
# By the wall clock, dispatch is a part of calls that are longer: it needs its code in the caches.
COLD_SECONDS = 0.01
# The events of the profiler take some microseconds: less than a hundredth of passes that are longer, in such calls.
ONE_LOOP_SECONDS = 0.005
LONG_PASS_NS = 1_000_000
TRACE_STEP_US = 1.0
NANOSECONDS = 1000.0
"""In a microsecond."""
# Two samples are taken before the rule is asked for the first time, if an iteration takes less than this.
MAX_UNCHECKED_SECONDS = 4.0
# The maximum number of times that a disturbed sample is taken again, so that a busy machine still gives samples.
MAX_RETAKES = 3
MAX_FRESH_RETAKES = 10
# Counts differ little between iterations: a few are enough, and they take a quarter of the samples' time at most.
COUNTED = 16
COUNTED_SHARE = 0.25
# Precision is a ratio, so that any reference will do.
ANY_REFERENCE = Reference("any", 1.0, "")


class SideTimer(Protocol):
    """Takes samples of another call beside those of the case, and adds them to its passes."""

    def take(self, count: int, end: float, *, discard_first: bool) -> None:
        """Takes `count` samples; disturbed ones are taken again until `end` (monotonic seconds)."""

    def added(self, passes: tuple[PassSamples, PassSamples | None]) -> tuple[PassSamples, PassSamples | None]:
        """The samples of both passes with those of the other call."""


def one_loop(runner: Runner, iteration_seconds: float) -> bool:
    """Whether traced calls give wall times, too: the few events of one operator take nothing of long passes."""
    case = runner.call.case
    if iteration_seconds < ONE_LOOP_SECONDS or case.way != "call" or case.graphs or not runner.warm_calls:
        return False
    return all(min(call.forward, call.backward or call.forward) >= LONG_PASS_NS for call in runner.warm_calls)


class Sampler:
    """The samples of a case by both clocks; without a recorder, by the wall clock only.

    With a counter, the events of further iterations; with a timer `beside`, samples of another call in blocks between.
    With a `wait`, blocks begin when the machine is at its reference speed, as long as it has time left. That time comes
    on top of the samples'.
    """

    def __init__(
        self,
        runner: Runner,
        recorder: Profiler | None,
        counter: EventCounter | None = None,
        beside: SideTimer | None = None,
        wait: SpeedWait | None = None,
    ) -> None:
        self._runner = runner
        self._recorder = recorder
        self._counter = counter
        self._beside = beside
        self._wait = wait
        self._waited = 0.0
        self._operator = kernel_name(runner.call.case)
        self._backward = bool(runner.call.gradients)
        self._end = float("inf")
        self._block, self._discard_first, self._discard_cold = BLOCK, False, False
        self._wall: list[Boundaries] = []
        self._traced: list[Boundaries] = []
        self._kernels: list[Kernel] = []
        self._counts: list[Counts] = []
        # Kernel times of the forward and the backward pass, for the rule.
        self._totals: tuple[list[float], list[float]] = ([], [])
        self._is_one_loop = False
        self.trace_seconds = 0.0

    def sample(self, rule: StoppingRule, iteration_seconds: float, seconds: float) -> None:
        """Samples until the rule stops; an iteration takes `iteration_seconds`, all samples about `seconds`."""
        self._time(rule, iteration_seconds, seconds)
        if self._counter:
            count = rule.count if isinstance(rule, ExactCount) else _counted_iterations(iteration_seconds, seconds)
            discard_first = iteration_seconds < UNSETTLED_SECONDS
            self._counts = self._runner.counted(self._counter, count, discard_first=discard_first)

    def _time(self, rule: StoppingRule, iteration_seconds: float, seconds: float) -> None:
        """Takes all samples by the wall clock first: short calls take up to a fifth longer beside traced ones."""
        self._end = time.monotonic() + seconds
        if not isinstance(rule, ExactCount):
            self._block = max(1, min(BLOCK, int(BLOCK_SECONDS / max(iteration_seconds, 1e-9))))
            self._discard_first = iteration_seconds < UNSETTLED_SECONDS
            self._discard_cold = iteration_seconds < COLD_SECONDS
        if self._recorder and not self._beside and one_loop(self._runner, iteration_seconds):
            self._discard_first = self._discard_cold
            first = self._first_checkpoint(iteration_seconds, seconds)
            self._until(rule, self._take_both, lambda: [*self._wall_readings(), *self._kernel_readings()], first)
            return
        clocks = 2 if self._recorder else 1
        first = self._first_checkpoint(clocks * iteration_seconds, seconds)
        untraced = 2 if self._beside else 1
        share = untraced / (untraced + 1) if self._recorder else 1.0
        spent = self._until(rule, self._take, self._wall_readings, first, share=share)
        if self._recorder:
            self._until(rule, self._take_traced, self._kernel_readings, first, spent=spent)

    def _until(
        self,
        rule: StoppingRule,
        take: Callable[[int], None],
        readings: Callable[[], Sequence[Readings]],
        first: int,
        *,
        share: float = 1.0,
        spent: float = 0.0,
    ) -> float:
        """Takes samples until the rule stops, which has `share` of its time for them; returns the seconds in all."""
        if isinstance(rule, ExactCount):
            take(rule.count)
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
        passes = self._beside.added(self._times()) if self._beside else self._times()
        passes = with_warm_up(*passes, self._runner, [*self._wall, *self._traced])
        return with_counts(*passes, [self._counts], self._counter.names) if self._counter else passes

    def _times(self) -> tuple[PassSamples, PassSamples | None]:
        wall = [call for call in self._wall if call.counted]
        retaken = retaken_of(self._traced if self._is_one_loop else [*self._wall, *self._traced])
        if self._recorder is None:
            return wall_samples(wall, retaken), wall_samples(wall, retaken, backward=True) if self._backward else None
        first, second, notes = attribute(self._kernels, self._traced, self._operator, self._recorder.roles)
        traced = [call for call in self._traced if call.counted]
        forward = with_kernels(wall_samples(wall, retaken), first, traced, notes)
        if not self._backward:
            return forward, None
        return forward, with_kernels(wall_samples(wall, retaken, backward=True), second, traced, backward=True)

    def _first_checkpoint(self, iteration_seconds: float, seconds: float) -> int:
        """The first checkpoint: a power of two in at most half of the time, but two samples if these are short."""
        count = FIRST_SAMPLES
        while count > 1 and count * iteration_seconds > (seconds / 2 if count > 2 else MAX_UNCHECKED_SECONDS):
            count //= 2
        return count

    def _take(self, count: int) -> None:
        """Takes samples by the wall clock, in alternating blocks with those of the call beside."""
        for size in _blocks(count, self._block):
            self._wait_for_speed()
            self._wall += undisturbed(
                lambda missing: self._runner.block(time.perf_counter_ns, missing, discard_first=self._discard_cold),
                size,
                self._end,
            )
            if self._beside:
                self._beside.take(size, self._end, discard_first=self._discard_cold)

    def _take_traced(self, count: int) -> None:
        """Takes samples with the profiler running."""
        traced: list[Boundaries] = []
        for size in _blocks(count, self._block):
            self._wait_for_speed()
            traced += undisturbed(
                lambda missing: self._runner.traced(missing, discard_first=self._discard_first), size, self._end
            )
        self._read(traced)

    def _take_both(self, count: int) -> None:
        """Takes samples with the profiler running, which are those by the wall clock too."""
        taken = len(self._traced)
        self._take_traced(count)
        self._wall += self._traced[taken:]
        self._is_one_loop = True

    def _wait_for_speed(self) -> None:
        if self._wait:
            waited = self._wait.wait()
            self._waited += waited
            self._end += waited

    def _read(self, traced: Sequence[Boundaries]) -> None:
        """Reads the kernels of traced calls, and adds their times for the stopping rule."""
        if self._recorder is None:
            return
        begin = time.monotonic()
        trace = self._recorder.kernels()
        self._traced += traced
        self._kernels += trace
        forward, backward, _ = attribute(trace, traced, self._operator, self._recorder.roles)
        self._totals[0].extend(forward.totals)
        self._totals[1].extend(backward.totals)
        self.trace_seconds += time.monotonic() - begin

    def _wall_readings(self) -> list[Readings]:
        """The wall times of each pass at one speed of the machine."""
        wall = [call for call in self._wall if call.counted]
        readings = [Readings(self._at_one_speed([call.forward for call in wall], wall))]
        if self._backward:
            readings.append(Readings(self._at_one_speed([call.backward for call in wall], wall)))
        return readings

    def _kernel_readings(self) -> list[Readings]:
        """The kernel times of each pass that has any; the traced calls' times if there are none."""
        readings = [Readings(totals, TRACE_STEP_US) for totals in self._totals if totals]
        return readings or [Readings([call.forward for call in self._traced if call.counted])]

    def _at_one_speed(self, samples: Sequence[float], calls: Sequence[Boundaries]) -> list[float]:
        probes = probes_of(calls)
        if not probes:
            return list(samples)
        slope = typical_slope(WALL, median(sorted(samples)) / NANOSECONDS)
        return corrected(samples, probes, (), ANY_REFERENCE, slope)


def _blocks(count: int, block: int) -> Iterator[int]:
    for at in range(0, count, block):
        yield min(block, count - at)


def _counted_iterations(iteration_seconds: float, seconds: float) -> int:
    """At least two, unless these are long."""
    fitting = int(COUNTED_SHARE * seconds / max(iteration_seconds, 1e-9))
    return max(1 if 2 * iteration_seconds > MAX_UNCHECKED_SECONDS else 2, min(COUNTED, fitting))


def undisturbed(take: Callable[[int], list[Boundaries]], count: int, end: float) -> list[Boundaries]:
    """`count` samples by `take`. Disturbed ones are taken again, three times at most, and once only after `end`.

    `end` is on the monotonic clock. Those that took fresh memory are not samples of the settled state, and are taken
    again ten times, whatever the time. Samples that were taken again are not counted; those of the last attempt are.
    """
    calls: list[Boundaries] = []
    for attempt in range(MAX_FRESH_RETAKES):
        block = take(count)
        has_time = attempt < MAX_RETAKES and (not attempt or time.monotonic() < end)
        again = [call.counted and (call.fresh or (has_time and call.disturbed)) for call in block]
        count = sum(again)
        if not count:
            return calls + block
        calls += [call._replace(counted=False) if repeat else call for call, repeat in zip(block, again, strict=True)]
    return calls + take(count)


def retaken_of(calls: Sequence[Boundaries]) -> int:
    """The number of samples that were taken again."""
    return sum((call.disturbed or call.fresh) and not call.counted for call in calls)


def wall_samples(calls: Sequence[Boundaries], retaken: int, *, backward: bool = False) -> PassSamples:
    """The wall times of one pass of counted calls."""
    return PassSamples(
        tuple(call.passed(backward=backward) / 1000 for call in calls),
        wall_probes=probes_of(calls),
        retaken=retaken,
        waited=sum(call.waited for call in calls),
        faults=faults_of(calls, backward=backward),
    )


def with_kernels(
    wall: PassSamples,
    traced: Attributed,
    calls: Sequence[Boundaries],
    notes: tuple[str, ...] = (),
    *,
    backward: bool = False,
) -> PassSamples:
    """The samples of one pass with its kernels; `calls` are the counted ones of the trace."""
    silent = frozenset(traced.silent)
    heard = [call for place, call in enumerate(calls) if place not in silent]
    return msgspec.structs.replace(
        wall,
        kernel=traced.totals,
        kernels=traced.kernels,
        helpers=traced.helpers,
        spans=traced.spans,
        notes=(*traced.notes, *notes, *(() if traced.totals else ("no kernel of its own is in the trace",))),
        kernel_probes=probes_of(heard),
        kernel_faults=faults_of(heard, backward=backward),
        waited=wall.waited + sum(call.waited for call in calls),
    )


def with_warm_up(
    forward: PassSamples, backward: PassSamples | None, runner: Runner, samples: Sequence[Boundaries]
) -> tuple[PassSamples, PassSamples | None]:
    """The samples of both passes with their first call, whether they are of the settled state, and recompilations."""
    first, settled = runner.first_us, runner.are_settled([call for call in samples if call.counted])
    recompiled = runner.recompiled or (None, None)
    replace = msgspec.structs.replace
    return (
        replace(forward, first_us=first and first[0], settled=settled, recompiled=recompiled[0]),
        backward and replace(backward, first_us=first and first[1], settled=settled, recompiled=recompiled[1]),
    )


def with_counts(
    forward: PassSamples, backward: PassSamples | None, turns: Sequence[Sequence[Counts]], names: Sequence[str]
) -> tuple[PassSamples, PassSamples | None]:
    """The samples of both passes with the counts of each turn's iterations, by the names of the events."""
    forwards, backwards = zip(*(counts for turn in turns for counts in turn), strict=True)
    sizes = tuple(map(len, turns)) if forward.turns else ()
    replace = msgspec.structs.replace
    return (
        replace(forward, counts=dict(zip(names, zip(*forwards, strict=True), strict=True)), count_turns=sizes),
        backward
        and replace(backward, counts=dict(zip(names, zip(*backwards, strict=True), strict=True)), count_turns=sizes),
    )


def faults_of(calls: Sequence[Boundaries], *, backward: bool) -> tuple[int, ...]:
    """The page faults of one pass of each call; empty if no call had any."""
    faults = tuple(call.faults[backward] for call in calls)
    return faults if any(faults) else ()


def probes_of(calls: Sequence[Boundaries]) -> Probes | None:
    """The readings of the probe beside these calls in microseconds; None without a probe."""
    if not calls or not calls[0].before:
        return None
    return Probes(tuple(call.before / 1000 for call in calls), tuple(call.after / 1000 for call in calls))


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
