"""The protocol of a framework: what describes it (`Backend`), runs it (`Engine`) and reads it (`Introspection`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import msgspec
import numpy as np

from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.core.graph import Graph, LayerPlace
from autoperf.core.operator import Registry, Value
from autoperf.core.outcome import PASSES, Memory, PassName, ResultPrint
from autoperf.core.tensors import ArrayType, Storage
from autoperf.implementations.graphs import GraphProgram
from autoperf.implementations.implementation import Implementation
from autoperf.registry.calls import Completion, Gradient, InferenceCall, InferredGraph


class Kernel(NamedTuple):
    """One run of one kernel: `start` in microseconds since the epoch, `duration` in whole microseconds."""

    name: str
    start: int
    duration: int


@dataclass(frozen=True)
class KernelRoles:
    """The names of kernels that a framework runs around an operator.

    `helpers` are all of them, `maintenance` those of its engine, `copies` move arrays; `filling` sets a constant, and
    `bulk` stands for several kernels that ran as one. `named`: whether an operator's own kernel usually has its name.
    """

    helpers: frozenset[str] = frozenset()
    maintenance: frozenset[str] = frozenset()
    copies: frozenset[str] = frozenset()
    filling: str = ""
    bulk: str = ""
    named: bool = True


class Compilations(NamedTuple):
    """The compilations of a pass so far: their number, and the microseconds of all."""

    number: int = 0
    us: float = 0.0


NOT_COMPILED = Compilations(), Compilations()


class CompileLog:
    """The compilations of a call by pass, as its framework reports them."""

    def __init__(self) -> None:
        self._passes = dict.fromkeys(PASSES, Compilations())

    def add(self, pass_: PassName, seconds: float, *, count: int) -> None:
        """Adds a part of a compilation, or `count` of them."""
        before = self._passes[pass_]
        self._passes[pass_] = Compilations(before.number + count, before.us + seconds * 1e6)

    def of_passes(self) -> tuple[Compilations, Compilations]:
        """Counts of compilations, forward pass first."""
        forward, backward = self._passes.values()
        return forward, backward


def compiled_again(at_warm_up: Compilations, now: Compilations) -> tuple[int, int]:
    """The compilations after the first one: in the warm-up, and since then."""
    return max(0, at_warm_up.number - 1), max(0, now.number - max(1, at_warm_up.number))


ChildKind: TypeAlias = Literal["registry", "worker", "quick_timing", "trial", "layer_trial", "dry_run", "counting"]
Outputs: TypeAlias = Sequence[Any]
"""The outputs of a forward pass, which only the backend looks into."""
Array: TypeAlias = np.ndarray[Any, Any]


class BackwardRequest(msgspec.Struct, frozen=True):
    """The inputs that get gradients, dense unless kernels write `sparse` ones alone; `note`: why not the default."""

    inputs: tuple[str, ...]
    sparse: bool = False
    note: str = ""


class Program(msgspec.Struct, frozen=True):
    """How a framework that follows another one makes a case's call; `arguments` are all parameters, with defaults.

    A `graph` has an implementation of each node; `implementation` then says how the results of the whole are compared.
    """

    implementation: Implementation
    arguments: dict[str, Value] = {}
    graph: GraphProgram | None = None

    def parameters(self, case: Case) -> dict[str, Any]:
        """The names of its expressions besides the inputs: parameters, `training`, and the types of the `outputs`."""
        return {**self.arguments, "training": case.training, "outputs": case.outputs}


class TrialResult(msgspec.Struct, frozen=True, tag="facts"):
    """The result of a case's trial.

    `backward_request` is the backward pass that works, None if none does or no gradient flows; `forward_kernels` and
    `backward_kernels` are the passes' own kernels; `memory` is None where no trial was made; `reason` says why a
    backward pass failed, in the framework's words. `views` are the passes that return views, where that is known.
    `compile_us` are the microseconds in which both passes were compiled from nothing; None where calls aren't compiled.
    `notes` say what else the framework does in each call, such as converting sparse tensors.
    `prints` are the fingerprints of the results. `libraries` name the kernels of oneDNN of each pass, empty for none.
    """

    outputs: tuple[ArrayType, ...]
    backward_request: BackwardRequest | None
    forward_kernels: tuple[str, ...]
    backward_kernels: tuple[str, ...]
    memory: Memory | None
    reason: str = ""
    seconds: float = 0.0
    views: tuple[PassName, ...] = ()
    compile_us: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    prints: tuple[ResultPrint, ...] = ()
    libraries: dict[PassName, str] = {}


class Profiler(Protocol):
    """Records the kernels that this process runs."""

    @property
    def roles(self) -> KernelRoles:
        """The kernels that belong to no operator."""

    def recording(self) -> AbstractContextManager[None]:
        """Records inside the context, and has stopped in any case when it ends."""

    def pause(self) -> object:
        """Stops recording for a moment, at less cost than ending it."""

    def resume(self) -> object:
        """Records again."""

    def kernels(self) -> list[Kernel]:
        """The kernels recorded since the last reading, sorted by start."""


class Invocable(Protocol):
    """Starts forward passes and frees their outputs."""

    def __call__(self) -> Outputs:
        """Starts a forward pass; returns its outputs."""

    def free(self, outputs: Any, /) -> None:
        """Frees the outputs."""


class PreparedCall(ABC):
    """A case with its arrays, ready to run. A framework that has nothing to do somewhere inherits the method."""

    case: Case
    """The case that it runs."""
    invoke: Invocable
    """The forward pass."""
    idle: Callable[[], object]
    """Waits for the framework, between two readings of a clock; the result is true if something failed."""
    note: str = ""
    """A remark on the case: why it has no backward pass where it should have one, or a conversion."""
    gradients: Mapping[str, object] = {}
    """The arrays that get gradients, by name; empty if it has no backward pass."""
    first_us: tuple[float, float] | None = None
    """Microseconds of both passes in the first call, if it was made while the call was prepared."""
    upstream: Callable[[], None] | None = None
    """Makes its inputs again, untimed, before each forward pass; None for a call with inputs of its own."""

    @property
    def compilations(self) -> tuple[Compilations, Compilations] | None:
        """The compilations of both passes so far; None for a call that isn't compiled."""
        return None

    def views(self, outputs: Any, count: int | None, /) -> tuple[PassName, ...]:
        """The passes whose results are views, of the first `count` outputs (or all) and of the gradients."""
        return ()

    def check(self) -> None:
        """Raises the EngineError of the failure that `idle` has reported."""

    def mode(self) -> AbstractContextManager[None]:
        """The state in which a block of its calls runs: recorded if it has gradients, training if its case says so."""
        return nullcontext()

    def request_gradients(self, request: BackwardRequest, /) -> None:
        """Has later backward passes write these gradients, in place of those requested before. Raises EngineError."""
        raise EngineError(f"{self.case.operator} has no gradient here")

    @abstractmethod
    def make_heads(self, outputs: Sequence[ArrayType], values: Sequence[Array] | None = None, /) -> None:
        """Makes head gradients for outputs of these types, of ones or of these values."""

    def run_backward(self, outputs: Any, /) -> None:
        """Starts a backward pass from recorded outputs. Raises EngineError if there is none."""
        raise EngineError(f"{self.case.operator} has no gradient here")

    @abstractmethod
    def describe(self, outputs: Any, /) -> tuple[ArrayType, ...]:
        """The types of outputs."""

    @abstractmethod
    def storages(self, outputs: Any, /) -> tuple[Storage, ...]:
        """How outputs are stored."""

    @abstractmethod
    def values(self, outputs: Any, /) -> list[Array]:
        """The contents of outputs; bfloat16 as float32, sparse arrays as dense ones."""

    def gradient_values(self) -> dict[str, Array]:
        """The contents of the gradients of the last backward pass, by input, as `values`."""
        return {}

    def input_values(self) -> dict[str, Array]:
        """The present contents of the inputs that it may write, by name, as `values`."""
        return {}

    def write_inputs(self, contents: Mapping[str, Array], /) -> None:
        """Writes contents into the arrays of the inputs, in place; a call that has others leaves them as they are."""

    def spoil_gradients(self) -> None:
        """Fills the gradients with numbers that no backward pass leaves, as far as these are arrays of the call."""

    @abstractmethod
    def free(self) -> None:
        """Frees its arrays."""


class TriedCall(NamedTuple):
    """A call that was tried, and the contents with which its inputs were filled."""

    call: PreparedCall
    contents: Mapping[str, Array]


@dataclass(frozen=True)
class CallOptions:
    """How calls are prepared; with `upstream`, the calls before one in its network make its inputs before each pass."""

    ctx: str = "cpu"
    layers: Mapping[str, LayerPlace] = field(default_factory=dict)
    backward: bool = True
    upstream: bool = False


class Trials(ABC):
    """Runs a case once, in a fork that runs nothing else."""

    tried: TriedCall | None = None
    """The call of the last trial; None where its results aren't looked at."""

    def prepare(self) -> None:
        """Prepares the fork, before it has its case."""

    @abstractmethod
    def run(self, case: Case, *, backward: bool) -> TrialResult:
        """Runs a case forward, and backward if asked for. Raises EngineError if the forward pass fails."""


@dataclass(frozen=True)
class BuildDescription:
    """A loaded build: version, file or folder, features, threads if known, `compiler` if calls are compiled."""

    version: str
    library: str
    features: Mapping[str, bool]
    threads: int | None
    compiler: str = ""


class FrontEnd(Protocol):
    """The Python package of MXNet beside a build, and its layers; it is imported when it is first needed."""

    def require(self) -> None:
        """Imports the package. Raises UsageError without one."""

    def package(self) -> Any:
        """The package. Raises EngineError without one."""

    def layer_block(self, case: Case, layers: Mapping[str, LayerPlace]) -> Any:
        """The object of the package that a case of a layer names. Raises AutoperfError."""

    def trials(self, options: CallOptions, timeout: float) -> Trials:
        """Trials of layers for forks of this process. Raises EngineError without the package."""


class Engine(ABC):
    """A framework that this process has loaded. One that has nothing to do somewhere inherits the method."""

    roles: KernelRoles = KernelRoles()
    """The kernels that belong to no operator."""
    refusals: tuple[type[BaseException], ...] = ()
    """The exceptions by which it says that it has no such call; such a case is skipped."""

    @property
    @abstractmethod
    def build(self) -> BuildDescription:
        """The build."""

    @property
    def front_end(self) -> FrontEnd | None:
        """The Python package of MXNet beside the build; None for another framework."""
        return None

    @abstractmethod
    def require(self, ctx: str) -> int:
        """The number of GPUs if `ctx` is one. Raises UsageError without that device."""

    @abstractmethod
    def seed(self, seed: int) -> None:
        """Seeds the random numbers that operators draw."""

    def wait(self) -> None:
        """Waits for all calls. Raises EngineError if one failed."""

    @abstractmethod
    def error_text(self, error: BaseException) -> str:
        """The message of an exception, in one sentence."""

    @abstractmethod
    def prepare(self, case: Case, options: CallOptions, program: Program | None = None) -> PreparedCall:
        """Prepares a case. Raises EngineError, RuleError for invalid contents, CaseFileError for a user's file."""

    @abstractmethod
    def in_python(self, call: PreparedCall, trial: TrialResult, profiler: Profiler | None) -> tuple[str, PreparedCall]:
        """The call as Python makes it, and the name of its function. Raises EngineError without one."""

    def profiler(self) -> Profiler | None:
        """The profiler of this process, which is asked for once; None without one."""
        return None

    def count_calls(self, counting: Callable[[int], int]) -> bool:
        """Has later passes call functions of C by addresses that `counting` gives for theirs; False if it can't."""
        return False

    def warm_up(self) -> None:
        """Does work that each fork would otherwise repeat, without memory that a case would take."""

    @abstractmethod
    def trials(self, options: CallOptions) -> Trials:
        """Trials for forks of this process."""


class Introspection(Protocol):
    """Reads the operators of a build, in a process that may crash."""

    def registry(self) -> Registry:
        """All operators. Raises LibraryError and RegistryError."""

    def complete(self, call: InferenceCall) -> Completion:
        """The call with the types of all inputs and outputs, or why it is invalid."""

    def gradients(self, calls: Sequence[InferenceCall], limit: float) -> Iterable[Gradient]:
        """The gradient of each call, in order; `limit` is the time for one in seconds."""

    def graph(self, network: str | Graph, inputs: Mapping[str, ArrayType]) -> InferredGraph:
        """The nodes of a stored network, or of a graph, with their types. Raises EngineError."""


class Backend(Protocol):
    """A framework that isn't loaded."""

    @property
    def name(self) -> str:
        """The name by which it is looked up."""

    @property
    def title(self) -> str:
        """The framework's name in messages."""

    @property
    def follows(self) -> str:
        """The backend whose registry, rules and results it follows, by programs; empty if it has its own."""

    @property
    def code(self) -> tuple[Path, ...]:
        """The files whose content decides how operators are read: a change makes stored registries invalid."""

    @property
    def beside(self) -> tuple[Path, ...]:
        """Files that processes load with every build."""

    def check(self, variables: Mapping[str, str]) -> None:
        """Raises UsageError if the framework can't run in this Python or with these variables."""

    def find(self, hint: str | None) -> Path:
        """The build that is meant: a version, a path, or None for the default one. Raises LibraryError."""

    def interpreter(self, build: Path) -> Path:
        """The Python that runs the processes of a build."""

    @property
    def profiled(self) -> bool:
        """Whether it has a profiler, by which kernels are timed."""

    @property
    def countable(self) -> bool:
        """Whether valgrind counts its kernels: they run in the thread that calls, and their counts repeat."""

    @property
    def differentiates(self) -> bool:
        """Whether it computes gradients."""

    def version(self, build: Path) -> str:
        """The version of a build of a framework that follows another. Raises LibraryError."""

    def has_package(self, build: Path) -> bool:
        """Whether the Python package is beside a build, by which layers and front-end benchmarks run."""

    def variables(self, kind: ChildKind, scratch: Path | None = None) -> Mapping[str, str]:
        """The environment variables of a child process; those of a side share the folder `scratch`."""

    @property
    def in_forks(self) -> Mapping[str, str]:
        """Further variables of processes that fork for each case and time nothing; a user's don't override them."""

    def open(self, build: Path) -> Engine:
        """Loads a build into this process. Raises LibraryError."""

    def introspect(self, build: Path) -> Introspection:
        """Loads a build to read its operators. Raises LibraryError."""
