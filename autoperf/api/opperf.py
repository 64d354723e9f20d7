"""opperf's functions for single operators, groups of them and all of them, by their names and with their results."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pprint import pformat
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from autoperf.api import arguments
from autoperf.api.measurement import FunctionCall, MeasuringRequest
from autoperf.api.options import (
    PROCESS_OPTIONS,
    Dtype,
    GivenOptions,
    ProcessKeywords,
    Profiler,
    Texts,
    converted,
    is_empty,
    process_options,
    showing,
)
from autoperf.api.results import Record, RunResults
from autoperf.cases.build import Recipe
from autoperf.cases.release import Release, open_release
from autoperf.cases.selection import Selection, target_of
from autoperf.core.errors import AutoperfError, UnknownNameError, UsageError
from autoperf.core.operator import TensorKind
from autoperf.core.options import DEFAULT_TIMEOUT
from autoperf.measurement.run_request import NamespaceFunction, RunRequest, function_in
from autoperf.measurement.settings import Settings
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END, with_operators_names
from autoperf.rules.rule import InputSpec
from autoperf.summary.exports import Entry, OpperfReport, opperf_entry, opperf_report

if TYPE_CHECKING:
    from typing_extensions import Unpack

NAMESPACES = {"mxnet.ndarray": "nd", "mxnet.numpy": "np", "mxnet.numpy_extension": "npx"}
"""The modules that `run_benchmark_operator` compares, and their short names."""
LARGE_TIMEOUT = 3600.0
"""Seconds for a case with a tensor of more than 2**32 elements."""


class OpperfResults(dict[str, list[Entry]]):
    """opperf's dictionary: for each function a list of its inputs and figures; `records` has autoperf's own figures.

    Times are in milliseconds, memory is in kilobytes. Results can be added: `results += run_performance_test(...)`.
    """

    def __init__(self, entries: Mapping[str, list[Entry]], runs: Sequence[RunResults] = ()) -> None:
        super().__init__(entries)
        self.runs = tuple(runs)

    def __str__(self) -> str:
        return pformat(dict(self), width=120, sort_dicts=False)

    def __missing__(self, key: object) -> list[Entry]:
        """Raises KeyError, which for a number says where opperf's list is."""
        if isinstance(key, int):
            key = (
                f"{key}: opperf's list of a dictionary for each function is one dictionary here: name the function, as "
                f"in results[{next(iter(self), 'add')!r}][{key}], or iterate over results.items()"
            )
        raise KeyError(key)

    @property
    def records(self) -> list[Record]:
        """A dictionary for each case, as `RunResults.records`: with medians, intervals and percentiles."""
        return [record for run in self.runs for record in run.records]

    def __add__(self, other: OpperfResults) -> OpperfResults:
        """The results of both; entries of one function are appended."""
        entries = {name: [*self.get(name, ()), *other.get(name, ())] for name in {**self, **other}}
        return OpperfResults(entries, (*self.runs, *other.runs))


@showing(PROCESS_OPTIONS)
def run_performance_test(
    ops: arguments.Function | Sequence[arguments.Function] | None = None,
    inputs: arguments.Calls | None = None,
    run_backward: bool = True,
    dtype: Dtype = "float32",
    ctx: object = "cpu",
    profiler: Profiler = "native",
    warmup: int = 10,
    runs: int = 50,
    *,
    F: arguments.Function | Sequence[arguments.Function] | None = None,  # noqa: N803 - the name in opperf's design
    **options: Unpack[ProcessKeywords],
) -> OpperfResults:
    """Measures functions of mx.nd, mx.np or mx.npx, or operators by name, over the same inputs.

    Each of `inputs` has the arguments of one call by name: shapes, arrays, lists of values, numbers; `initializer`,
    `dtype` and `run_backward` may stand beside them. Calls without a backward pass are a run of their own, in inference
    mode. `warmup` and `runs` are counts in each process. Raises AutoperfError for mistakes.
    """
    given = process_options(options)
    functions = _functions(ops, F)
    settings = _settings({"profiler": profiler, "warmup": warmup, "runs": runs}, given, ctx)
    run = RunRequest(Selection(), _recipe(dtype), settings, libraries=given.libraries(functions))
    request = MeasuringRequest(run, given.progress)
    if inputs is None or is_empty(inputs):
        raise UsageError("run_performance_test needs inputs: give a list of arguments, such as [{'data': (128, 128)}]")
    calls = [
        FunctionCall(function, call, f"{arguments.operator_path(function)} {number}")
        for function in functions
        for number, call in enumerate(arguments.calls_of(inputs), 1)
    ]
    return _results_of(_measured(request, calls, run_backward), calls, settings)


def _settings(named: Mapping[str, object], given: GivenOptions, ctx: object, **others: Any) -> Settings:
    """The settings of these options. Raises UsageError. None stands for a default."""
    return Settings(processes=given["processes"], ctx=arguments.device_text(ctx), **converted(named), **others)


def _recipe(dtype: Dtype | None, **others: Any) -> Recipe:
    return Recipe(dtypes=converted({"dtype": dtype}).get("dtype", ()), **others)


def _measured(request: MeasuringRequest, calls: Sequence[FunctionCall], run_backward: bool) -> list[RunResults]:
    """A run of the calls with a backward pass, which is a setting of a whole run, and one of those without."""
    runs: list[RunResults] = []
    for backward in (True, False):
        part = [call for call in calls if arguments.runs_backward(call.arguments, run_backward) is backward]
        if part:
            settings = msgspec.structs.replace(request.run.settings, backward=backward)
            runs.append(replace(request, run=replace(request.run, settings=settings)).measure(part))
    return runs


@showing(PROCESS_OPTIONS)
def run_benchmark_operator(
    name: str,
    size: tuple[int, ...] = (128, 128),
    additional_inputs: arguments.Arguments | None = None,
    dtype: Dtype = "float32",
    run_backward: bool = False,
    ctx: object = "cpu",
    warmup: int = 10,
    runs: int = 50,
    profiler: Profiler = "native",
    **options: Unpack[ProcessKeywords],
) -> dict[str, OpperfResults | str]:
    """Measures the function of this name in mx.nd, mx.np and mx.npx, and prints and returns the results by module.

    Tensors have the shape `size`, unless `additional_inputs` gives them; parameters are given there too, by the names
    of any of the modules: each gets those that its function has. A module that has no such function, or refuses the
    inputs, has a text that says so. Raises AutoperfError if no module has the function, or each that has it refuses
    them.
    """
    results: dict[str, OpperfResults | str] = {}
    refusals: list[AutoperfError] = []
    library = next(iter(process_options(options).libraries(())), None)
    (additional,) = arguments.calls_of([additional_inputs or {}])

    def measured(module: str, function: str, inputs: arguments.Arguments) -> OpperfResults | str:
        try:
            return run_performance_test(
                function, inputs, run_backward, dtype, ctx, profiler, warmup, runs, **options
            )  # fmt: skip
        except AutoperfError as refusal:
            refusals.append(refusal)
            return f"{module} can't measure {name}: {refusal}"

    for module, function, inputs in list(_namespace_calls(name, size, additional, library)):
        results[module] = inputs if isinstance(inputs, str) else measured(module, function, inputs)
    if refusals and all(isinstance(result, str) for result in results.values()):
        raise refusals[0]
    for module, result in results.items():
        sys.stdout.write(f"{module}\n{result}\n")
    return results


def _functions(*given: arguments.Function | Sequence[arguments.Function] | None) -> tuple[arguments.Function, ...]:
    named = [functions for functions in given if functions is not None]
    if not named:
        raise UsageError("run_performance_test needs a function: give one, such as mx.nd.add, or a list of them")
    if len(named) > 1:
        raise UsageError("ops and F are the same argument: give one of them")
    return arguments.functions_of(named[0])


def _results_of(runs: Sequence[RunResults], calls: Sequence[FunctionCall], settings: Settings) -> OpperfResults:
    """The entries by function, with the inputs as they were given."""
    by_profile = {call.profile: call for call in calls}
    order = {call.profile: number for number, call in enumerate(calls)}
    entries: OpperfReport = {arguments.operator_label(call.function): [] for call in calls}
    outcomes = (outcome for run in runs for outcome in run.outcomes)
    for outcome in sorted(outcomes, key=lambda outcome: order[outcome.profile]):
        call = by_profile[outcome.profile]
        label = arguments.operator_label(call.function)
        inputs = {name: _readable(value) for name, value in call.arguments.items()}
        entry = opperf_entry(outcome, label, inputs, profiler=settings.profiler, ctx=settings.ctx)
        entries[label].append(entry)
    return OpperfResults(entries, runs)


def _readable(value: Any) -> Any:
    """An argument as a value of JSON: arrays by their shape and device, as opperf shows them, functions by name."""
    if arguments.is_array(value):
        shape = "x".join(map(str, value.shape))
        return f"<NDArray {shape} @{value.ctx}>" if hasattr(value, "ctx") else f"<array {shape} {value.dtype}>"
    if isinstance(value, list | tuple):
        return [_readable(each) for each in value] if isinstance(value, list) else tuple(map(_readable, value))
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return getattr(value, "__name__", str(value))


def _namespace_calls(
    name: str, size: tuple[int, ...], additional: arguments.Arguments, mxnet: str | None
) -> Iterator[tuple[str, str, arguments.Arguments | str]]:
    """For each module: its name, the function's path, and the arguments; a text if it has no such function."""
    with open_release(mxnet) as release:
        names = Names(release.registry, FRONT_END)
        functions: dict[str, NamespaceFunction | None] = dict.fromkeys(NAMESPACES)
        for module, space in NAMESPACES.items():
            with suppress(UnknownNameError, UsageError):
                functions[module] = function_in(names, space, name)
        if not any(functions.values()):
            raise UsageError(
                f"unknown function {name!r}: none of mx.nd, mx.np and mx.npx has it; give a name without the module, "
                "such as 'exp'"
            )
        taken = {module: _taken(names, function, additional) for module, function in functions.items() if function}
        known = {argument for each in taken.values() for argument in each}
        for argument in additional:
            if argument not in known:
                raise UnknownNameError(f"argument of {name}", argument, known)
        for module, function in functions.items():
            if function is None:
                yield module, "", f"{module} does not have operator {name}"
                continue
            left_out = [argument for argument in additional if argument not in taken[module]]
            if left_out:
                sys.stdout.write(f"note: {function.path} has no {', '.join(left_out)}, which is left out there\n")
            yield module, function.path, _sized_arguments(release, function, size, taken[module])


def _taken(names: Names, function: NamespaceFunction, additional: arguments.Arguments) -> arguments.Arguments:
    """The arguments that one of the function's operators has, by its own names or the function's."""
    return {
        name: value
        for name, value in additional.items()
        if arguments.is_argument_option(name) or arguments.takes(names, function.path, function.operator, {name: value})
    }


def _sized_arguments(
    release: Release, function: NamespaceFunction, size: tuple[int, ...], additional: arguments.Arguments
) -> arguments.Arguments:
    """The operator's tensors in this size, but those that the caller gives, and those that MXNet deduces."""
    operator = function.operator
    given = with_operators_names(function.path, additional, arguments.argument_names(operator))
    tensors = [tensor for tensor in operator.tensors if tensor.kind is not TensorKind.AUXILIARY]
    rule = target_of(operator, release.catalog).rule
    calls = rule.canonical(InputSpec(operator, rule.dtype)).values() if rule else ()
    # Those that the canonical inputs give, since MXNet can't deduce them.
    deduced_from = frozenset.intersection(*(frozenset(call.tensors) for call in calls)) if calls else frozenset()
    needed = [tensor for tensor in tensors if tensor.name in deduced_from] or tensors
    sized = {
        tensor.name: [size] if tensor.kind is TensorKind.VARIADIC else size
        for tensor in needed
        if tensor.name not in given
    }
    return {**sized, **additional}


@dataclass(frozen=True)
class GroupBenchmark:
    """A function that measures a group of operators over their canonical inputs; without a group, all operators."""

    __name__: str
    group: str = ""

    @showing(PROCESS_OPTIONS)
    def __call__(
        self,
        ctx: object = "cpu",
        dtype: Dtype | None = None,
        profiler: Profiler = "native",
        int64_tensor: str = "off",
        warmup: int = 25,
        runs: int = 100,
        *,
        input_profile: Texts | None = None,
        time_budget: float | None = None,
        **options: Unpack[ProcessKeywords],
    ) -> OpperfResults:
        """opperf's dictionary of the group. Raises AutoperfError.

        Without `dtype`, each operator has the dtype of its rule. `int64_tensor="on"` measures each over a tensor
        of more than 2**32 elements, which takes minutes and gigabytes. `input_profile` selects input profiles,
        `time_budget` is the seconds that all may take together.
        """
        profiles = converted({"input_profile": input_profile}).get("input_profile")
        given, switch = process_options(options), str(int64_tensor).lower()
        if switch not in ("on", "off"):
            raise UsageError(f"invalid int64_tensor {int64_tensor!r}: expected 'on' or 'off'")
        is_large = switch == "on"
        named = {"profiler": profiler, "warmup": warmup, "runs": runs, "time_budget": time_budget}
        settings = _settings(named, given, ctx, timeout=LARGE_TIMEOUT if is_large else DEFAULT_TIMEOUT)
        recipe = _recipe(dtype, draws=0, profiles=profiles and frozenset(profiles), int64_tensor=is_large)
        selection = Selection(categories=(self.group,) if self.group else ())
        run = RunRequest(selection, recipe, settings, libraries=given.libraries(()))
        measured = MeasuringRequest(run, given.progress).measure()
        return OpperfResults(opperf_report(measured.report), (measured,))


_GROUPS = {
    "run_mx_unary_operators_benchmarks": "unary_operators",
    "run_mx_binary_broadcast_operators_benchmarks": "binary_broadcast",
    "run_mx_binary_element_wise_operators_benchmarks": "binary_element_wise",
    "run_mx_binary_misc_operators_benchmarks": "binary_misc",
    "run_gemm_operators_benchmarks": "gemm",
    "run_mx_random_sampling_operators_benchmarks": "random_sampling",
    "run_mx_reduction_operators_benchmarks": "reduction",
    "run_sorting_searching_operators_benchmarks": "sorting_searching",
    "run_indexing_routines_benchmarks": "indexing",
    "run_rearrange_operators_benchmarks": "rearrange",
    "run_shape_operators_benchmarks": "shape",
    "run_expanding_operators_benchmarks": "expanding",
    "run_rounding_operators_benchmarks": "rounding",
    "run_join_split_operators_benchmarks": "join_split",
    "run_nn_basic_operators_benchmarks": "nn_basic_operators",
    "run_activation_operators_benchmarks": "nn_activation",
    "run_pooling_operators_benchmarks": "pooling",
    "run_convolution_operators_benchmarks": "convolution",
    "run_transpose_convolution_operators_benchmarks": "transpose_convolution",
    "run_optimizer_operators_benchmarks": "nn_optimizer",
    "run_loss_operators_benchmarks": "nn_loss",
    "run_linalg_operators_benchmarks": "linalg_operators",
    "run_mx_misc_operators_benchmarks": "misc_operators",
}
GROUP_BENCHMARKS = {name: GroupBenchmark(name, group) for name, group in _GROUPS.items()}
"""opperf's functions by name."""
run_all_mxnet_operator_benchmarks = GroupBenchmark("run_all_mxnet_operator_benchmarks")


def __getattr__(name: str) -> GroupBenchmark:
    """opperf's function of this name. Raises AttributeError for any other name."""
    if name not in GROUP_BENCHMARKS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return GROUP_BENCHMARKS[name]
