"""Tries each case once, in a fork of a process that has loaded MXNet: does it work, on what kernels, in what memory?

A fork is right for trying: whatever the case breaks ends with it, and its temporary space is pristine. It is never
right for timing, since MXNet switches OpenMP off in a fork.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time

from autoperf.capi.library import Library
from autoperf.capi.linux import die_with_parent
from autoperf.core.errors import EngineError
from autoperf.core.outcome import Memory
from autoperf.core.tensors import ArrayType
from autoperf.executor.attribution import Boundaries, own_backward, own_forward, windows
from autoperf.executor.call import Call, describe, differentiable_inputs, parse_context
from autoperf.executor.channel import Channel, ChannelClosed
from autoperf.executor.child import Shelf, limit_memory, quiet_exit, refusal, run
from autoperf.executor.measure import Runner, profiling
from autoperf.executor.memory import pass_memory
from autoperf.executor.messages import Facts, Gone, Ready, Refused, Task
from autoperf.executor.settings import Settings
from autoperf.executor.trace import Kernel, Recorder, kernels, storage


class Trial:
    """One case in one process: its call, the passes that were made, and their windows on the trace's clock."""

    def __init__(self, library: Library, task: Task, settings: Settings, recorder: Recorder) -> None:
        self.library = library
        self._recorder = recorder
        self.ctx = parse_context(settings.ctx)
        self.call = Call(library, Shelf().case(task), self.ctx)
        self.reason = ""
        self.window = Boundaries(0, 0, 0)
        self._backward_start = 0

    def facts(self) -> Facts:
        """Runs the case and reads the trace; raises EngineError if not even a forward pass works."""
        begin = time.monotonic()
        outputs = self._forward()
        described = tuple(describe(self.library, handle) for handle in outputs)
        backward = self._backward(outputs, described)
        seconds = time.monotonic() - begin
        dump = self._recorder.dump()
        forward_kernels, backward_kernels = self._kernels(kernels(dump))
        return Facts(
            outputs=described,
            gradients=tuple(self.call.gradients) if backward_kernels and not self.reason else (),
            forward_kernels=forward_kernels,
            backward_kernels=backward_kernels,
            memory=self._memory(dump, described, with_backward=backward and bool(backward_kernels)),
            reason=self.reason,
            seconds=seconds,
        )

    def _forward(self) -> tuple[int, ...]:
        """Recorded for a backward pass if there can be one; a few operators can't be recorded, but run all the same."""
        wanted = differentiable_inputs(self.call.case)
        self.call.want_gradients(wanted, lazy=True)
        try:
            return self._pass()
        except EngineError as error:
            if not wanted:
                raise
            self.reason = f"no backward pass: {error}"
        self.call.gradients.clear()
        with contextlib.suppress(EngineError):
            self.library.wait_all()
        return self._pass()

    def _pass(self) -> tuple[int, ...]:
        runner = Runner(self.call)
        with profiling(self.call):
            start = time.time_ns()
            outputs = runner.forward()
            end = time.time_ns()
        self.window = Boundaries(start, end, end)
        return outputs

    def _backward(self, outputs: tuple[int, ...], described: tuple[ArrayType, ...]) -> bool:
        """Whether there was a backward pass; if it failed, why is in `reason`."""
        if not self.call.gradients:
            return False
        try:
            self.call.make_heads(described)
            with profiling(self.call):
                start = time.time_ns()
                Runner(self.call).backward(outputs)
                end = time.time_ns()
        except EngineError as error:
            self.reason = f"no backward pass: {error}"
            return False
        self._backward_start = start
        self.window = self.window._replace(backward_end=end)
        return True

    def _kernels(self, seen: list[Kernel]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        forward, backward, _ = windows(seen, [self.window])
        own, _ = own_forward((kernel.name for kernel in forward[0]), self.call.case.operator)
        return own, own_backward(kernel.name for kernel in backward[0])

    def _memory(self, dump: bytes, outputs: tuple[ArrayType, ...], *, with_backward: bool) -> Memory:
        events = storage(dump)
        window = self.window
        results = 0 if self.call.case.in_place else sum(output.nbytes for output in outputs)
        forward = pass_memory(events, self.ctx, window.start, window.forward_end, results)
        if not with_backward:
            return Memory(forward)
        gradients = sum(item.tensor.nbytes for item in self.call.case.inputs if item.name in self.call.gradients)
        return Memory(forward, pass_memory(events, self.ctx, self._backward_start, window.backward_end, gradients))


def serve(channel: Channel, library: Library, settings: Settings) -> None:
    """Forks a child ahead of each case; it takes the case from the channel itself, and this process only waits."""
    gc.collect()
    gc.freeze()
    while True:
        child = os.fork()
        if child == 0:
            die_with_parent()
            _try_next(channel, library, settings)
        _, status = os.waitpid(child, 0)
        channel.send(Gone(status))


def _try_next(channel: Channel, library: Library, settings: Settings) -> None:
    """What a forked child does; it doesn't return."""
    try:
        recorder = Recorder(library, memory=True)
        library.wait_all()
        limit_memory(settings.bytes_allowed)
        channel.send(Ready())
        task = channel.receive()
        if isinstance(task, Task):
            channel.send(_answer(library, task, settings, recorder))
    except ChannelClosed:
        pass
    finally:
        quiet_exit(0)


def _answer(library: Library, task: Task, settings: Settings, recorder: Recorder) -> Facts | Refused:
    try:
        return Trial(library, task, settings, recorder).facts()
    except Exception as error:  # noqa: BLE001 - whatever a case does, it costs this case only
        return refusal(error, settings.bytes_allowed)


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, uses_gpu=False))
