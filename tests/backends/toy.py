"""A backend in a hundred lines: NumPy's ufuncs under names of operators, forward only, by the wall clock only.

`--framework tests.backends.toy:TOY` names it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autoperf.backends.contents import materialise
from autoperf.backends.protocol import (
    Backend,
    BuildDescription,
    CallOptions,
    Engine,
    PreparedCall,
    TrialResult,
    Trials,
    TriedCall,
)
from autoperf.backends.results import contents
from autoperf.core.case import Case
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.graph import Graph
from autoperf.core.operator import Operator, Registry, Role, TensorArgument, TensorKind
from autoperf.core.tensors import ArrayType, Storage
from autoperf.registry.calls import Completion, Gradient, InferenceCall, InferredGraph
from autoperf.registry.client import FORMAT

UFUNCS: Mapping[str, np.ufunc] = {"exp": np.exp, "sin": np.sin, "broadcast_add": np.add}
INPUTS = {1: ("data",), 2: ("lhs", "rhs")}


def operators() -> Iterable[Operator]:
    for name, ufunc in UFUNCS.items():
        tensors = tuple(TensorArgument(tensor, TensorKind.SINGLE) for tensor in INPUTS[ufunc.nin])
        yield Operator(name, Role.FORWARD, "legacy", tensors=tensors)


class SynchronousCall(PreparedCall):
    """What all calls have whose results are there when they return."""

    def idle(self) -> object:
        return None

    def check(self) -> None:
        raise EngineError("nothing fails later")


class ToyCall(SynchronousCall):
    def __init__(self, case: Case) -> None:
        ufunc = UFUNCS.get(case.operator)
        if ufunc is None or case.way != "call":
            raise EngineError(f"NumPy has no {case.operator}")
        self.case = case
        self._arrays = [materialise(item.tensor, case.digest, item.name) for item in case.inputs]
        self.invoke = ToyInvocation(ufunc, self._arrays)

    def make_heads(self, outputs: Sequence[ArrayType], values: object = None, /) -> None:
        raise EngineError("NumPy has no gradients")

    def storages(self, outputs: Sequence[Any], /) -> tuple[Storage, ...]:
        return tuple("default" for _ in outputs)

    def values(self, outputs: Sequence[Any], /) -> list[Any]:
        return list(outputs)

    def describe(self, outputs: Sequence[Any], /) -> tuple[ArrayType, ...]:
        return tuple(ArrayType(output.shape, str(output.dtype)) for output in outputs)

    def write_inputs(self, contents: Mapping[str, Any], /) -> None:
        for item, array in zip(self.case.inputs, self._arrays, strict=True):
            array[...] = contents[item.name]

    def free(self) -> None:
        self._arrays.clear()


class ToyInvocation:
    def __init__(self, ufunc: np.ufunc, arrays: Sequence[Any]) -> None:
        self._ufunc, self._arrays = ufunc, arrays

    def __call__(self) -> tuple[Any, ...]:
        return (self._ufunc(*self._arrays),)

    def free(self, _outputs: Any, /) -> None:
        pass


class ToyEngine(Engine):
    build = BuildDescription(np.__version__, "numpy", {}, threads=1)

    def require(self, ctx: str) -> int:
        if ctx != "cpu":
            raise UsageError("NumPy runs on the CPU")
        return 0

    def seed(self, seed: int) -> None:
        pass

    def error_text(self, error: BaseException) -> str:
        return f"{type(error).__name__}: {error}"

    def prepare(self, case: Case, _options: CallOptions, _program: object = None) -> PreparedCall:
        return ToyCall(case)

    def in_python(self, *_arguments: Any) -> Any:
        raise EngineError("NumPy has one interface")

    def trials(self, _options: CallOptions) -> ToyTrials:
        return ToyTrials()


class ToyTrials(Trials):
    def run(self, case: Case, *, backward: bool) -> TrialResult:
        call = ToyCall(case)
        self.tried = TriedCall(call, contents(case))
        return TrialResult(call.describe(call.invoke()), None, (), (), None)


class ToyIntrospection:
    def registry(self) -> Registry:
        return Registry(FORMAT, np.__version__, "numpy", tuple(operators()))

    def complete(self, call: InferenceCall) -> Completion:
        try:
            ufunc = UFUNCS[call.operator]
            given = [call.inputs[name] for name in INPUTS[ufunc.nin]]
            shape = np.broadcast_shapes(*(each.shape for each in given))
        except (KeyError, ValueError) as error:
            return Completion(error=str(error))
        output = ArrayType(shape, str(np.result_type(*(each.dtype for each in given))))
        return Completion(inputs=tuple(call.inputs.items()), outputs=(output,))

    def gradients(self, calls: Sequence[InferenceCall], _limit: float) -> list[Gradient]:
        return [Gradient(differentiable=False) for _ in calls]

    def graph(self, _network: str | Graph, _inputs: Mapping[str, ArrayType]) -> InferredGraph:
        raise EngineError("NumPy has no graphs")


class ToyBackend:
    name = f"{__name__}:TOY"
    title = "NumPy"
    code = beside = ()
    follows = ""
    profiled = False
    countable = False
    differentiates = False
    in_forks: Mapping[str, str] = {}

    def check(self, _variables: Mapping[str, str]) -> None:
        pass

    def find(self, hint: str | None) -> Path:
        if hint is not None:
            raise UsageError(f"invalid build {hint!r}: NumPy is this Python's")
        return Path(np.__file__).parent

    def interpreter(self, _build: Path) -> Path:
        return Path(sys.executable)

    def version(self, _build: Path) -> str:
        return np.__version__

    def has_package(self, _build: Path) -> bool:
        return False

    def variables(self, _kind: str, _scratch: Path | None = None) -> Mapping[str, str]:
        return {}

    def open(self, _build: Path) -> ToyEngine:
        return ToyEngine()

    def introspect(self, _build: Path) -> ToyIntrospection:
        return ToyIntrospection()


TOY: Backend = ToyBackend()
