"""Calls of a framework that computes MXNet's operators by expressions: what such frameworks share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np

from autoperf.backends.contents import contents_of, ones
from autoperf.backends.protocol import (
    Array,
    CallOptions,
    Engine,
    Invocable,
    PreparedCall,
    Profiler,
    Program,
    TrialResult,
    Trials,
)
from autoperf.core.case import FILE, Case
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.tensors import ArrayType, Storage
from autoperf.implementations.expressions import function_of, function_of_lines, prepared, results_of
from autoperf.implementations.graphs import straight_line
from autoperf.implementations.implementation import FRAMEWORKS


def input_of(values: Mapping[str, Any], name: str) -> Any:
    """The value of an input among those of an expression's names; `data[1]` is a member of the list `data`."""
    stem, bracket, number = name.partition("[")
    return values[stem][int(number.rstrip("]"))] if bracket else values[name]


class ExpressionCall(PreparedCall):
    """A case's arrays, and the expression over them, ready to be evaluated; it leaves its inputs as they are."""

    framework: ClassVar[str]
    gradients: dict[str, Any]
    _asked: Sequence[str] = ()
    _results: Sequence[Any] = ()
    """The gradients of the last backward pass, until they are freed."""
    _seeds: Sequence[Any] = ()
    """The head gradients as the framework takes them."""

    def __init__(self, case: Case, program: Program) -> None:
        self.case, self.program = case, program
        self.note = program.implementation.note
        self.gradients = {}
        self.heads: list[Any] = []
        self.arrays = {
            item.name: self.array(contents_of(case, item), item.tensor.dtype)
            for item in case.inputs
            if item.name != FILE
        }
        if program.graph:
            source, self.scope, self.note = straight_line(program.graph, self.framework, self.arrays)
            self.function = function_of_lines(source, self.framework, self.scope)
        else:
            self.scope = prepared(program.implementation, self.framework, self.arrays, program.parameters(case))
            """The names of the expression, with the lists of variadic inputs."""
            self.function = function_of(program.implementation.expression, self.framework, self.scope)
        # Its calls have ended when they return.
        self.idle = lambda: None
        self.invoke = self.invocable(self.function)

    def invocable(self, function: Any) -> Invocable:
        """A function that can be called as a forward pass; an object with a method would take longer."""
        function.free = self.free_results
        return cast("Invocable", function)

    def free_results(self, _outputs: Any, /) -> None:
        """Drops the results that the call holds, those of a backward pass."""
        self._results = ()

    def argument(self, name: str) -> Any:
        """The array that the expression takes for an input, perhaps converted."""
        return input_of(self.scope, name)

    def views(self, outputs: Any, count: int | None, /) -> tuple[PassName, ...]:
        """The passes whose results all share memory: the first `count` outputs with inputs, gradients with heads."""
        inputs = [array for value in self.scope.values() for array in results_of(value)]
        passes = ((results_of(outputs)[:count], inputs), (self._results, self._seeds))

        def are_views(made: Sequence[Any], given: Sequence[Any]) -> bool:
            present = [array for array in made if array is not None]
            return bool(present) and all(any(self.shares_memory(array, other) for other in given) for array in present)

        return tuple(name for name, results in zip(PASSES, passes, strict=True) if are_views(*results))

    @abstractmethod
    def shares_memory(self, array: Any, other: Any) -> bool:
        """Whether a result shares memory with another value, which may be no array."""

    @abstractmethod
    def array(self, values: Array, dtype: str) -> Any:
        """An array of the framework, with a copy of these values in a dtype."""

    @abstractmethod
    def to_numpy(self, array: Any) -> Array:
        """The contents of an array; bfloat16 as float32."""

    @abstractmethod
    def dtype_of(self, array: Any) -> str:
        """The name of an array's dtype."""

    def ask_for(self, inputs: Sequence[str]) -> None:
        """Takes note of the inputs that get gradients; one that is converted to whole numbers has zeros."""
        self._asked = inputs
        arrays = {name: self.argument(name) for name in inputs}
        self.gradients = {name: array for name, array in arrays.items() if "float" in self.dtype_of(array)}

    def gradient_values(self) -> dict[str, Array]:
        """The gradients in the shapes of the inputs before they were converted, of zeros where none flows."""
        zeros = {name: np.zeros_like(self.to_numpy(self.arrays[name])) for name in self._asked}
        flowing = zip(self.gradients, self._results, strict=True)
        made = {name: self.to_numpy(each) for name, each in flowing if each is not None}
        return zeros | {name: array.reshape(zeros[name].shape) for name, array in made.items()}

    def make_heads(self, outputs: Sequence[ArrayType], values: Sequence[Array] | None = None, /) -> None:
        """Makes head gradients of these values, or of ones."""
        given = ones(outputs) if values is None else values
        self.heads = [self.array(head, each.dtype) for head, each in zip(given, outputs, strict=True)]

    def describe(self, outputs: Any, /) -> tuple[ArrayType, ...]:
        """The types of outputs."""
        results = results_of(outputs)
        for each in results:
            if not hasattr(each, "dtype"):
                expected = f"expected an array of {FRAMEWORKS[self.framework].title}"
                raise EngineError(f"a result of the expression is of type {type(each).__name__}; {expected}")
        return tuple(ArrayType(tuple(np.shape(each)), self.dtype_of(each)) for each in results)

    def storages(self, outputs: Any, /) -> tuple[Storage, ...]:
        """Dense, all of them."""
        return tuple("default" for _ in results_of(outputs))

    def values(self, outputs: Any, /) -> list[Array]:
        """The contents of outputs, and then of the inputs that the program updates."""
        return [self.to_numpy(each) for each in results_of(outputs)]

    def free(self) -> None:
        """Drops all that the call holds, since its functions refer to it, and garbage collection is paused."""
        self.arrays.clear()
        self.gradients.clear()
        self.scope.clear()
        vars(self).clear()


class ExpressionEngine(Engine):
    """A framework in a process that has imported its package. Each call waits for its results."""

    title: ClassVar[str]
    call: ClassVar[type[ExpressionCall]]

    def require(self, ctx: str) -> int:
        """No GPUs. Raises UsageError for another device than the CPU."""
        if ctx != "cpu":
            raise UsageError(f"--ctx {ctx}: {self.title} is measured on the CPU only; leave it out")
        return 0

    def error_text(self, error: BaseException) -> str:
        """The kind of an exception and the first line of its message."""
        first = next(iter(str(error).strip().splitlines()), "")
        text = f"{type(error).__name__}: {first}" if first else type(error).__name__
        return f"{self.title} can't compile the whole call: {text}" if isinstance(error, self.refusals) else text

    def prepare(self, case: Case, options: CallOptions, program: Program | None = None) -> PreparedCall:
        """Prepares a case. Raises EngineError without a program, RuleError for invalid contents."""
        if program is None:
            raise EngineError(f"{self.title} has no implementation of {case.operator}")
        return self.call(case, program)

    def in_python(self, call: PreparedCall, trial: TrialResult, profiler: Profiler | None) -> tuple[str, PreparedCall]:
        """The call itself, which is one of Python, and its expression."""
        return call.program.implementation.expression if isinstance(call, ExpressionCall) else "", call

    def trials(self, options: CallOptions) -> Trials:
        """Trials without a backward pass."""
        return _NoTrials()


class _NoTrials(Trials):
    """Cases of such a framework are tried with the results that they should have."""

    def run(self, case: Case, *, backward: bool) -> TrialResult:
        """Raises EngineError: there is nothing to compare with."""
        raise EngineError(f"no results to check {case.operator} with")
