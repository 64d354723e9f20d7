"""MXNet in a process that has loaded its library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from autoperf.backends.context import parse_context
from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi import profiler
from autoperf.backends.mxnet.capi.front_end import front_end, has_front_end, registered_operators
from autoperf.backends.mxnet.capi.library import Library, gpu_count, openmp_threads
from autoperf.backends.mxnet.capi.profiler import ROLES, Recorder
from autoperf.backends.mxnet.gluon_block import layer_block
from autoperf.backends.mxnet.layers import LayerTrials, prepared_call
from autoperf.backends.mxnet.trial import OperatorTrials, warm_up_call
from autoperf.backends.protocol import (
    BuildDescription,
    CallOptions,
    PreparedCall,
    Profiler,
    Program,
    TrialResult,
    Trials,
)
from autoperf.core.case import Case
from autoperf.core.errors import AbsentLayerError, EngineError, UsageError
from autoperf.core.layers import LayerPlace


class MXNetEngine:
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
        """The number of GPUs if `ctx` is one. Raises UsageError without that device."""
        return require_context(self.library, ctx)

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
        """Prepares a case, which needs no program.

        Raises EngineError, RuleError for invalid contents, CaseFileError for a user's file.
        """
        return prepared_call(self.library, case, options)

    def in_python(
        self, call: PreparedCall, trial_result: TrialResult, profiler: Profiler | None
    ) -> tuple[str, PreparedCall]:
        """The same call through the package `mxnet`, over the same arrays. Raises EngineError if there is none."""
        # Not at the top: its names are those of rules, which import Hypothesis.
        from autoperf.backends.mxnet.python_call import python_call  # noqa: PLC0415

        if not isinstance(call, Call) or profiler is None:
            raise EngineError("no function of MXNet's Python package makes this call")
        found = python_call(call, trial_result, profiler)
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


def require_context(library: Library, ctx: str) -> int:
    """The number of GPUs if `ctx` is a GPU, else 0. Raises UsageError if that GPU doesn't exist."""
    kind, index = parse_context(ctx)
    if kind != "gpu":
        return 0
    count = gpu_count(library)
    if index >= count:
        have = f"{count} GPU{'s' if count > 1 else ''}" if count else "no GPU"
        raise UsageError(f"--ctx {ctx}: MXNet {library.version} in {library.path} sees {have} here; use --ctx cpu")
    return count
