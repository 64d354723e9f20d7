"""Runs each layer of Gluon once in a fork of a process that has imported the front end, to find its memory.

MXNet's profiler counts only what is allocated while it runs, and parameters are allocated in a block's first call. So
a fork of the fork calls the block first, and tells the shapes of its parameters.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from autoperf.backends.mxnet.capi.dtypes import CPU
from autoperf.backends.mxnet.capi.front_end import front_end
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.trace import Recorder, storage
from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.core.outcome import Memory
from autoperf.core.tensors import Shape
from autoperf.executor.child_setup import SuiteCache, case_failure, run
from autoperf.executor.fork_server import AnswerTask, serve_forks
from autoperf.executor.gluon_block import GluonBlock
from autoperf.executor.memory import Span, backward_memory, forward_memory
from autoperf.executor.messages import CaseFailure, Service, Task, TrialResult, Unusable
from autoperf.executor.runner import profiling
from autoperf.executor.settings import Settings
from autoperf.executor.trial import warm_up_trial
from autoperf.processes.forks import ForkError, forked
from autoperf.processes.linux import limit_memory

T = TypeVar("T")
_Shapes = tuple[Shape, ...]


class LayerTrial:
    """A layer in one process: its block with initialised parameters, and the time spans of its passes."""

    def __init__(self, library: Library, case: Case, settings: Settings, recorder: Recorder, shapes: _Shapes) -> None:
        self._library, self._recorder = library, recorder
        self._block = GluonBlock(library, case, settings.layers, shapes)

    def memory(self, *, backward: bool) -> Memory:
        """The memory of both passes, or of the forward pass where there is no other."""
        if not backward:
            span, _ = self._profiled(self._block.invoke)
            return self._of_passes(span, None)
        self._block.attach_gradients()
        self._library.wait_all()
        span, results = self._profiled(self._block.recorded)
        return self._of_passes(span, self._backward_span(results))

    def _backward_span(self, results: list[Any]) -> Span | None:
        """The time span of the backward pass; None if MXNet refuses it."""
        heads = self._block.head_gradients(results)
        self._library.wait_all()
        try:
            return self._profiled(lambda: self._block.run_backward(heads))[0]
        except (EngineError, self._block.package.base.MXNetError):
            return None

    def _of_passes(self, forward: Span, backward: Span | None) -> Memory:
        events = storage(self._recorder.dump())
        memory = forward_memory(events, CPU, forward, self._block.result_bytes)
        if backward is None:
            return Memory(memory)
        gradients = self._block.gradient_bytes
        return Memory(memory, backward_memory(events, CPU, backward, gradients, gradients))

    def _profiled(self, start: Callable[[], T]) -> tuple[Span, T]:
        with profiling(self._library):
            begin = time.time_ns()
            result = start()
            self._library.wait_all()
            return Span(begin, time.time_ns()), result


def serve(channel: Service, library: Library, settings: Settings) -> None:
    """Answers one case at a time until the channel is closed."""
    try:
        front_end(library.path)
    except EngineError as error:
        channel.send(Unusable(str(error)))
        return

    def prepare() -> AnswerTask:
        recorder = Recorder(library, memory=True)
        limit_memory(settings.bytes_allowed)
        warm_up_trial(library, CPU, recorder)
        return lambda task: _answer(library, task, settings, recorder)

    serve_forks(channel, library, prepare)


def _answer(library: Library, task: Task, settings: Settings, recorder: Recorder) -> TrialResult | CaseFailure:
    try:
        case = SuiteCache().case(task)
        begin = time.monotonic()
        shapes = _parameter_shapes(library, case, settings)
        memory = LayerTrial(library, case, settings, recorder, shapes).memory(backward=task.backward)
        return TrialResult((), None, (), (), memory, seconds=time.monotonic() - begin)
    except Exception as error:  # noqa: BLE001 - a layer may raise anything; only that case fails
        return case_failure(error, settings.bytes_allowed)


def _parameter_shapes(library: Library, case: Case, settings: Settings) -> _Shapes:
    """The shapes of the block's parameters, which a fork finds out. Raises EngineError if it doesn't."""

    def called(each: Case) -> bytes:
        block = GluonBlock(library, each, settings.layers)
        block.invoke()
        return msgspec.json.encode(block.parameter_shapes)

    (answer,) = forked(called, [case], settings.timeout)
    if isinstance(answer, ForkError):
        raise EngineError(f"the shapes of its parameters aren't known: {answer}")
    return msgspec.json.decode(answer, type=_Shapes)


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, takes_times=False))
