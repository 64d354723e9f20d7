"""Keyword arguments of the API: typed, shown by `help`, and refused if there is no such option."""

from __future__ import annotations

import inspect
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
import pytest

import autoperf
import autoperf.nd
from autoperf.api.option_types import OPTION_TYPES
from autoperf.api.options import (
    MeasuringKeywords,
    MeasuringOptions,
    ProcessKeywords,
    ProcessOptions,
    dtype_names,
    measuring_options,
)
from autoperf.core.errors import AutoperfError, UnknownNameError

EXP = {"data": (2, 2)}


@pytest.mark.parametrize(
    ("keywords", "options"), [(ProcessKeywords, ProcessOptions), (MeasuringKeywords, MeasuringOptions)]
)
def test_each_option_has_a_keyword_of_its_type(keywords: Any, options: type) -> None:
    types = {field.name: field.type for field in fields(options)}  # type: ignore[arg-type]
    assert {name: hint.__forward_arg__ for name, hint in keywords.__annotations__.items()} == types


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (autoperf.measure, MeasuringOptions),
        (autoperf.run_performance_test, ProcessOptions),
        (autoperf.run_benchmark_operator, ProcessOptions),
        (autoperf.run_gemm_operators_benchmarks.__call__, ProcessOptions),
    ],
)
def test_help_shows_the_options_and_their_defaults(function: Any, options: type) -> None:
    defaults = {name: each.default for name, each in inspect.signature(function).parameters.items()}
    for field in fields(options):  # type: ignore[arg-type]
        assert defaults[field.name] == field.default
        assert field.name in inspect.getdoc(function).partition("Options")[2]


@pytest.mark.parametrize(
    ("call", "nearest"),
    [
        (lambda: autoperf.measure("exp", EXP, draw=3), "unknown option 'draw'; did you mean draws"),
        (lambda: autoperf.measure("exp", EXP, proceses=1), "did you mean processes"),
        (lambda: autoperf.run_performance_test("exp", EXP, process=1), "did you mean processes"),
        (lambda: autoperf.run_benchmark_operator("exp", mxnt="1.9.1"), "did you mean mxnet"),
        (lambda: autoperf.run_gemm_operators_benchmarks(progres=False), "did you mean progress"),
    ],
)
def test_a_misspelt_option_is_an_error(call: Any, nearest: str) -> None:
    with pytest.raises(UnknownNameError) as raised:
        call()
    assert nearest in str(raised.value)


def test_a_parameter_of_the_operator_is_no_option() -> None:
    words = r"unknown option 'axis'; .* dictionary of its inputs: \{'data': ..., 'axis': ...\}; options are .*processes"
    with pytest.raises(AutoperfError, match=words):
        autoperf.measure("softmax", EXP, axis=1)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"processes": "3"}, "invalid processes '3': expected a whole number"),
        ({"processes": 2.5}, "invalid processes 2.5: expected a whole number"),
        ({"precision": "1%"}, "invalid precision '1%': expected a share"),
        ({"time_budget": "5m"}, "invalid time_budget '5m': expected a number of seconds"),
        ({"memory_limit": "4GiB"}, "invalid memory_limit '4GiB': expected a number of bytes"),
        ({"backward": "no"}, "invalid backward 'no': expected True or False"),
        ({"output": 5}, "invalid output 5: expected a path"),
        ({"rules": 5}, "invalid rules 5: expected a path, or a list of paths"),
        ({"mxnet": ("1.9.1", "2.0.0b1")}, "expected one release or the path of a library"),
        ({"category": 5}, "invalid category 5: expected a text, or a list of texts"),
        ({"dtype": object()}, "unknown dtype"),
    ],
)
def test_a_value_of_another_type_is_an_error(keywords: Any, message: str) -> None:
    with pytest.raises(AutoperfError) as raised:
        autoperf.measure("exp", EXP, **keywords)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: autoperf.measure(5, EXP), "invalid function 5"),
        (lambda: autoperf.measure("exp", 5), "invalid inputs 5: expected the arguments of a call by name"),
        (lambda: autoperf.measure("exp", [("data", (2, 2))]), "invalid inputs ('data', (2, 2))"),
        (
            lambda: autoperf.measure("exp", (2, 3)),
            "invalid inputs (2, 3): expected the arguments of a call by name, such as {'data': (2, 3)}, or a list",
        ),
        (lambda: autoperf.measure("exp", [(2, 3)]), "invalid inputs (2, 3): expected the arguments of a call by name"),
        (lambda: autoperf.measure("exp", "data"), "invalid inputs 'data': expected"),
        (lambda: autoperf.measure("exp", np.ones(2)), "invalid inputs array([1., 1.]): expected"),
        (lambda: autoperf.measure("exp", {5: (2, 2)}), "invalid inputs {5: (2, 2)}"),
        (lambda: autoperf.measure("exp", {"data": [[1, 2], [3]]}), "expected rows of numbers, of one length"),
        (lambda: autoperf.run_performance_test("exp", EXP, runs="5"), "invalid runs '5'"),
        (lambda: autoperf.run_gemm_operators_benchmarks(warmup=None, runs=1.5), "invalid runs 1.5"),
        (lambda: autoperf.load(5), "invalid path 5: expected a path"),
        (lambda: autoperf.load("~nobody-here/run.ndjson"), "invalid path '~nobody-here/run.ndjson'"),
        (lambda: autoperf.measure("exp", EXP, output="~nobody-here/x"), "invalid output '~nobody-here/x'"),
        (lambda: autoperf.compare("a", "b", threshold="5%"), "invalid threshold '5%': expected a share"),
    ],
)
def test_a_wrong_argument_is_an_error(call: Any, message: str) -> None:
    with pytest.raises(AutoperfError) as raised:
        call()
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: autoperf.measure([], time_budget=1), "invalid list of functions: it is empty; name at least one"),
        (lambda: autoperf.measure([], EXP), "invalid list of functions: it is empty"),
        (lambda: autoperf.measure(iter(()), EXP), "invalid list of functions: it is empty"),
        (lambda: autoperf.measure("exp", []), "invalid inputs: the list is empty; give the arguments of a call"),
        (lambda: autoperf.measure("exp", ()), "invalid inputs: the list is empty"),
        *(
            (
                partial(autoperf.measure, "exp", **{name: []}),
                f"invalid {name} []: it is empty; leave it out, or give at least",
            )
            for name in ("category", "namespace", "profile", "dtype", "cases", "rules")
        ),
        (lambda: autoperf.measure("exp", category=frozenset()), "invalid category frozenset(): it is empty"),
        (lambda: autoperf.measure("exp", category=iter(["unary"])), "expected a text, or a list of texts"),
        (lambda: autoperf.run_performance_test([], EXP), "invalid list of functions: it is empty"),
        (lambda: autoperf.run_performance_test("exp", EXP, dtype=[]), "invalid dtype []: it is empty"),
        (lambda: autoperf.run_gemm_operators_benchmarks(profile=[]), "invalid profile []: it is empty"),
        (lambda: autoperf.run_gemm_operators_benchmarks(dtype=()), "invalid dtype (): it is empty"),
        (lambda: autoperf.nd.Exp(inputs=[]), "invalid inputs: the list is empty"),
        (lambda: autoperf.nd.Exp(inputs=[EXP, EXP]), "expected the arguments of one call, got those of 2"),
    ],
)
def test_an_empty_list_is_an_error(call: Any, message: str) -> None:
    """It isn't the same as no list, which means everything."""
    with pytest.raises(AutoperfError) as raised:
        call()
    assert message in str(raised.value)


def test_none_is_the_same_as_not_given() -> None:
    none = dict.fromkeys(MeasuringKeywords.__annotations__)
    assert measuring_options(none) == MeasuringOptions()  # type: ignore[arg-type]


def test_each_option_with_a_type_is_an_option() -> None:
    assert {field.name for field in fields(MeasuringOptions)} - OPTION_TYPES.keys() == {
        "caller", "ctx", "dtype", "profiler",
    }  # fmt: skip


def test_dtypes_of_numpy() -> None:
    assert dtype_names([np.float16, np.dtype("int32"), "float64"]) == ("float16", "int32", "float64")
    assert dtype_names(np.float64) == ("float64",)
