"""The process of quick timings: few samples of a case, two cases alternately, or one in turns with another process."""

from __future__ import annotations

import contextlib
import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TypeAlias

from autoperf.backends.contents import differentiable_inputs
from autoperf.backends.passes import backward, forward, release
from autoperf.backends.protocol import BackwardRequest, Engine, Kernel, PreparedCall, Profiler, Program, TrialResult
from autoperf.backends.results import meaningful
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, EngineError
from autoperf.measurement import messages
from autoperf.measurement.attribution import Boundaries, spans_us
from autoperf.measurement.case_calls import traced_block, wall_block
from autoperf.measurement.child_setup import case_failure, mover_of, run, serve_requests
from autoperf.measurement.open_case import PassTurns
from autoperf.measurement.probe import Probe
from autoperf.measurement.results_check import checked_trial, stored_trial
from autoperf.measurement.runner import Runner, gc_paused
from autoperf.measurement.settings import Settings
from autoperf.measurement.stopping_rules import SettledState
from autoperf.processes.forks import limit_memory

# Short calls are repeated until this time has passed; their mean is one sample.
SAMPLE_SECONDS = 0.0005
MAX_LOOPS = 8
# The warm-up of either call of a pair takes at most this share of its time.
WARM_UP_SHARE = 0.25

NO_BACKWARD = "one of the two inputs has no backward pass"

Timed: TypeAlias = messages.QuickTimes | messages.PairedTimes | messages.Opened | messages.Turned | TrialResult


class QuickTimer:
    """Times cases with this process's framework; by the native profiler, the time in which any kernel ran."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine, self._settings = engine, settings
        self._probe = Probe()
        self._on_wait = mover_of(settings)
        self._by_kernels = settings.profiler == "native"
        self._profiler: Profiler | None = None
        self._open: PassTurns | None = None
        self._open_call = contextlib.ExitStack()

    def answer(self, request: messages.Request) -> Timed | messages.CaseFailure:
        """The times that were requested, or the failure."""
        try:
            with gc_paused():
                return self._answer(request)
        except Exception as error:  # noqa: BLE001 - a case may raise anything; only its answer fails
            with contextlib.suppress(AutoperfError):
                self._close_open()
                self._engine.wait()
            return case_failure(self._engine, error, self._settings.bytes_allowed)

    def _answer(self, request: messages.Request) -> Timed:
        match request:
            case messages.Turn():
                self._require_open().turn(request)
                return messages.Turned()
            case messages.Close():
                times = self._require_open().times()
                self._close_open()
                return times
        self._close_open()
        match request:
            case messages.QuickTiming():
                return self._time_case(request)
            case messages.PairedTiming():
                return self._time_pair(request)
            case messages.Open(task=task):
                opened = self._traced_runner(task.case, task.program, backward=task.backward)
                runner, backward = self._open_call.enter_context(opened)
                if task.backward and not backward:
                    raise EngineError(NO_BACKWARD)
                self._open = PassTurns(runner, self._profiler, backward=task.backward)
                return messages.Opened(self._open.iteration_seconds)
            case messages.Task():
                run = checked_trial if request.program else stored_trial
                return run(self._engine, request, self._settings.call_options)
        raise EngineError(f"invalid request {request}: expected a quick or a paired timing")

    def _require_open(self) -> PassTurns:
        if self._open is None:
            raise EngineError("the process that had the case open was lost")
        return self._open

    def _close_open(self) -> None:
        self._open = None
        self._open_call.close()

    def _time_case(self, request: messages.QuickTiming) -> messages.QuickTimes:
        with self._traced_runner(request.case, request.program, backward=request.backward) as (runner, backward):
            # Making the arrays takes no time from the samples.
            begin, profiler = time.monotonic(), self._profiler
            # The warm-up's last call is the sample if half of the time is gone by then, unless kernels are traced.
            samples = runner.warm_up(SettledState(seconds=0.0, limit=request.seconds / 2))[-1:]
            if profiler or time.monotonic() - begin < request.seconds / 2:
                samples = []
                while len(samples) < request.count and (not samples or time.monotonic() - begin < request.seconds):
                    samples += _samples(runner, 1, begin + request.seconds, traced=profiler is not None)
        if profiler:
            return _by_kernels(profiler.kernels(), samples, backward=backward)
        passes = (False, True) if backward else (False,)
        return messages.QuickTimes(*(tuple(call.us(backward=each) for call in samples) for each in passes))

    def _traced_runner(
        self, case: Case, program: Program | None, *, backward: bool
    ) -> AbstractContextManager[tuple[Runner, bool]]:
        """As `_runner`, with the profiler if kernels are timed. Raises EngineError if the framework has none."""
        if self._by_kernels:
            # A profiler is configured once.
            self._profiler = self._profiler or self._engine.profiler()
            if self._profiler is None:
                raise EngineError("the framework has no profiler")
        return self._runner(case, program, self._profiler, backward=backward)

    def _time_pair(self, request: messages.PairedTiming) -> messages.PairedTimes:
        order = random.Random(request.seed)  # noqa: S311 - an order of measurements, not a secret
        with (
            self._runner(request.first, backward=request.backward) as (first, first_backward),
            self._runner(request.second, backward=request.backward) as (second, second_backward),
        ):
            if request.backward and not (first_backward and second_backward):
                raise EngineError(NO_BACKWARD)
            runners, deadline = (first, second), time.monotonic() + request.seconds
            warm = SettledState(seconds=0.0, limit=WARM_UP_SHARE * request.seconds)
            last = [runner.warm_up(warm)[-1].us(backward=request.backward) for runner in runners]
            loops = [max(1, min(MAX_LOOPS, int(SAMPLE_SECONDS * 1e6 / max(us, 1.0)))) for us in last]
            times: tuple[list[float], list[float]] = ([], [])
            while len(times[0]) < request.rounds and (not times[0] or time.monotonic() < deadline):
                for side in order.sample((0, 1), 2):
                    calls = _samples(runners[side], loops[side], deadline)
                    each = [call.us(backward=request.backward) for call in calls]
                    times[side].append(sum(each) / len(each))
        return messages.PairedTimes(tuple(times[0]), tuple(times[1]))

    @contextlib.contextmanager
    def _runner(
        self, case: Case, program: Program | None = None, profiler: Profiler | None = None, *, backward: bool
    ) -> Iterator[tuple[Runner, bool]]:
        """A prepared call, and whether it has a backward pass; if that fails, the call runs forward only."""
        call = self._engine.prepare(case, self._settings.call_options, program)
        try:
            gradient_inputs = differentiable_inputs(case) if backward else ()
            if program is not None:
                gradient_inputs = meaningful(gradient_inputs, program) if program.implementation.differentiable else ()
            has_backward = bool(gradient_inputs) and self._with_gradients(call, gradient_inputs)
            # Only now: a request for gradients may replace the forward pass, which a runner keeps.
            yield Runner(call, self._probe, self._on_wait, profiler), has_backward
        finally:
            call.free()

    def _with_gradients(self, call: PreparedCall, gradient_inputs: tuple[str, ...]) -> bool:
        try:
            call.request_gradients(BackwardRequest(gradient_inputs))
            outputs = forward(call)
            try:
                # The program of another framework returns updated inputs after MXNet's outputs.
                call.make_heads(call.describe(outputs)[: len(call.case.outputs) or None])
                backward(call, outputs)
            finally:
                release(call, outputs)
        except Exception:  # noqa: BLE001 - each framework has exceptions of its own for a gradient that it lacks
            call.request_gradients(BackwardRequest(()))
            with contextlib.suppress(EngineError):
                self._engine.wait()
            return False
        return True


def _by_kernels(kernels: Sequence[Kernel], calls: Sequence[Boundaries], *, backward: bool) -> messages.QuickTimes:
    """The time in which kernels ran; a backward pass without kernels, which gives zeros, is none."""
    times = messages.QuickTimes(spans_us(kernels, calls, backward=False))
    if backward:
        with contextlib.suppress(EngineError):
            return messages.QuickTimes(times.forward_us, spans_us(kernels, calls, backward=True))
    return times


def _samples(runner: Runner, count: int, end: float, *, traced: bool = False) -> list[Boundaries]:
    """`count` calls in a row; disturbed ones are repeated until `end` on the monotonic clock."""
    block = traced_block if traced else wall_block
    return [call for call in block(runner, count, end) if call.counted]


def serve(channel: messages.Service, engine: Engine, settings: Settings) -> None:
    """Answers one request at a time until the channel is closed."""
    timer = QuickTimer(engine, settings)
    limit_memory(settings.bytes_allowed)
    serve_requests(channel, timer.answer)


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, takes_times=True))
