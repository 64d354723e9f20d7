"""Operators as classes, as MXNet's design of operator benchmarks shows them."""

from __future__ import annotations

import re

import pytest

import autoperf.nd as operators
from autoperf.core.errors import AutoperfError
from autoperf.nd import Add, BatchDot, Convolution

LINE = re.compile(r"MX_\w+_Forward(_Backward)?_Time - 0\.\d{6} seconds\n")


def test_a_class_measures_its_function(capsys: pytest.CaptureFixture[str]) -> None:
    add = Add(inputs={"lhs": (8, 8), "rhs": (8, 8), "dtype": "float64"}, warmup=0, runs=2, processes=1)
    assert add.inputs == {
        "lhs": (8, 8), "rhs": (8, 8), "initializer": "normal", "run_backward": True, "dtype": "float64",
    }  # fmt: skip
    assert list(add.run_benchmark()) == ["MX_Add_Forward_Backward_Time"]
    add.print_benchmark_results()
    assert LINE.fullmatch(capsys.readouterr().out)
    assert add.run
    assert add.run[0].inputs[0].tensor.dtype == "float64"


def test_default_inputs() -> None:
    assert Add(inputs={"dtype": "float64"}).inputs["lhs"] == (1024, 1024)


def test_forward_only() -> None:
    exp = operators.Exp(inputs={"data": (4, 4), "run_backward": False}, warmup=0, runs=2, processes=1)
    assert list(exp.run_benchmark()) == ["MX_Exp_Forward_Time"]


def test_names_are_spelled_as_registered_or_capitalised() -> None:
    assert BatchDot.__name__ == "BatchDot"
    assert list(Convolution().inputs)[:2] == ["data", "weight"]
    with pytest.raises(AutoperfError, match="unknown operator 'Ad'; did you mean Add"):
        operators.Ad()
    with pytest.raises(AttributeError, match="no attribute 'add'"):
        operators.add  # noqa: B018


def test_a_group_of_the_design(capsys: pytest.CaptureFixture[str]) -> None:
    results = operators.run_all_rounding_operations_benchmarks(processes=1)
    assert "MX_Floor_Forward_Time" in results
    assert len(LINE.findall(capsys.readouterr().out)) == len(results)
    with pytest.raises(AttributeError, match="unknown category 'roundin'"):
        operators.run_all_roundin_operations_benchmarks  # noqa: B018
