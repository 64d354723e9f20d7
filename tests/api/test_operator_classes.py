"""Operators and layers as classes, as MXNet's design of operator benchmarks shows them."""

from __future__ import annotations

import re

import pytest

import autoperf.gluon as layers
import autoperf.nd as operators
from autoperf.core.errors import AutoperfError
from autoperf.gluon import Conv2D, LeakyRelu, Sigmoid
from autoperf.nd import Add, BatchDot, Convolution, IAdd

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


def test_inputs_of_another_name() -> None:
    with pytest.raises(AutoperfError, match=r"unknown input of nd\.add 'foo'; known are lhs, rhs"):
        Add(inputs={"lhs": (2, 3), "foo": 3}, warmup=0, runs=2, processes=1).run_benchmark()


def test_default_inputs() -> None:
    assert Add(inputs={"dtype": "float64"}).inputs == {
        "lhs": (1024, 1024), "rhs": (1024, 1024), "initializer": "normal", "run_backward": True, "dtype": "float64",
    }  # fmt: skip
    assert Convolution().inputs.items() >= {"data": (1, 64, 56, 56), "kernel": (3, 3), "num_filter": 64}.items()
    assert "lhs" not in Convolution(inputs={"data": (1, 3, 8, 8), "kernel": (3, 3), "num_filter": 2}).inputs


def test_forward_only() -> None:
    exp = operators.Exp(inputs={"data": (4, 4), "run_backward": False}, warmup=0, runs=2, processes=1)
    assert list(exp.run_benchmark()) == ["MX_Exp_Forward_Time"]


def test_names_are_spelled_as_registered_or_capitalised() -> None:
    assert BatchDot.__name__ == "BatchDot"
    assert Convolution().inputs["dtype"] == "float32"
    with pytest.raises(AutoperfError, match="unknown operator 'Ad'; did you mean Add"):
        operators.Ad()
    with pytest.raises(AttributeError, match="no attribute 'add'"):
        operators.add  # noqa: B018


def test_layers() -> None:
    assert Conv2D().inputs.items() >= {"data": (4, 64, 28, 28), "channels": 64, "hybridize": False}.items()
    assert Sigmoid().inputs["activation"] == "sigmoid"
    assert "alpha" in LeakyRelu().inputs
    with pytest.raises(AutoperfError, match="unknown layer 'Conv2'; did you mean Conv"):
        layers.Conv2()


def test_a_group_of_the_design(capsys: pytest.CaptureFixture[str]) -> None:
    results = operators.run_all_rounding_operations_benchmarks(processes=1)
    titles = {name.removeprefix("MX_").removesuffix("_Forward_Time") for name in results}
    assert titles == {"Round", "Rint", "Fix", "Floor", "Ceil", "Trunc"}
    assert len(LINE.findall(capsys.readouterr().out)) == len(results)
    with pytest.raises(AttributeError, match="unknown group 'roundin'; did you mean rounding"):
        operators.run_all_roundin_operations_benchmarks  # noqa: B018


@pytest.mark.nightly
def test_groups_with_calls_of_the_front_end_and_with_layers(capsys: pytest.CaptureFixture[str]) -> None:
    arithmetic = operators.run_all_arithmetic_operations_benchmarks(processes=1)
    assert {"MX_Add_Forward_Backward_Time", "MX_Inplace_Division_Forward_Time"} <= arithmetic.keys()
    assert len(arithmetic) == 12
    activations = layers.run_all_gluon_nn_activation_operations_benchmarks(processes=1)
    assert {"MX_Gluon_Imperative_Tanh_Forward_Backward_Time", "MX_Softmax_Forward_Backward_Time"} <= activations.keys()
    assert "was not measured" not in capsys.readouterr().out


@pytest.mark.nightly
def test_calls_of_the_front_end_and_layers_are_measured() -> None:
    assert list(IAdd(warmup=0, runs=2, processes=1).run_benchmark()) == ["MX_Inplace_Add_Forward_Time"]
    assert list(Sigmoid(warmup=0, runs=2, processes=1).run_benchmark()) == [
        "MX_Gluon_Imperative_Sigmoid_Forward_Backward_Time"
    ]
