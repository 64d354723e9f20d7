"""PyTorch by torch.compile, in a process that has imported it and its compiler."""

from __future__ import annotations

import contextlib
import shutil
import time
from typing import Any

import torch
import torch._dynamo
import torch._functorch.aot_autograd
import torch._inductor.compile_fx
from torch._dynamo.callback import callback_handler
from torch._dynamo.exc import FailOnRecompileLimitHit, Unsupported, UserError
from torch._dynamo.utils import compilation_time_metrics

from autoperf.backends.protocol import BuildDescription, Compilations, CompileLog, Program
from autoperf.backends.torch.engine import TorchCall, TorchEngine
from autoperf.core.case import Case
from autoperf.core.errors import EngineError

# The end of the name under which PyTorch adds up the seconds that the backward graph takes; the rest of a compilation
# is the forward pass's, with the trace that serves both.
_BACKWARD = "bw_compiler"
# The name of the trigger of a compilation that was put off until the backward pass.
_LAZY = "LAZY_BACKWARD"
_EXPLANATION = "Explanation: "
"""The start of a line in messages of the tracer."""


class CompileWatch:
    """Logs the compilations of this process until it is closed."""

    def __init__(self) -> None:
        self.log = CompileLog()
        self._begin, self._backward = 0.0, 0.0
        callback_handler.register_start_callback(self._start)
        callback_handler.register_end_callback(self._end)

    def close(self) -> None:
        """Ends the log; a second time does nothing."""
        with contextlib.suppress(ValueError):
            callback_handler.remove_start_callback(self._start)
            callback_handler.remove_end_callback(self._end)

    def _start(self, _arguments: Any) -> None:
        self._begin, self._backward = time.perf_counter(), _backward_seconds()

    def _end(self, arguments: Any) -> None:
        seconds = time.perf_counter() - self._begin
        if arguments.callback_trigger.name == _LAZY:
            self.log.add("backward", seconds, count=1)
            return
        backward = _backward_seconds() - self._backward
        self.log.add("forward", seconds - backward, count=1)
        self.log.add("backward", backward, count=0)


def _backward_seconds() -> float:
    return sum(sum(seconds) for name, seconds in compilation_time_metrics.items() if name.endswith(_BACKWARD))


class CompiledCall(TorchCall):
    """A call that torch.compile compiles whole, in its first forward pass, with the backward pass."""

    def __init__(self, case: Case, program: Program) -> None:
        super().__init__(case, program)
        self._watch = CompileWatch()
        self.invoke = self.invocable(torch.compile(self.function, fullgraph=True))

    @property
    def compilations(self) -> tuple[Compilations, Compilations]:
        """The compilations of both passes so far."""
        return self._watch.log.of_passes()

    def free(self) -> None:
        """Drops all arrays, and the compiled functions."""
        self._watch.close()
        super().free()
        torch.compiler.reset()


class CompilingEngine(TorchEngine):
    """PyTorch with its default compiler, Inductor, whose kernels its profiler doesn't show."""

    title = "torch.compile"
    call = CompiledCall
    refusals = (Unsupported, UserError)

    @property
    def build(self) -> BuildDescription:
        """The package, and the compiler with its mode."""
        build = super().build
        compiler = shutil.which(torch._inductor.cpp_builder.get_cpp_compiler())  # noqa: SLF001
        compiler = f"torch.compile: backend inductor, mode default, fullgraph, {compiler}"
        return BuildDescription(build.version, build.library, build.features, build.threads, compiler)

    def profiler(self) -> None:
        """No profiler."""

    def warm_up(self) -> None:
        """Compiles a small function, with the headers that the kernels of all cases include. Raises EngineError."""
        try:
            torch.compile(lambda data: data + 1, fullgraph=True)(torch.zeros(8))
        except Exception as error:
            raise EngineError(f"torch.compile can't compile: {self.error_text(error)}") from error

    def error_text(self, error: BaseException) -> str:
        """The kind of an exception and its message in a sentence; of a compiler's error, those of its cause."""
        if isinstance(error, FailOnRecompileLimitHit):
            limit = torch._dynamo.config.recompile_limit  # noqa: SLF001
            return f"torch.compile gives the call up, which it compiled again {limit} times"
        text = super().error_text(getattr(error, "inner_exception", error))
        lines = (line.strip() for line in str(error).splitlines())
        explanation = next((line for line in lines if line.startswith(_EXPLANATION)), "")
        return f"{text}: {explanation.removeprefix(_EXPLANATION)}" if explanation else text


ENGINE = CompilingEngine
