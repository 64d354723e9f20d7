"""Runs iterations of a call with separate forward and backward passes: one loop for both times, one for counts."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from autoperf.backends import passes
from autoperf.backends.protocol import NOT_COMPILED, Compilations, Outputs, PreparedCall, Profiler, compiled_again
from autoperf.measurement.attribution import Boundaries
from autoperf.measurement.probe import Probe
from autoperf.measurement.scratch import are_settled, settled_faults, takes_more
from autoperf.measurement.stopping_rules import SettledState
from autoperf.processes.counters import Counter
from autoperf.processes.forks import Usage, usage_reader

# The two readings beside an iteration differ by more than this if the speed of the machine has changed.
MAX_JUMP = 0.1
# Time of an iteration in which its process didn't run: more, in nanoseconds and as a share, is another program's.
MAX_WAIT_NS = 10_000
MAX_WAIT = 0.03

# Shorter iterations are preceded by uncounted ones: after 10 us of other work, such as the probe, their code and data
# are no longer in the nearest caches, which costs up to 5 us a pass, and up to 40 us a pass after a kernel of
# milliseconds, whose data takes the caches too. The number of uncounted ones by nanoseconds:
UNCOUNTED = ((200_000, 4), (1_000_000, 2), (10_000_000, 1))
GROUP = 4
"""The number of short samples between two readings: uncounted calls before each would take four fifths of the time."""
NO_USAGE = Usage(0, 0)

Clock = Callable[[], int]


class Counts(NamedTuple):
    """The number of each event in one iteration: in the forward pass, and in the backward pass, empty without one."""

    forward: tuple[int, ...]
    backward: tuple[int, ...] = ()


class Runner:
    """Iterations of a call: forward, and backward if it has gradients; each pass ends when the engine is idle."""

    def __init__(
        self,
        call: PreparedCall,
        probe: Probe | None = None,
        on_wait: Callable[[], object] | None = None,
        profiler: Profiler | None = None,
    ) -> None:
        """With a probe, each iteration of a block stands between two readings of it.

        With `on_wait` the process has one processor, so that time in which it doesn't run is time that it waited for
        another program; the function is called after a block in which it did. `profiler` records traced blocks.
        """
        self.call, self.probe = call, probe
        self._on_wait, self._profiler = on_wait, profiler
        self._waited = False
        self._invoke, self._upstream, self._idle = call.invoke, call.upstream, call.idle
        self._recording: Profiler | None = None
        self._usage = usage_reader()
        self._settled: tuple[int, int] | None = None
        self._uncounted: int | None = None
        self._at_warm_up: tuple[Compilations, Compilations] | None = None
        self.warm_calls: list[Boundaries] = []

    def release(self, outputs: Outputs) -> None:
        """Frees outputs and waits for their deletion, so that it doesn't overlap with the next call.

        The deletion isn't traced: it belongs to no pass, and would make the trace half as long again.
        """
        recording = self._recording
        if recording:
            recording.pause()
        passes.release(self.call, outputs)
        if recording:
            recording.resume()

    def run_once(self, clock: Clock) -> Boundaries:
        """Runs one timed iteration; switching the recording and freeing the outputs are not timed."""
        with self.call.mode():
            return self._once(clock)

    def _once(self, clock: Clock) -> Boundaries:
        return self._compared(self._released(clock, self._usage))

    def _probed(self, clock: Clock, probe: Probe, before: int, uncounted: int, count: int) -> list[Boundaries]:
        """Uncounted iterations and samples, between two readings of the probe, of which the first was taken already.

        Nothing is read just before a short sample: a reading of the usage takes microseconds, and the next call is as
        much longer as its code has to come back into the caches. It comes before the last of several uncounted ones.
        """
        is_short = uncounted > 1
        first = [self._unread(clock) for _ in range(uncounted - is_short)]
        usage, begin = self._usage(), time.perf_counter_ns()
        if is_short:
            first.append(self._unread(clock))
        read = _no_usage if is_short else self._usage
        samples = [self._released(clock, read) for _ in range(count - 1)]
        call, outputs = self._passes(clock, read)
        used, elapsed = self._usage(), time.perf_counter_ns() - begin
        self.release(outputs)
        samples.append(call)
        after = probe.read()
        if is_short:
            samples = self._with_faults(samples, used.faults - usage.faults)
        waited = elapsed - (used.cpu_ns - usage.cpu_ns)
        has_waited = self._on_wait is not None and waited > max(count * MAX_WAIT_NS, MAX_WAIT * elapsed)
        self._waited |= has_waited
        disturbed = has_waited or max(before, after) > (1 + MAX_JUMP) * min(before, after)
        taken = (
            self._compared(sample)._replace(before=before, after=after, disturbed=disturbed, waited=has_waited)
            for sample in samples
        )
        return [*first, *taken]

    def _unread(self, clock: Clock) -> Boundaries:
        return _uncounted(self._released(clock, _no_usage))

    def _released(self, clock: Clock, read: Callable[[], Usage]) -> Boundaries:
        boundaries, outputs = self._passes(clock, read)
        self.release(outputs)
        return boundaries

    def _with_faults(self, samples: Sequence[Boundaries], faults: int) -> list[Boundaries]:
        """Samples with their parts of the page faults since the uncounted iteration before them began.

        That one took as many as in the settled state. Others are rare: one sample's count for each, as its second
        pass's.
        """
        settled = self._settled or (0, 0)
        own = -(-max(0, faults - sum(settled)) // len(samples))
        first = min(own, settled[0]) if self.call.gradients else own
        return [sample._replace(faults=(first, own - first)) for sample in samples]

    def _passes(self, clock: Clock, read: Callable[[], Usage]) -> tuple[Boundaries, Outputs]:
        """The passes of an iteration, with the page faults by `read`, and the outputs, which have to be released."""
        invoke, idle = self._invoke, self._idle
        if self._upstream:
            self._upstream()
        before = read()
        # Nothing but the call and the wait between the clocks: a method more takes 1% of the shortest calls.
        start = clock()
        outputs = invoke()
        failed = idle()
        middle = clock()
        if failed:
            self.call.check()
        after = read()
        forward = after.faults - before.faults
        if not self.call.gradients:
            return Boundaries(start, middle, middle, faults=(forward, 0)), outputs
        begin = clock()
        self.call.run_backward(outputs)
        failed = idle()
        end = clock()
        if failed:
            self.call.check()
        faults = (forward, read().faults - after.faults)
        return Boundaries(start, middle, end, between=begin - middle, faults=faults), outputs

    def _compared(self, call: Boundaries) -> Boundaries:
        """The call, marked if it took more fresh memory than in the settled state.

        Most take none. Little is done here, since work between two short calls takes their place in the caches.
        """
        if self._settled is None or call.faults == self._settled or not takes_more(call, self._settled):
            return call
        return call._replace(fresh=True)

    def warm_up(self, rule: SettledState | int) -> list[Boundaries]:
        """Timed iterations until the rule stops them, or so many; samples are compared with the last ones' memory."""
        calls = self.warm_calls
        with gc_paused(), self.call.mode():
            begin = time.monotonic()
            while len(calls) < rule if isinstance(rule, int) else not rule.enough(calls, time.monotonic() - begin):
                calls.append(self._once(time.perf_counter_ns))
                if len(calls) == 1 and self.call.compilations:
                    # It compiles, which may take longer than the whole warm-up.
                    begin = time.monotonic()
        self._at_warm_up = self.call.compilations
        if calls:
            self._settled, self._uncounted = settled_faults(calls), self._number_before(calls)
        return calls

    def _number_before(self, calls: Sequence[Boundaries]) -> int:
        """The number of uncounted iterations before each sample, by the fastest of earlier calls.

        There are none if upstream calls run before each: a network doesn't make one call twice in a row.
        """
        fastest = min(call.forward + call.backward for call in calls)
        return 0 if self._upstream else next((number for limit, number in UNCOUNTED if fastest < limit), 0)

    def are_settled(self, samples: Sequence[Boundaries]) -> bool:
        """Whether these samples are of the settled state."""
        return are_settled(self.warm_calls, samples)

    @property
    def first_us(self) -> tuple[float, float] | None:
        """Microseconds of both passes in the first call; None without a warm-up."""
        if self.call.first_us:
            return self.call.first_us
        first = self.warm_calls[0] if self.warm_calls else None
        return (first.forward / 1000, first.backward / 1000) if first else None

    @property
    def recompiled(self) -> tuple[tuple[int, int], ...]:
        """Compilations after the first one of each pass, in the warm-up and since; empty if it isn't compiled."""
        now = self.call.compilations
        return tuple(map(compiled_again, self._at_warm_up or NOT_COMPILED, now)) if now else ()

    def block(self, clock: Clock, count: int, *, discard_first: bool = False) -> list[Boundaries]:
        """`count` timed iterations, after uncounted ones if `discard_first`; with a probe, between readings of it."""
        with gc_paused(), self.call.mode():
            # A long one is preceded by one uncounted iteration anyway.
            first = [_uncounted(self._once(clock))] if discard_first and self._uncounted != 1 else []
            if self.probe is None:
                return first + [self._once(clock) for _ in range(count)]
            uncounted = 0
            if discard_first:
                uncounted = self._number_before(first) if self._uncounted is None else self._uncounted
            self._waited = False
            reading = self.probe.read()
            # Short ones in groups, each after uncounted ones.
            size = GROUP if uncounted > 1 else 1
            for at in range(0, count, size):
                calls = self._probed(clock, self.probe, reading, uncounted, min(size, count - at))
                reading = calls[-1].after
                first += calls
            if self._waited and self._on_wait:
                self._on_wait()
            return first

    def counted(self, counter: Counter, count: int, *, discard_first: bool = False) -> list[Counts]:
        """The events in `count` iterations, after an uncounted one if `discard_first`."""
        with gc_paused(), self.call.mode():
            if discard_first:
                self._once(time.perf_counter_ns)
            return [self._counted(counter) for _ in range(count)]

    def _counted(self, counter: Counter) -> Counts:
        counter.start()
        try:
            outputs = self.call.invoke()
            passes.wait(self.call)
        finally:
            forward = counter.stop()
        backward: tuple[int, ...] = ()
        if self.call.gradients:
            counter.start()
            try:
                passes.backward(self.call, outputs)
            finally:
                backward = counter.stop()
        self.release(outputs)
        return Counts(forward, backward)

    def traced(self, count: int, *, discard_first: bool = False) -> list[Boundaries]:
        """A block with the profiler running, timed by the trace's clock; nothing without a profiler."""
        if self._profiler is None:
            return []
        self._recording = self._profiler
        try:
            with self._profiler.recording():
                return self.block(time.time_ns, count, discard_first=discard_first)
        finally:
            self._recording = None


def _no_usage() -> Usage:
    return NO_USAGE


def _uncounted(call: Boundaries) -> Boundaries:
    return call._replace(counted=False, fresh=False)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pauses garbage collection, which would otherwise fall into a sample."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
