"""Times cases, one after the other, in a process of its own that was freshly started."""

from __future__ import annotations

import sys
import time

import msgspec

from autoperf.capi.library import Library
from autoperf.capi.linux import limit_memory
from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.core.outcome import Status
from autoperf.executor.call import Call, parse_context
from autoperf.executor.child_setup import SuiteCache, refusal, run, serve_requests
from autoperf.executor.conditions import ConditionsMonitor
from autoperf.executor.messages import (
    CaseFailure,
    Close,
    Conditions,
    Measured,
    Open,
    Opened,
    PassSamples,
    Request,
    Service,
    Task,
    TrialResult,
    Turn,
    Turned,
)
from autoperf.executor.open_case import OpenCase
from autoperf.executor.runner import Runner, undisturbed
from autoperf.executor.sampling import Sampler
from autoperf.executor.settings import Settings, sampling_rule, sampling_seconds, warmup_rule
from autoperf.executor.trace import Recorder


class Stopwatch:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = time.monotonic()

    def stop(self, stage: str) -> None:
        """What has passed since the last stop was this stage."""
        now = time.monotonic()
        self.stages[stage] = now - self._last
        self._last = now


class Worker:
    """A process's library, settings, profiler and last file; and the case that is open, if one is."""

    def __init__(self, library: Library, settings: Settings) -> None:
        self.library = library
        self.settings = settings
        self._shelf = SuiteCache()
        self._sitting: OpenCase | None = None
        self._facts: TrialResult | None = None
        self._recorder = Recorder(library, memory=False) if settings.profiler == "native" else None

    def answer(self, message: Request) -> Measured | Opened | Turned | CaseFailure:
        """Does what it is asked to, or says why that didn't work."""
        if isinstance(message, Task):
            return self._answer(message)
        try:
            if isinstance(message, Open):
                return self._open(message.task)
            if isinstance(message, Turn):
                self._open_one().turn(message)
                return Turned()
            if isinstance(message, Close):
                return self._close()
        except Exception as error:  # noqa: BLE001 - whatever a case does, it costs this case only
            self._give_back()
            return refusal(error, self.settings.bytes_allowed)
        return CaseFailure(Status.FAILED, f"a process that times cases can't answer {message}")

    def _answer(self, task: Task) -> Measured | CaseFailure:
        watch = Stopwatch()
        self._give_back()
        try:
            call = self._prepare(self._shelf.case(task), task.trial_result)
        except Exception as error:  # noqa: BLE001 - whatever a case does, it costs this case only
            return refusal(error, self.settings.bytes_allowed)
        try:
            watch.stop("prepare")
            forward, backward, conditions = self._time(call, task.seconds, watch)
            backward = _noted(backward, task.trial_result)
        except Exception as error:  # noqa: BLE001 - likewise
            return refusal(error, self.settings.bytes_allowed)
        finally:
            call.free()
        watch.stop("free")
        return Measured(forward, backward, conditions, watch.stages)

    def _open(self, task: Task) -> Opened:
        self._give_back()
        call = self._prepare(self._shelf.case(task), task.trial_result)
        try:
            self._sitting = OpenCase(call, self._recorder, warmup_rule(self.settings, task.seconds))
        except BaseException:
            call.free()
            raise
        self._facts = task.trial_result
        return Opened(self._sitting.iteration_seconds)

    def _open_one(self) -> OpenCase:
        if self._sitting is None:
            raise EngineError("the process that had the case open was lost")
        return self._sitting

    def _close(self) -> Measured:
        forward, backward, conditions = self._open_one().taken()
        self._give_back()
        return Measured(forward, _noted(backward, self._facts), conditions, {})

    def _give_back(self) -> None:
        if self._sitting is not None:
            sitting, self._sitting = self._sitting, None
            sitting.call.free()

    def _prepare(self, case: Case, trial_result: TrialResult | None) -> Call:
        call = Call(self.library, case, parse_context(self.settings.ctx))
        if trial_result and trial_result.backward_request:
            call.request_gradients(trial_result.backward_request)
            call.make_heads(trial_result.outputs)
        return call

    def _time(
        self, call: Call, seconds: float | None, watch: Stopwatch
    ) -> tuple[PassSamples, PassSamples | None, Conditions]:
        runner = Runner(call)
        warm = runner.repeat(time.perf_counter_ns, warmup_rule(self.settings, seconds))
        watch.stop("warm-up")
        iteration_seconds = min((one.backward_end - one.start for one in warm), default=0) / 1e9
        window = ConditionsMonitor()
        sampler = Sampler(runner, self._recorder, call.case.operator, backward=bool(call.gradients))
        with undisturbed():
            sampler.sample(
                sampling_rule(self.settings, seconds), iteration_seconds, sampling_seconds(self.settings, seconds)
            )
            conditions = window.close()
            watch.stop("samples")
            watch.stages["samples"] -= sampler.trace_seconds
            forward, backward = sampler.taken()
        watch.stop("trace")
        watch.stages["trace"] += sampler.trace_seconds
        return forward, backward, conditions


def _noted(backward: PassSamples | None, trial_result: TrialResult | None) -> PassSamples | None:
    """The backward pass with a note, if it isn't the plain one that the trial found to work."""
    note = trial_result.backward_request.note if trial_result and trial_result.backward_request else ""
    return msgspec.structs.replace(backward, notes=(note, *backward.notes)) if backward and note else backward


def serve(channel: Service, library: Library, settings: Settings) -> None:
    """Takes one case after the other until the supervisor hangs up."""
    worker = Worker(library, settings)
    limit_memory(settings.bytes_allowed)
    serve_requests(channel, worker.answer)


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, uses_gpu=True))
