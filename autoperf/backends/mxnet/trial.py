"""Runs one case in a fork of a process that has loaded MXNet: outputs, gradients, memory and storage fallbacks."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from autoperf.backends.contents import differentiable_inputs
from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import BorrowedArray
from autoperf.backends.mxnet.capi.profiler import ROLES, Held, Recorder, kernels, storage
from autoperf.backends.passes import CPU, Context, backward, forward, own_backward, own_forward, parse_context, release
from autoperf.backends.protocol import BackwardRequest, Kernel, TrialResult, Trials, TriedCall
from autoperf.backends.results import contents
from autoperf.core.case import Case, Input
from autoperf.core.errors import EngineError
from autoperf.core.outcome import PASSES, Memory, PassMemory, PassName
from autoperf.core.tensors import ArrayType, TensorSpec, default_content
from autoperf.core.work import Part

VARIABLES = {"MKLDNN_VERBOSE": "1", "DNNL_VERBOSE": "1", "ONEDNN_VERBOSE": "1"}
"""Variables of the environment by which its versions write the log to the output of a process."""
_KERNEL = re.compile(
    r"^(?:mkl|one)?dnnl?_verbose,(?:v\d+,)?(?:primitive,)?exec,(?:[cg]pu\d*,)?([^,]+),([^,]+),", re.MULTILINE
)
_REORDER = "reorder"
MAX_NAMED = 2


def library_of(log: str) -> str:
    """`oneDNN jit:avx2`: the implementations that ran; changes of layouts (`reorder`) where nothing else did."""
    ran = _KERNEL.findall(log)
    computed = [each for each in ran if each[0] != _REORDER]
    names = list(dict.fromkeys(name for _, name in computed or ran))
    more = [f"{len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    return f"{Part.ONEDNN.value} {', '.join((*names[:MAX_NAMED], *more))}" if names else ""


_DETECTED = re.compile(r"Storage type fallback detected:\noperator = (\S+)\ninput storage types = \[(.*?),? *\]")


@contextlib.contextmanager
def logged(descriptor: int, found: list[str]) -> Iterator[None]:
    """A context whose end adds to `found` the output (1) or error output (2) that this process, a fork, wrote in it."""
    log, output = os.memfd_create("log"), os.dup(descriptor)
    os.dup2(log, descriptor)
    try:
        yield
    finally:
        os.dup2(output, descriptor)
        found.append(os.pread(log, os.fstat(log).st_size, 0).decode(errors="replace"))
        os.close(log)
        os.close(output)


def fallbacks(log: str) -> list[str]:
    """A sentence for each fall-back in a log of MXNet."""
    return [
        f"{operator} has no kernel for inputs of storage {types}: MXNet converts them to dense ones in each call"
        for operator, types in dict.fromkeys(_DETECTED.findall(log))
    ]


class Span(NamedTuple):
    """A time span in nanoseconds since the epoch."""

    start: int
    end: int


def pass_memory(events: Sequence[Held], ctx: Context, span: Span, results: int, allocated: int = 0) -> PassMemory:
    """The memory of a pass whose outputs or gradients have `results` bytes, of which `allocated` were there before it.

    Peak is the maximum above the bytes held at the start, and what was allocated: dense gradients are, row-sparse ones
    aren't. Output is the part of it that the results take, at most what the pass has allocated (nothing if they share
    the memory of an input). Workspace is the rest, freed or kept: MXNet keeps its temporary space and the values that
    it saves for a backward pass.
    """
    device_events = [event for event in events if event.device == f"{ctx[0]}/{ctx[1]}"]
    before = [event.bytes for event in device_events if event.time < span.start // 1000]
    during = [event.bytes for event in device_events if span.start // 1000 <= event.time <= span.end // 1000]
    baseline = before[-1] if before else 0
    peak = allocated + max(0, max(during, default=baseline) - baseline)
    output = min(results, peak)
    return PassMemory(peak=peak, output=output, workspace=peak - output)


T = TypeVar("T")
# MXNet's message for an operator without a gradient by design, which is not a failure.
UNDIFFERENTIABLE = "is non-differentiable because it didn't register FGradient"


class Trial:
    """One case in one process: its call, its passes, and their time spans."""

    def __init__(self, library: Library, case: Case, ctx: Context, recorder: Recorder, *, backward: bool) -> None:
        self.library, self.ctx = library, ctx
        self.contents = contents(case)
        self.call = Call(library, case, ctx, self.contents)
        self._recorder = recorder
        self._outputs: Sequence[int] = ()
        self._allocated = 0
        self._reason = ""
        self._logs: dict[PassName, list[str]] = {name: [] for name in PASSES}
        self._gradient_inputs = differentiable_inputs(case) if backward else ()

    def trial_result(self) -> TrialResult:
        """Runs the case and reads the trace. Raises EngineError if the forward pass fails."""
        begin = time.monotonic()
        errors: list[str] = []
        is_sparse = any(item.tensor.storage != "default" for item in self.call.case.inputs)
        with logged(2, errors) if is_sparse else contextlib.nullcontext():
            forward_span, outputs = self._forward()
            self._outputs = outputs
            described = self.call.describe(outputs)
            backward_request, backward_span = self._backward(outputs, described)
        seconds = time.monotonic() - begin
        dump = self._recorder.dump()
        trace = kernels(dump)
        is_logged = all(os.environ.get(name) not in (None, "", "0") for name in VARIABLES)
        own, _ = own_forward(_names(trace, forward_span), self.call.case.operator, ROLES)
        gradient = own_backward(_names(trace, backward_span), ROLES) if backward_span else ()
        return TrialResult(
            outputs=described,
            backward_request=backward_request if gradient else None,
            forward_kernels=own,
            backward_kernels=gradient,
            memory=self._memory(storage(dump), forward_span, backward_span if gradient else None),
            reason=self._reason,
            seconds=seconds,
            notes=tuple(fallbacks("".join(errors))),
            libraries={name: library_of(logs[-1]) for name, logs in self._logs.items() if logs and is_logged},
        )

    def release(self) -> None:
        """Frees the outputs."""
        release(self.call, self._outputs)
        self._outputs = ()

    def free(self) -> None:
        """Frees the arrays of the case."""
        self.release()
        self.call.free()

    def _forward(self) -> tuple[Span, Sequence[int]]:
        """Records the forward pass if inputs can have gradients; a few operators run but can't be recorded."""
        if self._gradient_inputs:
            self.call.request_gradients(BackwardRequest(self._gradient_inputs))
            try:
                return self._profiled("forward", lambda: forward(self.call))
            except EngineError as error:
                self._reason = f"no backward pass: {error}"
                self._gradient_inputs = ()
                self.call.request_gradients(BackwardRequest(()))
                self._drain_engine()
        return self._profiled("forward", lambda: forward(self.call))

    def _backward(
        self, outputs: Sequence[int], described: tuple[ArrayType, ...]
    ) -> tuple[BackwardRequest | None, Span | None]:
        """The first request that MXNet accepts, with its time span; if none, the default's error is the reason."""
        if not self._gradient_inputs:
            return None, None
        plain = BackwardRequest(self._gradient_inputs)
        answer = self._run_backward(plain, described, outputs)
        if isinstance(answer, Span):
            return plain, answer
        if UNDIFFERENTIABLE in str(answer):
            return None, None
        for backward_request in self._other_requests(described):
            span = self._run_backward(backward_request, described)
            if isinstance(span, Span):
                names = ", ".join(backward_request.inputs)
                what = "gradients are row-sparse" if backward_request.sparse else f"only {names} get gradients"
                note = f"{what}, since MXNet refuses the plain ones: {answer}"
                return msgspec.structs.replace(backward_request, note=note), span
        self._reason = f"no backward pass: {answer}"
        return None, None

    def _run_backward(
        self, backward_request: BackwardRequest, described: tuple[ArrayType, ...], outputs: Sequence[int] | None = None
    ) -> Span | EngineError:
        """The time span of a backward pass, or its error; `outputs` are those recorded for it, if any."""
        try:
            if outputs is None:
                self.call.request_gradients(backward_request)
                outputs = tuple(forward(self.call))
            recorded = outputs
            self.call.make_heads(described)
            self._allocated = self._gradient_bytes()
            return self._profiled("backward", lambda: backward(self.call, recorded))[0]
        except EngineError as error:
            self._drain_engine()
            return error

    def _other_requests(self, described: tuple[ArrayType, ...]) -> Iterator[BackwardRequest]:
        """All gradients, row-sparse; then only the inputs whose gradients MXNet accepts one at a time."""
        yield BackwardRequest(self._gradient_inputs, sparse=True)
        if len(self._gradient_inputs) > 1:
            answers = {name: self._run_backward(BackwardRequest((name,)), described) for name in self._gradient_inputs}
            if accepted := tuple(name for name, answer in answers.items() if isinstance(answer, Span)):
                yield BackwardRequest(accepted)

    def _drain_engine(self) -> None:
        """Waits for the engine after a failure; calls that are still queued fail too."""
        with contextlib.suppress(EngineError):
            self.library.wait_all()

    def _profiled(self, name: PassName, run: Callable[[], T]) -> tuple[Span, T]:
        with self._recorder.recording(), logged(1, self._logs[name]):
            start = time.time_ns()
            result = run()
            return Span(start, time.time_ns()), result

    def _memory(self, events: list[Held], forward_span: Span, backward_span: Span | None) -> Memory:
        outputs = () if self.call.case.in_place else self._outputs
        results = sum(BorrowedArray(self.library, handle).nbytes for handle in outputs)
        memory = pass_memory(events, self.ctx, forward_span, results)
        if backward_span is None:
            return Memory(memory)
        return Memory(memory, pass_memory(events, self.ctx, backward_span, self._gradient_bytes(), self._allocated))

    def _gradient_bytes(self) -> int:
        return sum(gradient.nbytes for gradient in self.call.gradients.values())


def _names(trace: Sequence[Kernel], span: Span) -> Iterator[str]:
    return (kernel.name for kernel in trace if span.start // 1000 <= kernel.start <= span.end // 1000)


class OperatorTrials(Trials):
    """Trials of calls of operators, each in a fork."""

    def __init__(self, library: Library, ctx: str) -> None:
        self.library, self.ctx = library, parse_context(ctx)
        self._recorder: Recorder | None = None

    def prepare(self) -> None:
        """Starts the profiler and the engine's threads, and touches memory pages, while the previous case is timed."""
        self._recorder = recorder = Recorder(self.library, memory=True)
        with contextlib.suppress(EngineError):
            trial = Trial(self.library, TRIAL_WARM_UP, self.ctx, recorder, backward=True)
            trial.trial_result()
            # The profiler's counter misses memory that is freed while it is off, and would add it to the next peak.
            with recorder.recording():
                trial.free()
            recorder.dump()

    @property
    def recorder(self) -> Recorder:
        """The profiler of this fork. Raises EngineError before `prepare`."""
        if self._recorder is None:
            raise EngineError("a trial was asked for before its fork was prepared")
        return self._recorder

    def run(self, case: Case, *, backward: bool) -> TrialResult:
        """Runs a case. Raises EngineError if its forward pass fails."""
        trial = Trial(self.library, case, self.ctx, self.recorder, backward=backward)
        result = trial.trial_result()
        trial.release()
        self.tried = TriedCall(trial.call, trial.contents)
        return result


def _case(operator: str, inputs: dict[str, tuple[int, ...]], **params: int) -> Case:
    content = default_content("float32")
    tensors = tuple(Input(name, TensorSpec(shape, "float32", content)) for name, shape in inputs.items())
    return Case(operator=operator, category="warm_up", profile="warm_up", inputs=tensors, params=dict(params))


TRIAL_WARM_UP = _case("exp", {"data": (2, 2)})
"""A case that needs no workspace."""
_LAYER = _case("FullyConnected", {"data": (2, 2), "weight": (2, 2), "bias": (2,)}, num_hidden=2)


def warm_up_call(library: Library) -> None:
    """Runs a layer for which oneDNN compiles its kernels, and which takes no temporary space (a test checks it)."""
    with contextlib.suppress(EngineError):
        call = Call(library, _LAYER, CPU)
        call.request_gradients(BackwardRequest(differentiable_inputs(call.case)))
        outputs = forward(call)
        call.make_heads(call.describe(outputs))
        backward(call, outputs)
        release(call, outputs)
        call.free()
