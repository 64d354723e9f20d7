"""Times cases, one at a time, in a freshly started process: by the C API and through the Python package."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import msgspec

from autoperf.backends.protocol import Engine, PreparedCall, TrialResult
from autoperf.core.errors import AutoperfError, EngineError
from autoperf.core.outcome import Status
from autoperf.counts.choice import PROCESSOR
from autoperf.measurement.attribution import Boundaries
from autoperf.measurement.child_setup import case_failure, mover_of, run, serve_requests
from autoperf.measurement.messages import (
    CaseFailure,
    Close,
    Conditions,
    Measured,
    Open,
    Opened,
    PassSamples,
    PythonSamples,
    Request,
    Service,
    Task,
    Turn,
    Turned,
)
from autoperf.measurement.open_case import OpenCase, wall_block
from autoperf.measurement.probe import Probe, SpeedWait, SpeedWaits
from autoperf.measurement.results_check import timed_difference
from autoperf.measurement.runner import EventCounter, Runner, gc_paused
from autoperf.measurement.sampling import ConditionsMonitor, Sampler, SideTimer, probes_of
from autoperf.measurement.settings import Settings, sampling_rule, sampling_seconds, warmup_rule
from autoperf.measurement.stopping_rules import WarmUpRule
from autoperf.processes.counters import EVENTS, Counter
from autoperf.processes.forks import limit_memory, release_free_memory

Passes: TypeAlias = tuple[PassSamples, PassSamples | None]


class TimedCall:
    """The samples of a call that a function of the package makes."""

    def __init__(self, function: str, call: PreparedCall, probe: Probe, warmup: WarmUpRule) -> None:
        """Warms the call up."""
        self._function = function
        self._runner = Runner(call, probe)
        self._turns: list[list[Boundaries]] = []
        self._runner.warm_up(warmup)

    def take(self, count: int, end: float, *, discard_first: bool) -> None:
        """Takes the samples of a block or of a turn."""
        block = wall_block(self._runner, count, end, discard_first=discard_first)
        self._turns.append([call for call in block if call.counted])

    def added(self, passes: Passes) -> Passes:
        """The samples of both passes with those of the call in Python."""
        forward, backward = passes
        sizes = tuple(map(len, self._turns)) if forward.turns else ()
        replace = msgspec.structs.replace
        return (
            replace(forward, python=self._samples(sizes, backward=False)),
            backward and replace(backward, python=self._samples(sizes, backward=True)),
        )

    def _samples(self, turns: tuple[int, ...], *, backward: bool) -> PythonSamples:
        calls = [call for turn in self._turns for call in turn]
        times = [call.passed(backward=backward) for call in calls]
        wall = tuple(time / 1000 for time in times)
        return PythonSamples(self._function, wall, probes_of(calls), turns)


class NoCall:
    """Stands for a case that no function of the package calls, for this reason."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def take(self, count: int, end: float, *, discard_first: bool) -> None:
        """Takes nothing."""

    def added(self, passes: Passes) -> Passes:
        """The samples with a note of the reason."""
        forward, backward = passes
        return msgspec.structs.replace(forward, notes=(*forward.notes, self._reason)), backward


def python_timer(make: Callable[[], tuple[str, PreparedCall]], probe: Probe, warmup: WarmUpRule) -> SideTimer:
    """The timer of a function and the call that it makes; one that takes nothing if there is none (EngineError)."""
    try:
        return TimedCall(*make(), probe, warmup)
    except EngineError as error:
        return NoCall(str(error))


# The maximum wait for the reference speed, as a multiple of the time for samples. A shared machine changes its speed
# ten times a second.
WAIT_SHARE = 3.0
SEED_DIGITS, MAX_SEED = 8, 2**31 - 1


class Stopwatch:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = time.monotonic()

    def stop(self, stage: str) -> None:
        """Assigns the time since the last stop to this stage."""
        now = time.monotonic()
        self.stages[stage] = now - self._last
        self._last = now


class Worker:
    """Times cases with the framework and settings of this process; keeps the open case of an interleaved comparison.

    With a counter, its events in each pass are counted too.
    """

    def __init__(self, engine: Engine, settings: Settings, counter: EventCounter | None = None) -> None:
        self.engine = engine
        self.settings = settings
        self._open: OpenCase | None = None
        self._task: Task | None = None
        self._counter = counter
        self._probe = Probe()
        self._waits = SpeedWaits(self._probe)
        self._on_wait = mover_of(settings)
        takes_kernels = settings.profiler == "native"
        # A profiler is configured once; without kernel times it still shows the kernels of a function of Python.
        recorder = engine.profiler() if takes_kernels or settings.calls_python else None
        self._recorder = recorder if takes_kernels else None
        self._python_recorder = recorder if settings.calls_python else None

    def answer(self, message: Request) -> Measured | Opened | Turned | CaseFailure:
        """The answer to a request, or the failure."""
        if isinstance(message, Task):
            return self._answer(message)
        try:
            if isinstance(message, Open):
                return self._open_case(message.task)
            if isinstance(message, Turn):
                self._require_open().turn(message)
                return Turned()
            if isinstance(message, Close):
                return self._close()
        except Exception as error:  # noqa: BLE001 - a case may raise anything; only that case fails
            with contextlib.suppress(AutoperfError):
                self._close_open()
            return case_failure(self.engine, error, self.settings.bytes_allowed)
        return CaseFailure(Status.FAILED, f"invalid request {message}: expected a case to time")

    def _answer(self, task: Task) -> Measured | CaseFailure:
        watch = Stopwatch()
        try:
            self._close_open()
            forward, backward, conditions = self._timed(task, watch)
        except Exception as error:  # noqa: BLE001 - a case may raise anything; only that case fails
            return case_failure(self.engine, error, self.settings.bytes_allowed)
        watch.stop("free")
        return Measured(forward, backward, conditions, watch.stages)

    def _timed(self, task: Task, watch: Stopwatch) -> tuple[PassSamples, PassSamples | None, Conditions]:
        """The samples of both passes of a case, whose tensors are freed in any case."""
        call = self._prepare(task)
        try:
            # With one seed for all, every process would draw the same numbers, and be fast or slow at the same samples:
            # gamma takes 11 or 15 ms, depending on its numbers. Interleaved sides keep their seed, and draw alike.
            self.engine.seed((int(call.case.digest[:SEED_DIGITS], 16) ^ os.getpid()) & MAX_SEED)
            watch.stop("prepare")
            forward, backward, conditions = self._time(call, task, watch)
            return _of_call(forward, call), _with_note(backward, task.trial_result), conditions
        finally:
            _free(call)

    def _open_case(self, task: Task) -> Opened:
        self._close_open()
        call = self._prepare(task)
        try:
            warmup = warmup_rule(self.settings, task.seconds)
            python = self._python_timer(call, task)
            self._open = OpenCase(self._runner(call), self._recorder, warmup, self._counter, python)
        except BaseException:
            _free(call)
            raise
        self._task = task
        return Opened(self._open.iteration_seconds)

    def _require_open(self) -> OpenCase:
        if self._open is None:
            raise EngineError("the process that had the case open was lost")
        return self._open

    def _close(self) -> Measured:
        case, task = self._require_open(), self._task
        forward, backward, conditions = case.samples()
        forward = _of_call(forward, case.call)
        difference = timed_difference(case.call, task) if task else None
        self._close_open()
        return Measured(forward, _with_note(backward, task.trial_result if task else None), conditions, {}, difference)

    def _close_open(self) -> None:
        if self._open is not None:
            case, self._open = self._open, None
            _free(case.call)

    def _prepare(self, task: Task) -> PreparedCall:
        trial_result = task.trial_result
        options = replace(self.settings.call_options, upstream=True)
        call = self.engine.prepare(task.case, options, task.program)
        if trial_result and trial_result.backward_request:
            call.request_gradients(trial_result.backward_request)
            call.make_heads(trial_result.outputs)
        return call

    def _runner(self, call: PreparedCall) -> Runner:
        return Runner(call, self._probe, self._on_wait, self._recorder)

    def _python_timer(self, call: PreparedCall, task: Task) -> SideTimer | None:
        """The timer of the call in Python, if it is requested."""
        result = task.trial_result
        if not self.settings.calls_python or result is None or call.case.way == "layer":
            return None
        warmup = warmup_rule(self.settings, task.seconds)
        return python_timer(lambda: self.engine.in_python(call, result, self._python_recorder), self._probe, warmup)

    def _speed_wait(self, task: Task) -> SpeedWait | None:
        """The wait for the reference speed, or None if the user fixed the sampling time."""
        if self.settings.runs is not None or task.reference_us is None:
            return None
        seconds = WAIT_SHARE * sampling_seconds(self.settings, task.seconds)
        return self._waits.next(task.reference_us, seconds)

    def _time(
        self, call: PreparedCall, task: Task, watch: Stopwatch
    ) -> tuple[PassSamples, PassSamples | None, Conditions]:
        runner = self._runner(call)
        release_free_memory()
        warm = runner.warm_up(warmup_rule(self.settings, task.seconds))
        watch.stop("warm-up")
        iteration_seconds = min((call.seconds for call in warm), default=0.0)
        python = self._python_timer(call, task)
        monitor = ConditionsMonitor()
        sampler = Sampler(runner, self._recorder, self._counter, python, self._speed_wait(task))
        with gc_paused():
            sampler.sample(
                sampling_rule(self.settings, task.seconds),
                iteration_seconds,
                sampling_seconds(self.settings, task.seconds),
            )
            conditions = monitor.close()
            watch.stop("samples")
            watch.stages["samples"] -= sampler.trace_seconds
            forward, backward = sampler.samples()
        watch.stop("trace")
        watch.stages["trace"] += sampler.trace_seconds
        return forward, backward, conditions


def _free(call: PreparedCall) -> None:
    """Frees the tensors of a call, so that a process that waits holds what the framework keeps, and no more."""
    call.free()
    release_free_memory()


def _with_note(backward: PassSamples | None, trial_result: TrialResult | None) -> PassSamples | None:
    note = trial_result.backward_request.note if trial_result and trial_result.backward_request else ""
    return msgspec.structs.replace(backward, notes=(note, *backward.notes)) if backward and note else backward


def _of_call(forward: PassSamples, call: PreparedCall) -> PassSamples:
    return msgspec.structs.replace(forward, notes=(call.note, *forward.notes)) if call.note else forward


def serve(channel: Service, engine: Engine, settings: Settings) -> None:
    """Times one case at a time until the channel is closed."""
    # After the framework has started its threads, all of which are counted.
    counter = Counter(*(EVENTS[name] for name in settings.counters)) if settings.counted_by == PROCESSOR else None
    worker = Worker(engine, settings, counter)
    limit_memory(settings.bytes_allowed)
    serve_requests(channel, worker.answer)


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, takes_times=True))
