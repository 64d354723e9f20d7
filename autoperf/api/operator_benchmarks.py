"""Operators and layers as classes, as in the design of MXNet's operator benchmarks."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from autoperf.api.arguments import Arguments, calls_of
from autoperf.api.default_arguments import default_arguments
from autoperf.api.functions import device_text
from autoperf.api.measurement import FunctionCall, MeasuringRequest
from autoperf.api.option_types import check_types
from autoperf.api.options import dtype_names
from autoperf.api.result_titles import print_results, result_of, title_of
from autoperf.api.results import RunResults
from autoperf.cases.build import Recipe
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.layers import IMPERATIVE, PREFIX
from autoperf.core.limits import DEFAULT_PROCESSES
from autoperf.executor.settings import Settings
from autoperf.pipeline.namespace_functions import NamespaceFunction, function_in
from autoperf.pipeline.release import open_release
from autoperf.pipeline.selection import Selection, Target, target_of
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.function_names import CLASS_FUNCTIONS, CLASS_LAYERS

WARMUP = 10
RUNS = 50
"""The design's counts, in each process."""
_OPTIONS: Arguments = {"initializer": "normal", "run_backward": True, "dtype": "float32"}


class BenchmarkSubject(NamedTuple):
    """What a class measures: the path of a function or a layer, the title of its results, and their defaults."""

    path: str
    title: str
    arguments: Mapping[str, Any]
    dtype: str

    @classmethod
    def of(cls, path: str, title: str, target: Target, profile: str = "") -> BenchmarkSubject:
        """The subject with the defaults of the operator's rule, in this profile if it has it."""
        rule = target.rule
        dtype = rule.dtype if rule else _OPTIONS["dtype"]
        return cls(path, title, default_arguments(target.operator, rule, profile), dtype)

    @property
    def has_dtype(self) -> bool:
        """Whether `dtype` is an argument of the function, and not that of its tensors."""
        return "dtype" in self.arguments

    def call(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of the call: the dtype of the tensors is none."""
        return {name: value for name, value in inputs.items() if name != "dtype" or self.has_dtype}

    def inputs(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments and options of a call: arguments that are given replace all default ones."""
        default = {} if set(given) - set(_OPTIONS) else self.arguments
        options = {**_OPTIONS, "dtype": self.dtype}
        return {**default, **{name: options[name] for name in options if name not in default}, **given}


class OperatorBenchmark:
    """Measures one function of mx.nd. A subclass's name is the function's, such as Add or FullyConnected."""

    def __init__(
        self,
        ctx: object = "cpu",
        warmup: int = WARMUP,
        runs: int = RUNS,
        inputs: Arguments | None = None,
        *,
        mxnet: str | None = None,
        processes: int = DEFAULT_PROCESSES,
        progress: bool = False,
    ) -> None:
        """`inputs` are arguments, and the options `initializer`, `run_backward` and `dtype`.

        Options alone leave the default arguments; any argument replaces all of them. Raises UnknownNameError if there
        is no such function, UsageError for an invalid option.
        """
        check_types({"warmup": warmup, "runs": runs, "mxnet": mxnet, "processes": processes, "progress": progress})
        self._subject = self._find(type(self).__name__, mxnet)
        calls = calls_of({} if inputs is None else inputs)
        if len(calls) > 1:
            raise UsageError(f"invalid inputs: expected the arguments of one call, got those of {len(calls)}")
        self.inputs = self._subject.inputs(calls[0])
        backward = bool(self.inputs["run_backward"])
        settings = Settings(warmup=warmup, runs=runs, processes=processes, ctx=device_text(ctx), backward=backward)
        recipe = Recipe(dtypes=() if self._subject.has_dtype else dtype_names(self.inputs["dtype"]))
        self._request = MeasuringRequest(Selection(), recipe, settings, mxnet, progress=progress)
        self.results: dict[str, float] = {}
        self.run: RunResults | None = None

    def run_benchmark(self) -> dict[str, float]:
        """Measures, and returns the seconds by name, such as MX_Add_Forward_Backward_Time. Raises AutoperfError."""
        self.run = self._request.measure_calls([FunctionCall(self._subject.path, self._subject.call(self.inputs))])
        (outcome,) = self.run.outcomes
        result = result_of(outcome, self._subject.title)
        if result is None:
            raise UsageError(f"{outcome.operator} was not measured: {outcome.status.value}: {outcome.reason}")
        self.results = dict([result])
        return self.results

    def print_benchmark_results(self) -> None:
        """Prints a line for each result."""
        print_results(self.results)

    @classmethod
    def _find(cls, name: str, mxnet: str | None) -> BenchmarkSubject:
        """What the class of this name measures. Raises UnknownNameError with the nearest names."""
        with open_release(mxnet) as release:
            function = next(_functions(Names(release.registry, FRONT_END), name), None)
            if function is None:
                known = {_class_name(name) for operator in release.registry.operators for name in operator.names}
                raise UnknownNameError("operator", name, known)
            target = target_of(function.operator, release.catalog)
            return BenchmarkSubject.of(function.path, title_of(function.path), target)


class LayerBenchmark(OperatorBenchmark):
    """Measures one layer of Gluon imperatively. A subclass's name is the layer's, such as Conv2D or LSTM."""

    @classmethod
    def _find(cls, name: str, mxnet: str | None) -> BenchmarkSubject:
        """What the class of this name measures. Raises UnknownNameError with the nearest names."""
        layer, configuration = CLASS_LAYERS.get(name, (name, ""))
        with open_release(mxnet) as release:
            operators = {operator.name: operator for operator in release.registry.unregistered}
            operator = operators.get(PREFIX + layer)
            if operator is None:
                known = (each.removeprefix(PREFIX) for each in operators if each.startswith(PREFIX))
                raise UnknownNameError("layer", name, known)
            profile = f"{configuration}_{IMPERATIVE}" if configuration else IMPERATIVE
            target = target_of(operator, release.catalog)
            return BenchmarkSubject.of(operator.name, title_of(PREFIX + name), target, profile)


def operator_class(name: str, module: str) -> type[OperatorBenchmark]:
    """The class of a function of mx.nd."""
    return type(name, (OperatorBenchmark,), {"__module__": module, "__doc__": f"Measures mx.nd's {name}."})


def layer_class(name: str, module: str) -> type[LayerBenchmark]:
    """The class of a layer of mx.gluon."""
    return type(name, (LayerBenchmark,), {"__module__": module, "__doc__": f"Measures the layer {name} of mx.gluon."})


def _functions(names: Names, title: str) -> Iterator[NamespaceFunction]:
    """The functions of mx.nd with a name for this class, the likelier first."""
    for spelling in dict.fromkeys((CLASS_FUNCTIONS.get(title, title), _snake(title), title.lower())):
        with contextlib.suppress(UnknownNameError, UsageError):
            yield function_in(names, "nd", spelling)


def _snake(title: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", title).lower()


def _class_name(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))
