"""Keyword arguments of the API: typed, shown by `help`, and refused if there is no such option."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import pytest

import autoperf
from autoperf.api.options import MeasuringKeywords, MeasuringOptions, ProcessKeywords, ProcessOptions
from autoperf.core.errors import UnknownNameError

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
        (lambda: autoperf.measure("exp", EXP, sample=3), "unknown option 'sample'; did you mean samples"),
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
