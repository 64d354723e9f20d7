"""Runs a layer of Gluon in a fork of a process that has imported the front end, to find its memory.

MXNet's profiler counts only allocations while it runs, and parameters are allocated in a block's first call. Therefore
a fork of the fork calls the block first, and returns the shapes of its parameters.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from autoperf.backends.mxnet.capi.front_end import front_end
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.trace import Recorder, storage
from autoperf.backends.mxnet.gluon_block import GluonBlock
from autoperf.backends.mxnet.memory import Span, backward_memory, forward_memory
from autoperf.backends.mxnet.trial import OperatorTrials
from autoperf.backends.protocol import CPU, TrialResult
from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.core.layers import LayerPlace
from autoperf.core.outcome import Memory
from autoperf.core.tensors import Shape
from autoperf.processes.forks import ForkError, forked

T = TypeVar("T")
_Shapes = tuple[Shape, ...]


class LayerTrial:
    """A layer in one process: its block with initialised parameters, and the time spans of its passes."""

    def __init__(self, library: Library, block: GluonBlock, recorder: Recorder) -> None:
        self._library, self._recorder = library, recorder
        self._block = block

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
        with self._recorder.recording():
            begin = time.time_ns()
            result = start()
            self._library.wait_all()
            return Span(begin, time.time_ns()), result


class LayerTrials(OperatorTrials):
    """Trials of layers, each in a fork."""

    def __init__(self, library: Library, layers: Mapping[str, LayerPlace], timeout: float) -> None:
        """Imports the front end, which every fork inherits. Raises EngineError if it can't be imported."""
        super().__init__(library, "cpu")
        front_end(library.path)
        self._layers, self._timeout = layers, timeout

    def run(self, case: Case, *, backward: bool) -> TrialResult:
        """Finds the memory of a layer. Raises EngineError if its forward pass fails."""
        begin = time.monotonic()
        block = GluonBlock(self.library, case, self._layers, self._parameter_shapes(case))
        memory = LayerTrial(self.library, block, self.recorder).memory(backward=backward)
        return TrialResult((), None, (), (), memory, seconds=time.monotonic() - begin)

    def _parameter_shapes(self, case: Case) -> _Shapes:
        """The shapes of the block's parameters, which a fork finds. Raises EngineError if it fails."""

        def called(each: Case) -> bytes:
            block = GluonBlock(self.library, each, self._layers)
            block.invoke()
            return msgspec.json.encode(block.parameter_shapes)

        (answer,) = forked(called, [case], self._timeout)
        if isinstance(answer, ForkError):
            raise EngineError(f"the shapes of its parameters aren't known: {answer}")
        return msgspec.json.decode(answer, type=_Shapes)
