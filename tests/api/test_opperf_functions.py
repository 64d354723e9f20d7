"""opperf's functions measure, and answer with its dictionaries."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import autoperf
from autoperf.api.opperf import GROUP_BENCHMARKS
from autoperf.core.errors import AutoperfError
from autoperf.core.outcome import Status
from autoperf.rules.categories import named_group
from autoperf.summary.exports import opperf_entry
from tests.values import PAIR, ended, measured, timed

QUICK: dict[str, Any] = {"warmup": 0, "runs": 2, "processes": 1, "progress": False}
SHAPES = {"lhs": (8, 8), "rhs": (8, 8)}


def test_functions_over_the_same_inputs() -> None:
    results = autoperf.run_performance_test(
        ["nd.add", "nd.subtract"], inputs=[SHAPES, {"lhs": (8, 8), "rhs": 2}], **QUICK
    )
    assert list(results) == ["add", "subtract"]
    first, second = results["subtract"]
    assert list(first) == [
        "inputs", "max_storage_mem_alloc_cpu/0", "avg_time_forward_subtract", "avg_time_backward_subtract",
    ]  # fmt: skip
    assert (first["inputs"], second["inputs"]) == (SHAPES, {"lhs": (8, 8), "rhs": 2})
    assert [record["operator"] for record in results.records] == [
        "broadcast_add", "_plus_scalar", "broadcast_sub", "_minus_scalar",
    ]  # fmt: skip


def test_the_call_of_the_design_is_accepted_and_results_are_added() -> None:
    call = {**SHAPES, "initializer": "normal", "run_backward": False, "dtype": "float64"}
    results = autoperf.run_performance_test(F="nd.add", inputs=[call], **QUICK)
    results += autoperf.run_performance_test("nd.add", [SHAPES], run_backward=False, profiler="python", **QUICK)
    native, python = results["add"]
    assert list(native) == ["inputs", "max_storage_mem_alloc_cpu/0", "avg_time_forward_add"]
    assert list(python) == ["inputs", "avg_time_add", "p50_time_add", "p90_time_add", "p99_time_add"]
    (double, _) = results.runs
    assert double[0].inputs[0].tensor.dtype == "float64"
    assert double[0].backward is None


def test_a_call_without_a_backward_pass_among_others() -> None:
    calls = [{"data": (64, 64), "p": 0.5}, {"data": (64, 64), "p": 0.5, "run_backward": True}]
    results = autoperf.run_performance_test("nd.Dropout", calls, run_backward=False, **QUICK)
    assert ["avg_time_backward_Dropout" in entry for entry in results["Dropout"]] == [False, True]
    assert [run[0].backward is not None for run in results.runs] == [True, False]


def test_none_stands_for_a_default() -> None:
    results = autoperf.run_performance_test(
        "exp", {"data": (4, 4)}, profiler=None, dtype=None, run_backward=False, **QUICK  # type: ignore[arg-type]
    )  # fmt: skip
    assert results.runs[0][0].inputs[0].tensor.dtype == "float32"


def test_values_and_parameters() -> None:
    arguments = {"data": np.array([1, 2], np.float32), "out": np.zeros(2, np.float32)}
    results = autoperf.run_performance_test("nd._internal._copyto", arguments, **QUICK)
    assert results["_copyto"][0]["inputs"] == {"data": "<array 2 float32>", "out": "<array 2 float32>"}


def test_the_dictionary_is_written_as_json_whatever_the_inputs_are() -> None:
    arrays = [np.ones((2, 3), np.float32), np.ones((2, 3), np.float32)]
    results = autoperf.run_performance_test(
        "nd.concat", [{"data": arrays, "dim": np.int64(0)}], **QUICK | {"runs": np.int64(2)}
    )
    (entry,) = json.loads(json.dumps(results))["concat"]
    assert entry["inputs"] == {"data": ["<array 2x3 float32>", "<array 2x3 float32>"], "dim": 0}


def test_an_index_of_opperf_s_list_has_a_hint() -> None:
    results = autoperf.OpperfResults({"add": [{"avg_time_forward_add": 1.0}]})
    with pytest.raises(KeyError, match=r"name the function, as in results\['add'\]\[0\]"):
        results[0]  # type: ignore[index]
    with pytest.raises(KeyError, match=r"^'sub'$"):
        results["sub"]


@pytest.mark.parametrize(
    ("function", "inputs", "words"),
    [
        ("nd.ad", [SHAPES], "unknown operator 'nd.ad'; did you mean nd.add"),
        ("nd.exp", [{"dta": (2, 2)}], "unknown input of exp 'dta'; did you mean data"),
        ("nd.exp", [{"data": (2, 2), "alpha": 1}], "unknown parameter of exp 'alpha'"),
        ("nd.exp", [], "run_performance_test needs inputs"),
        (None, [SHAPES], "run_performance_test needs a function"),
        ("nd.dot", [{"lhs": (2, 3), "rhs": (2, 3)}], "MXNet refuses these inputs of dot"),
    ],
)
def test_a_mistake_is_an_error(function: str | None, inputs: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(AutoperfError, match=re.escape(words)):
        autoperf.run_performance_test(function, inputs, **QUICK)


def test_a_function_of_each_namespace(capsys: pytest.CaptureFixture[str]) -> None:
    results = autoperf.run_benchmark_operator("pick", size=(8, 8), additional_inputs={"index": (8, 1)}, **QUICK)
    assert list(results) == ["mxnet.ndarray", "mxnet.numpy", "mxnet.numpy_extension"]
    legacy = results["mxnet.ndarray"]
    assert not isinstance(legacy, str)
    assert legacy["pick"][0]["inputs"] == {"data": (8, 8), "index": (8, 1)}
    assert results["mxnet.numpy"] == "mxnet.numpy does not have operator pick"
    assert capsys.readouterr().out.startswith("mxnet.ndarray\n{'pick': [{'inputs'")


def test_other_names_of_the_same_purpose() -> None:
    results = autoperf.run_benchmark_operator(
        "FullyConnected", size=(4, 8), additional_inputs={"num_hidden": 3}, **QUICK
    )
    extension = results["mxnet.numpy_extension"]
    assert not isinstance(extension, str)
    assert list(extension) == ["fully_connected"]


def test_the_arguments_of_several_modules_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    axes = {"dim1": 0, "dim2": 1, "axis1": 0, "axis2": 1}
    results = autoperf.run_benchmark_operator("swapaxes", size=(4, 4), additional_inputs=axes, **QUICK)
    assert {module: type(result) for module, result in results.items()} == {
        "mxnet.ndarray": autoperf.OpperfResults, "mxnet.numpy": autoperf.OpperfResults, "mxnet.numpy_extension": str,
    }  # fmt: skip
    assert "note: nd.swapaxes has no axis1, axis2, which is left out there\n" in capsys.readouterr().out
    with pytest.raises(AutoperfError, match="unknown argument of swapaxes 'dim3'; did you mean dim2, dim1"):
        autoperf.run_benchmark_operator("swapaxes", additional_inputs={**axes, "dim3": 0}, **QUICK)


def test_a_function_is_only_measured_in_modules_that_have_it() -> None:
    results = autoperf.run_benchmark_operator("gamma", size=(4, 4), **QUICK)
    assert results["mxnet.numpy"] == "mxnet.numpy does not have operator gamma"
    assert isinstance(results["mxnet.ndarray"], autoperf.OpperfResults)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("zzz",), "unknown function 'zzz': none of mx.nd, mx.np and mx.npx has it"),
        (("nd.exp",), "unknown function 'nd.exp': none"),
        (("exp", (4, 4), {"q": 1}), "unknown argument of exp 'q'"),
        (("exp", (4, 4), [1]), "invalid inputs [1]: expected the arguments of a call by name"),
    ],
)
def test_what_no_module_has_is_an_error(call: Any, words: str) -> None:
    with pytest.raises(AutoperfError, match=re.escape(words)):
        autoperf.run_benchmark_operator(*call, **QUICK)


def test_a_group() -> None:
    results = autoperf.run_mx_binary_misc_operators_benchmarks(
        input_profile=("small",), **QUICK | {"warmup": np.uint8(0)}
    )
    assert list(results) == ["pick", "reshape_like"]
    with pytest.raises(AutoperfError, match="invalid int64_tensor 'yes'"):
        autoperf.run_gemm_operators_benchmarks(int64_tensor="yes")
    with pytest.raises(AutoperfError, match="needs a build with INT64_TENSOR_SIZE"):
        autoperf.run_gemm_operators_benchmarks(int64_tensor="on")


def test_every_group_of_opperf_selects_operators() -> None:
    assert len(GROUP_BENCHMARKS) == 23
    for name, benchmark in GROUP_BENCHMARKS.items():
        group = named_group(benchmark.group)
        assert group.categories or group.operators
        assert getattr(autoperf, name) is benchmark


def test_a_case_without_figures_has_its_reason() -> None:
    entry = opperf_entry(ended(Status.CRASHED, "it was ended by SIGSEGV"), "softmax", {})
    assert entry == {"inputs": {}, "status": "crashed", "reason": "it was ended by SIGSEGV"}


def test_units_are_those_of_opperf() -> None:
    outcome = measured("exp", "small", PAIR, timed(1234.5, 2000), timed(100, 300), peak=4096)
    assert opperf_entry(outcome, "exp", {}, ctx="gpu(1)") == {
        "inputs": {}, "max_storage_mem_alloc_gpu/1": 4.096, "avg_time_forward_exp": 1.2345,
        "avg_time_backward_exp": 0.1,
    }  # fmt: skip
    assert opperf_entry(outcome, "exp", {}, profiler="python")["avg_time_exp"] == 2.3


def test_a_run_is_converted() -> None:
    run = autoperf.run_performance_test("nd.exp", [{"data": (4, 4)}], **QUICK).runs[0]
    assert list(run.to_opperf()["exp"][0]) == [
        "inputs", "max_storage_mem_alloc_cpu/0", "avg_time_forward_exp", "avg_time_backward_exp",
    ]  # fmt: skip
