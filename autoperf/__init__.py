"""autoperf: a registry-introspecting, auto-generated operator benchmark suite for Apache MXNet."""

from importlib import import_module

__version__ = "0.1.0"

_MODULES = {
    "core.errors": ("AutoperfError",),
    "api.measurement": ("measure", "compare", "compare_builds", "load"),
    "api.hunts": ("run_hunt", "load_hunt", "HuntResults"),
    "api.results": ("RunResults", "ComparisonResults"),
    "api.opperf": (
        "run_performance_test",
        "run_benchmark_operator",
        "OpperfResults",
        "run_all_mxnet_operator_benchmarks",
        "run_mx_unary_operators_benchmarks",
        "run_mx_binary_broadcast_operators_benchmarks",
        "run_mx_binary_element_wise_operators_benchmarks",
        "run_mx_binary_misc_operators_benchmarks",
        "run_gemm_operators_benchmarks",
        "run_mx_random_sampling_operators_benchmarks",
        "run_mx_reduction_operators_benchmarks",
        "run_sorting_searching_operators_benchmarks",
        "run_indexing_routines_benchmarks",
        "run_rearrange_operators_benchmarks",
        "run_shape_operators_benchmarks",
        "run_expanding_operators_benchmarks",
        "run_rounding_operators_benchmarks",
        "run_join_split_operators_benchmarks",
        "run_nn_basic_operators_benchmarks",
        "run_activation_operators_benchmarks",
        "run_pooling_operators_benchmarks",
        "run_convolution_operators_benchmarks",
        "run_transpose_convolution_operators_benchmarks",
        "run_optimizer_operators_benchmarks",
        "run_loss_operators_benchmarks",
        "run_linalg_operators_benchmarks",
        "run_mx_misc_operators_benchmarks",
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}
__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - the names are texts


def __getattr__(name: str) -> object:
    """A function of the API, or MXNet's package, imported on first use: the command line doesn't need it."""
    if name == "mxnet":
        return import_module(f"{__name__}.backends.front_end_package").import_front_end()
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "mxnet"])
