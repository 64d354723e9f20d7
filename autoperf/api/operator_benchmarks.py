"""Operators as classes, and drivers of groups, as in the design of MXNet's operator benchmarks."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from autoperf.api.arguments import Arguments
from autoperf.api.functions import device_text
from autoperf.api.measurement import FunctionCall, MeasuringRequest
from autoperf.api.results import RunResults
from autoperf.cases.build import Recipe
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.limits import DEFAULT_PROCESSES
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome
from autoperf.executor.settings import Settings
from autoperf.pipeline.namespace_functions import NamespaceFunction, function_in
from autoperf.pipeline.release import open_release
from autoperf.pipeline.selection import Selection
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.function_names import CLASS_FUNCTIONS
from autoperf.rules.groups import named_group

WARMUP = 10
RUNS = 50
"""The design's counts, in each process."""
DEFAULT_PROFILE = "common"
_OPTIONS: Arguments = {"initializer": "normal", "run_backward": True, "dtype": "float32"}


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
        """`inputs` replace the default arguments and options: tensors, `initializer`, `run_backward`, `dtype`.

        Raises UnknownNameError if mx.nd has no such function.
        """
        self._path, default = _function(type(self).__name__, mxnet)
        given = dict(inputs or {})
        tensors = {} if set(given) - set(_OPTIONS) else default
        self.inputs: dict[str, Any] = {**tensors, **_OPTIONS, **given}
        backward = bool(self.inputs["run_backward"])
        settings = Settings(warmup=warmup, runs=runs, processes=processes, ctx=device_text(ctx), backward=backward)
        self._request = MeasuringRequest(Selection(), Recipe(), settings, mxnet, progress=progress)
        self.results: dict[str, float] = {}
        self.run: RunResults | None = None

    def run_benchmark(self) -> dict[str, float]:
        """Measures, and returns the seconds by name, such as MX_Add_Forward_Backward_Time. Raises AutoperfError."""
        self.run = self._request.measure_calls([FunctionCall(self._path, self.inputs)])
        self.results = dict(_seconds(outcome, type(self).__name__) for outcome in self.run.outcomes)
        return self.results

    def print_benchmark_results(self) -> None:
        """Prints a line for each result."""
        print_results(self.results)


def group_driver(group: str) -> Callable[..., dict[str, float]]:
    """The function that measures a group of the design over its default inputs. Raises AttributeError without one."""
    try:
        named_group(group)
    except UnknownNameError as error:
        raise AttributeError(str(error)) from None
    return partial(run_group, group)


def run_group(
    group: str,
    ctx: object = "cpu",
    dtype: str | None = None,
    *,
    mxnet: str | None = None,
    processes: int = DEFAULT_PROCESSES,
    progress: bool = False,
) -> dict[str, float]:
    """Measures the operators of a group, and prints and returns the seconds by name. Raises AutoperfError."""
    settings = Settings(warmup=WARMUP, runs=RUNS, processes=processes, ctx=device_text(ctx))
    recipe = Recipe(samples=0, profiles=frozenset({DEFAULT_PROFILE}), dtypes=(dtype,) if dtype else ())
    run = MeasuringRequest(Selection(categories=(group,)), recipe, settings, mxnet, progress=progress).measure()
    results = dict(_seconds(outcome, _title(outcome.operator)) for outcome in run.outcomes)
    print_results(results)
    return results


def print_results(results: dict[str, float]) -> None:
    """Prints a line for each result, in seconds."""
    for name, seconds in results.items():
        sys.stdout.write(f"{name} - {seconds:.6f} seconds\n")


def _seconds(outcome: Outcome, title: str) -> tuple[str, float]:
    """The name of a result, and the mean wall time of its passes together. Raises UsageError if there is none."""
    passes = [timed.wall_us.mean for timed in (outcome.forward, outcome.backward) if timed and timed.wall_us]
    if not passes:
        raise UsageError(f"{outcome.operator} was not measured: {outcome.status.value}: {outcome.reason}")
    direction = "Forward_Backward" if outcome.backward else "Forward"
    return f"MX_{title}_{direction}_Time", sum(passes) / 1e6


def _title(operator: str) -> str:
    return "_".join(word.capitalize() for word in operator.strip("_").split("_"))


def _function(title: str, mxnet: str | None) -> tuple[str, Arguments]:
    """The path of a class's function, and its default arguments. Raises UnknownNameError with the nearest names."""
    with open_release(mxnet) as release:
        names = Names(release.registry, FRONT_END)
        function = next(_functions(names, title), None)
        if function is None:
            known = {_class_name(name) for operator in release.registry.operators for name in operator.names}
            raise UnknownNameError("operator", title, known)
        return function.path, _defaults(function.operator)


def _functions(names: Names, title: str) -> Iterator[NamespaceFunction]:
    """The functions of mx.nd with a name for this class, the likelier first."""
    for spelling in dict.fromkeys((CLASS_FUNCTIONS.get(title, title), _snake(title), title.lower())):
        with contextlib.suppress(UnknownNameError, UsageError):
            yield function_in(names, "nd", spelling)


def _defaults(operator: Operator) -> Arguments:
    """Tensors of 1024 x 1024 elements for each tensor of the operator."""
    return {tensor.name: (1024, 1024) for tensor in operator.tensors}


def _snake(title: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", title).lower()


def _class_name(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))
