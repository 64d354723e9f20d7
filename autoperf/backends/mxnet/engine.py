"""MXNet in a process that has loaded its library; Gluon layers are prepared to be timed, and tried in a fork."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi import profiler
from autoperf.backends.mxnet.capi.front_end import front_end, has_front_end, registered_operators
from autoperf.backends.mxnet.capi.library import Library, gpu_count, openmp_threads
from autoperf.backends.mxnet.capi.profiler import ROLES, Recorder, storage
from autoperf.backends.mxnet.gluon_block import GluonBlock, layer_block
from autoperf.backends.mxnet.trial import OperatorTrials, Span, pass_memory, warm_up_call
from autoperf.backends.passes import CPU, parse_context
from autoperf.backends.protocol import (
    BuildDescription,
    CallOptions,
    Engine,
    PreparedCall,
    Profiler,
    Program,
    TrialResult,
    Trials,
    TriedCall,
)
from autoperf.backends.results import contents
from autoperf.backends.user_code import errors_in
from autoperf.core.case import Case
from autoperf.core.errors import AbsentLayerError, EngineError, UsageError
from autoperf.core.graph import LayerPlace
from autoperf.core.outcome import Memory
from autoperf.core.tensors import Shape
from autoperf.processes.forks import ForkError, forked


class LayerCall(GluonBlock):
    """A layer that has run once: its parameters have their shapes, and `note` says why there is no backward pass."""

    def __init__(
        self, library: Library, case: Case, layers: Mapping[str, LayerPlace], *, backward: bool = True
    ) -> None:
        """Builds the block and runs both passes; the first call, which traces a hybridized block, takes `first_us`."""
        super().__init__(library, case, layers)
        try:
            self._run_once(backward=backward)
        except BaseException:
            with suppress(EngineError):
                self.free()
            raise

    def _run_once(self, *, backward: bool) -> None:
        """Runs both passes. Parameters get their shapes in the first call."""
        forward_us, backward_us = self._waited_us(self.invoke), 0.0
        if backward:
            self.attach_gradients()
            self.record()
            self.make_ones()
            try:
                backward_us = self._waited_us(lambda: self.run_backward(()))
            except self.package.base.MXNetError as error:
                self.gradients = {}
                self.note = f"no backward pass: {registered_operators().explained(str(error))}"
            finally:
                self.invoke.free(())
        self.first_us = forward_us, backward_us

    def _waited_us(self, start: Callable[[], object]) -> float:
        begin = time.perf_counter()
        start()
        self.library.wait_all()
        return (time.perf_counter() - begin) * 1e6


def prepared_call(library: Library, case: Case, options: CallOptions) -> Call | LayerCall:
    """The case, prepared to run. Raises EngineError, RuleError, and CaseFileError for a user's layer."""
    if case.way == "layer":
        place = options.layers.get(case.operator)
        with errors_in(Path(place.file), registered_operators().told) if place and place.file else nullcontext():
            return LayerCall(library, case, options.layers, backward=options.backward)
    return Call(library, case, parse_context(options.ctx), upstream=options.upstream)


MAX_PARAMETERS = 1 << 26
"""The elements of a layer's parameters up to which its results are read: their gradients are stored for each draw."""


class LayerTrials(OperatorTrials):
    """Trials of layers, each in a fork."""

    def __init__(self, library: Library, layers: Mapping[str, LayerPlace], timeout: float) -> None:
        """Imports the front end, which every fork inherits. Raises EngineError if it can't be imported."""
        super().__init__(library, "cpu")
        front_end(library.path)
        self._layers, self._timeout = layers, timeout

    def run(self, case: Case, *, backward: bool) -> TrialResult:
        """A layer's memory; prepares the call that gives its results. Raises EngineError if its forward pass fails."""

        def parameter_shapes(each: Case) -> bytes:
            block = GluonBlock(self.library, each, self._layers)
            block.invoke()
            return msgspec.json.encode(block.parameter_shapes)

        begin = time.monotonic()
        (answer,) = forked(parameter_shapes, [case], self._timeout)
        if isinstance(answer, ForkError):
            raise EngineError(f"the shapes of its parameters aren't known: {answer}")
        shapes = msgspec.json.decode(answer, type=tuple[Shape, ...])
        block = GluonBlock(self.library, case, self._layers, shapes)
        memory = self._memory(block, backward=backward)
        if sum(map(prod, shapes)) <= MAX_PARAMETERS:
            # What can't be called again here has no results, as where a user's layer has a state of its own.
            with suppress(EngineError):
                self.tried = TriedCall(LayerCall(self.library, case, self._layers, backward=backward), contents(case))
        return TrialResult((), None, (), (), memory, seconds=time.monotonic() - begin)

    def _memory(self, block: GluonBlock, *, backward: bool) -> Memory:
        """The memory of both passes, or of the forward pass where there is no other."""
        if backward:
            block.attach_gradients()
            self.library.wait_all()
        forward_span = self._profiled(block.record if backward else block.invoke)
        backward_span = None
        if backward:
            block.make_ones()
            self.library.wait_all()
            # MXNet may refuse it.
            with suppress(EngineError, block.package.base.MXNetError):
                backward_span = self._profiled(lambda: block.run_backward(()))
        events = storage(self.recorder.dump())
        memory = pass_memory(events, CPU, forward_span, block.result_bytes)
        if backward_span is None:
            return Memory(memory)
        gradients = block.gradient_bytes
        return Memory(memory, pass_memory(events, CPU, backward_span, gradients, gradients))

    def _profiled(self, start: Callable[[], object]) -> Span:
        with self.recorder.recording():
            begin = time.time_ns()
            start()
            self.library.wait_all()
            return Span(begin, time.time_ns())


class MXNetEngine(Engine):
    """The library in a process that runs cases."""

    roles = ROLES
    refusals: tuple[type[BaseException], ...] = (AbsentLayerError,)

    def __init__(self, library: Library) -> None:
        """Has the engine run each call on its own, so that traces name its kernels."""
        self.library = library
        profiler.set_bulk_size(library, 0)

    @property
    def build(self) -> BuildDescription:
        """The build, with the number of OpenMP threads of this process."""
        library = self.library
        return BuildDescription(library.version, str(library.path), library.features(), openmp_threads(library))

    @property
    def front_end(self) -> MXNetFrontEnd:
        """The package `mxnet` beside the library."""
        return MXNetFrontEnd(self.library)

    def require(self, ctx: str) -> int:
        """The number of GPUs if `ctx` is one, else 0. Raises UsageError without that device."""
        kind, index = parse_context(ctx)
        if kind != "gpu":
            return 0
        library, count = self.library, gpu_count(self.library)
        if index >= count:
            have = f"{count} GPU{'s' if count > 1 else ''}" if count else "no GPU"
            raise UsageError(f"--ctx {ctx}: MXNet {library.version} in {library.path} sees {have} here; use --ctx cpu")
        return count

    def seed(self, seed: int) -> None:
        """Seeds MXNet's random numbers."""
        self.library.seed(seed)

    def wait(self) -> None:
        """Waits for all calls. Raises EngineError if one failed."""
        self.library.wait_all()

    def error_text(self, error: BaseException) -> str:
        """The message of an exception, in one sentence."""
        return registered_operators().told(error)

    def prepare(self, case: Case, options: CallOptions, program: Program | None = None) -> PreparedCall:
        """Prepares a case. Raises EngineError, RuleError for invalid contents, CaseFileError for a user's file."""
        return prepared_call(self.library, case, options)

    def in_python(self, call: PreparedCall, trial: TrialResult, profiler: Profiler | None) -> tuple[str, PreparedCall]:
        """The call through the package `mxnet`, over the same arrays. Raises EngineError if there is none."""
        # Not at the top: its names are those of rules, which import Hypothesis.
        from autoperf.backends.mxnet.python_call import python_call  # noqa: PLC0415

        if not isinstance(call, Call) or profiler is None:
            raise EngineError("no function of MXNet's Python package makes this call")
        found = python_call(call, trial, profiler)
        return found.function, found

    def profiler(self) -> Recorder:
        """MXNet's profiler, which is configured once in a process."""
        return Recorder(self.library, memory=False)

    def count_calls(self, counting: Callable[[int], int]) -> bool:
        """Has later passes call MXNet's functions by addresses that `counting` gives for theirs."""
        self.library.call_by(counting)
        return True

    def warm_up(self) -> None:
        """Runs a fully connected layer once."""
        warm_up_call(self.library)

    def trials(self, options: CallOptions) -> Trials:
        """Trials for forks."""
        return OperatorTrials(self.library, options.ctx)


class MXNetFrontEnd(NamedTuple):
    """The package `mxnet` beside a library."""

    library: Library

    def require(self) -> None:
        """Imports the package. Raises UsageError if it isn't beside the library, or can't be imported."""
        library = self.library
        if not has_front_end(library.path):
            raise UsageError(
                f"--caller python needs MXNet's Python package beside {library.path}: install the release by "
                f"`autoperf releases install --package {library.version}`, or name a whole package by --mxnet PATH"
            )
        try:
            self.package()
        except EngineError as error:
            raise UsageError(f"--caller python: {error}") from error

    def package(self) -> Any:
        """The package. Raises EngineError without one."""
        return front_end(self.library.path)

    def layer_block(self, case: Case, layers: Mapping[str, LayerPlace]) -> Any:
        """The block of a layer in its dtype, without parameters. Raises AutoperfError."""
        return layer_block(self.library, self.package(), case, layers)

    def trials(self, options: CallOptions, timeout: float) -> Trials:
        """Trials of layers for forks. Raises EngineError without the package."""
        return LayerTrials(self.library, options.layers, timeout)
