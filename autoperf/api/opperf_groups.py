"""opperf's functions for groups of operators, and for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autoperf.api.measurement import MeasuringRequest
from autoperf.api.opperf import OpperfResults, results_by_operator
from autoperf.api.option_types import PROCESS_OPTIONS, check_types
from autoperf.api.options import (
    Dtype,
    ProcessKeywords,
    Profiler,
    Texts,
    dtype_names,
    process_options,
    showing,
    texts_of,
)
from autoperf.api.values import device_text
from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.core.errors import UsageError
from autoperf.core.options import DEFAULT_TIMEOUT
from autoperf.measurement.settings import Settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

SWITCHES = ("on", "off")
WARMUP = 25
RUNS = 100
"""opperf's counts, in each process."""
LARGE_TIMEOUT = 3600.0
"""Seconds for a case with a tensor of more than 2**32 elements."""


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
        warmup: int = WARMUP,
        runs: int = RUNS,
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
        check_types(
            {"dtype": dtype, "warmup": warmup, "runs": runs, "input_profile": input_profile, "time_budget": time_budget}
        )
        given, is_large = process_options(options), _is_on(int64_tensor)
        settings = Settings(
            profiler=profiler, warmup=warmup, runs=runs, processes=given["processes"], time_budget=time_budget,
            ctx=device_text(ctx), timeout=LARGE_TIMEOUT if is_large else DEFAULT_TIMEOUT,
        )  # fmt: skip
        recipe = Recipe(
            draws=0,
            profiles=None if input_profile is None else frozenset(texts_of(input_profile)),
            dtypes=() if dtype is None else dtype_names(dtype),
            int64_tensor=is_large,
        )
        selection = Selection(categories=(self.group,) if self.group else ())
        request = MeasuringRequest(selection, recipe, settings, given.libraries(()), progress=given.progress)
        return results_by_operator(request.measure())


def _is_on(int64_tensor: str) -> bool:
    """Whether tensors are large. Raises UsageError unless it is a word of opperf."""
    switch = str(int64_tensor).lower()
    if switch not in SWITCHES:
        raise UsageError(f"invalid int64_tensor {int64_tensor!r}: expected 'on' or 'off'")
    return switch == "on"


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
