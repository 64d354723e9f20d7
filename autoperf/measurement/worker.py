"""Times cases, one at a time, in a freshly started process: by the C API and through the Python package."""

from __future__ import annotations

import contextlib
import os
import sys
import time

from autoperf.backends.protocol import Engine, PreparedCall
from autoperf.core.errors import AutoperfError, EngineError
from autoperf.core.outcome import Status
from autoperf.counts.requests import PROCESSOR
from autoperf.measurement import messages
from autoperf.measurement.case_calls import CaseCalls, PythonCall
from autoperf.measurement.child_setup import case_failure, mover_of, prepared, run, serve_requests
from autoperf.measurement.open_case import OpenCase
from autoperf.measurement.probe import Probe, SpeedWait
from autoperf.measurement.results_check import timed_difference
from autoperf.measurement.runner import Runner, gc_paused
from autoperf.measurement.sampling import ConditionsMonitor, Sampler
from autoperf.measurement.settings import Settings, sampling_rule, sampling_seconds, warmup_rule
from autoperf.processes.counters import EVENTS, Counter
from autoperf.processes.forks import limit_memory, release_free_memory

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
    """Times and counts cases by this process's framework; keeps the open case of a comparison in turn."""

    def __init__(self, engine: Engine, settings: Settings, counter: Counter | None = None) -> None:
        self.engine, self.settings = engine, settings
        self._open: tuple[OpenCase, messages.Task] | None = None
        self._counter = counter
        self._probe = Probe()
        self._wait: SpeedWait | None = None
        self._on_wait = mover_of(settings)
        takes_kernels = settings.profiler == "native"
        # A profiler is configured once; without kernel times it still shows the kernels of a function of Python.
        recorder = engine.profiler() if takes_kernels or settings.calls_python else None
        self._recorder = recorder if takes_kernels else None
        self._python_recorder = recorder if settings.calls_python else None

    def answer(
        self, message: messages.Request
    ) -> messages.Measured | messages.Opened | messages.Turned | messages.CaseFailure:
        """The answer to a request, or the failure."""
        try:
            match message:
                case messages.Task():
                    return self._measure(message)
                case messages.Open(task=task):
                    return self._open_case(task)
                case messages.Turn():
                    self._require_open()[0].turn(message)
                    return messages.Turned()
                case messages.Close():
                    opened, task = self._require_open()
                    measured = messages.Measured(*opened.samples(), {}, timed_difference(opened.call, task))
                    self._close_open()
                    return measured
        except Exception as error:  # noqa: BLE001 - a case may raise anything; only that case fails
            with contextlib.suppress(AutoperfError):
                self._close_open()
            return case_failure(self.engine, error, self.settings.bytes_allowed)
        return messages.CaseFailure(Status.FAILED, f"invalid request {message}: expected a case to time")

    def _measure(self, task: messages.Task) -> messages.Measured:
        watch = Stopwatch()
        self._close_open()
        call = prepared(self.engine, self.settings, task)
        try:
            # With one seed for all, every process would draw the same numbers, and be fast or slow at the same samples:
            # gamma takes 11 or 15 ms, depending on its numbers. Interleaved sides keep their seed, and draw alike.
            self.engine.seed((int(call.case.digest[:SEED_DIGITS], 16) ^ os.getpid()) & MAX_SEED)
            watch.stop("prepare")
            samples = self._time(call, task, watch)
        finally:
            _free(call)
        watch.stop("free")
        return messages.Measured(*samples, watch.stages)

    def _open_case(self, task: messages.Task) -> messages.Opened:
        self._close_open()
        call = prepared(self.engine, self.settings, task)
        try:
            calls = self._calls(self._runner(call), task, in_turns=True)
            case = OpenCase(calls, warmup_rule(self.settings, task.seconds))
        except BaseException:
            _free(call)
            raise
        self._open = case, task
        return messages.Opened(case.iteration_seconds)

    def _require_open(self) -> tuple[OpenCase, messages.Task]:
        if self._open is None:
            raise EngineError("the process that had the case open was lost")
        return self._open

    def _close_open(self) -> None:
        if self._open is not None:
            (case, _), self._open = self._open, None
            _free(case.call)

    def _runner(self, call: PreparedCall) -> Runner:
        return Runner(call, self._probe, self._on_wait, self._recorder)

    def _calls(self, runner: Runner, task: messages.Task, *, in_turns: bool = False) -> CaseCalls:
        """The calls of a case by all clocks; that in Python, if it is requested, is warmed up."""
        call, result, python = runner.call, task.trial_result, None
        if self.settings.calls_python and result and call.case.way != "layer":
            warmup = warmup_rule(self.settings, task.seconds)
            python = PythonCall(lambda: self.engine.in_python(call, result, self._python_recorder), self._probe, warmup)
        note = result.backward_request.note if result and result.backward_request else ""
        return CaseCalls(runner, self._recorder, self._counter, python, backward_note=note, in_turns=in_turns)

    def _speed_wait(self, task: messages.Task) -> SpeedWait | None:
        """The wait for the reference speed, or None if the user fixed the sampling time."""
        if self.settings.runs is not None or task.reference_us is None:
            return None
        seconds = WAIT_SHARE * sampling_seconds(self.settings, task.seconds)
        us = task.reference_us
        self._wait = self._wait.next(us, seconds) if self._wait else SpeedWait(self._probe, us, seconds)
        return self._wait

    def _time(
        self, call: PreparedCall, task: messages.Task, watch: Stopwatch
    ) -> tuple[messages.PassSamples, messages.PassSamples | None, messages.Conditions]:
        runner = self._runner(call)
        release_free_memory()
        warm = runner.warm_up(warmup_rule(self.settings, task.seconds))
        watch.stop("warm-up")
        iteration_seconds = min((call.seconds for call in warm), default=0.0)
        sampler = Sampler(self._calls(runner, task), self._speed_wait(task))
        monitor = ConditionsMonitor()
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


def serve(channel: messages.Service, engine: Engine, settings: Settings) -> None:
    """Times one case at a time until the channel is closed."""
    # After the framework has started its threads, all of which are counted.
    counter = Counter(*(EVENTS[name] for name in settings.counters)) if settings.counted_by == PROCESSOR else None
    worker = Worker(engine, settings, counter)
    limit_memory(settings.bytes_allowed)
    serve_requests(channel, worker.answer)


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, takes_times=True))
