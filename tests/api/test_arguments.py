"""A call of a front end's function becomes a case of the operator that it calls for these arguments."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from front_end_names import package, read_calls

from autoperf.api.arguments import handwritten_call, takes
from autoperf.cases.release import Release
from autoperf.core.errors import AutoperfError, UnknownNameError, UsageError
from autoperf.core.tensors import Constant, Normal
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.rule import Draft

SQUARE, ONES = Draft((4, 4)), Draft((4, 4), None, Constant(1.0))
BOTH = {"a": (4, 4), "b": (4, 4)}


@pytest.fixture
def names(release: Release) -> Names:
    return Names(release.registry, FRONT_END)


@pytest.mark.parametrize(
    ("function", "arguments", "operator", "tensors", "params"),
    [
        ("nd.add", {"lhs": (4, 4), "rhs": (4, 4)}, "broadcast_add", {"lhs": SQUARE, "rhs": SQUARE}, {}),
        ("nd.subtract", {"lhs": (4, 4), "rhs": 2.5}, "_minus_scalar", {"data": SQUARE}, {"scalar": 2.5}),
        ("nd.subtract", {"lhs": 2.5, "rhs": (4, 4)}, "_rminus_scalar", {"data": SQUARE}, {"scalar": 2.5}),
        ("nd.add", {"lhs": 2.5, "rhs": (4, 4)}, "_plus_scalar", {"data": SQUARE}, {"scalar": 2.5}),
        ("np.add", {"x1": (4, 4), "x2": (4, 4)}, "_npi_add", {"lhs": SQUARE, "rhs": SQUARE}, {}),
        ("np.subtract", {"x1": 2, "x2": (4, 4)}, "_npi_rsubtract_scalar", {"data": SQUARE}, {"scalar": 2}),
        ("np.subtract", {"x1": (4, 4), "x2": 2}, "_npi_subtract_scalar", {"data": SQUARE}, {"scalar": 2}),
        ("nd.power", {"base": 2.5, "exp": (4, 4)}, "_rpower_scalar", {"data": SQUARE}, {"scalar": 2.5}),
        ("sym.hypot", {"left": (4, 4), "right": 2.5}, "_hypot_scalar", {"data": SQUARE}, {"scalar": 2.5}),
        ("nd.subtract", {"scalar": 2.5, "data": (4, 4)}, "_minus_scalar", {"data": SQUARE}, {"scalar": 2.5}),
        ("np.add", {"a": (4, 4), "b": (4, 4)}, "_npi_add", {"lhs": SQUARE, "rhs": SQUARE}, {}),
        ("np.linalg.pinv", {"a": (4, 4), "rcond": 0.1}, "_npi_pinv_scalar_rcond", {"A": SQUARE}, {"rcond": 0.1}),
        ("np.linalg.pinv", {"a": (4, 4), "rcond": (4, 4)}, "_npi_pinv", {"A": SQUARE, "rcond": SQUARE}, {}),
        ("concat", {"args": [(4, 4), (4, 4)], "dim": 1}, "Concat", {"data": (SQUARE, SQUARE)}, {"dim": 1}),
        ("add_n", {"args": [(4, 4)]}, "add_n", {"args": (SQUARE,)}, {}),
        ("add_n", {"args0": (4, 4), "args1": (4, 4)}, "add_n", {"args": (SQUARE, SQUARE)}, {}),
        ("add_n", {"args1": (4, 4), "args0": (1, 4)}, "add_n", {"args": (Draft((1, 4)), SQUARE)}, {}),
        ("concat", {"data[1]": (4, 4), "data[0]": (1, 4)}, "Concat", {"data": (Draft((1, 4)), SQUARE)}, {}),
        ("np.add", {"x2": (4, 4), "x1": (1, 4)}, "_npi_add", {"rhs": SQUARE, "lhs": Draft((1, 4))}, {}),
        ("np.ediff1d", {"ary": (4, 4), "to_begin": 1.5}, "_npi_ediff1d", {"input1": SQUARE}, {"to_begin_scalar": 1.5}),
        (
            "np.ediff1d", {"ary": (4, 4), "to_end": (2,), "to_begin": (3,)}, "_npi_ediff1d",
            {"input1": SQUARE, "input2": Draft((3,)), "input3": Draft((2,))},
            {"to_begin_arr_given": True, "to_end_arr_given": True},
        ),
        (
            "np.linspace", {"start": 0, "stop": 1, "endpoint": False, "axis": 0}, "_linspace", {},
            {"start": 0, "stop": 1, "num": 50, "endpoint": False},
        ),
        ("np.logspace", {"start": 0, "num": 5, "axis": 0}, "_npi_logspace", {}, {"start": 0, "num": 5}),
        (
            "np.random.choice", {"a": 10, "size": (3,), "p": (10,)}, "_npi_choice", {"input1": Draft((10,))},
            {"a": 10, "size": (3,), "weighted": True},
        ),
        (
            "npx.image.center_crop", {"src": (20, 30, 3), "size": (4, 6), "interp": 2}, "slice",
            {"data": Draft((20, 30, 3))}, {"begin": (7, 13, 0), "end": (13, 17, None)},
        ),
        (
            "npx.image.fixed_crop", {"src": (20, 30, 3), "x0": 1, "y0": 2, "w": 4, "h": 5}, "slice",
            {"data": Draft((20, 30, 3))}, {"begin": (2, 1, 0), "end": (7, 5, None)},
        ),
        ("np.stack", {"arrays": [(4, 4)], "axis": 1}, "_npi_stack", {"data": (SQUARE,)}, {"axis": 1}),
        ("np.concatenate", {"seq": [(4, 4)], "axis": 1}, "_npi_concatenate", {"data": (SQUARE,)}, {"axis": 1}),
        ("np.swapaxes", {"a": (4, 4), "axis1": 0, "axis2": 1}, "SwapAxis", {"data": SQUARE}, {"dim1": 0, "dim2": 1}),
        (
            "np.split", {"ary": (4, 4), "indices_or_sections": 2}, "_split_v2", {"data": SQUARE},
            {"axis": 0, "sections": 2, "indices": ()},
        ),
        (
            "np.dsplit", {"ary": (4, 4, 4), "indices_or_sections": [1, 3]}, "_split_v2", {"data": Draft((4, 4, 4))},
            {"axis": 2, "indices": (0, 1, 3)},
        ),
        ("np.tensordot", {**BOTH, "axes": 1}, "_npi_tensordot_int_axes", {"a": SQUARE, "b": SQUARE}, {"axes": 1}),
        (
            "np.tensordot", {**BOTH, "axes": [[1], [0]]}, "_npi_tensordot", {"a": SQUARE, "b": SQUARE},
            {"a_axes_summed": (1,), "b_axes_summed": (0,)},
        ),
        ("np.full", {"shape": (4, 4), "fill_value": 2, "order": "C"}, "_full", {}, {"shape": (4, 4), "value": 2}),
        ("np.random.randint", {"high": 9, "size": 4}, "_random_randint", {}, {"high": 9, "shape": 4}),
        ("np.sort", {"a": (4, 4), "axis": [0], "kind": None}, "sort", {"data": SQUARE}, {"axis": (0,)}),
        ("npx.softmax", {"data": (4, 4), "length": None}, "softmax", {"data": SQUARE}, {}),
        ("nd.LeakyReLU", {"data": (4, 4), "gamma": None}, "LeakyReLU", {"data": SQUARE}, {}),
        ("nd.softmax", {"data": (4, 4), "axis": 0}, "softmax", {"data": SQUARE}, {"axis": 0}),
        ("nd.softmax", {"dta": (4, 4)}, "softmax", {"dta": SQUARE}, {}),
        ("nd.reshape", {"data": (4, 4), "newshape": (2, 8)}, "Reshape", {"data": SQUARE}, {"newshape": (2, 8)}),
        ("random_uniform", {"low": 0, "high": 5, "shape": (4, 4)}, "_random_uniform", {},
         {"low": 0, "high": 5, "shape": (4, 4)}),
    ],
)  # fmt: skip
def test_a_call(
    names: Names, function: str, arguments: dict[str, Any], operator: str, tensors: Any, params: Any
) -> None:
    written = handwritten_call(names, function, arguments)
    assert (written.operator, dict(written.inputs), dict(written.params)) == (operator, tensors, params)


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        ("nd.add", {"lhs": (4, 4), "foo": 3}, "unknown input of nd.add 'foo'; known are lhs, rhs"),
        ("nd.add", {"rhs": (4, 4), "lsh": 2.0}, "unknown input of nd.add 'lsh'; did you mean lhs?"),
        ("nd.subtract", {"lhs": (4, 4), "dtype_": 3}, "unknown input of nd.subtract 'dtype_'"),
        ("nd.add", {"lhs": (4, 4), "foo": (4, 4)}, "unknown input of nd.add 'foo'; known are lhs, rhs"),
        ("np.add", {"x1": 2, "x": (4, 4)}, "unknown input of np.add 'x'; known are lhs, rhs"),
        ("nd.power", {"base": (4, 4), "exponent": 3}, "unknown input of nd.power 'exponent'; known are base, exp"),
        ("nd.add", {"a": (4, 4), "b": 3}, "unknown input of nd.add 'a'; known are lhs, rhs"),
    ],
)
def test_a_number_is_an_argument_of_the_function(
    names: Names, function: str, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(UnknownNameError, match=re.escape(words)):
        handwritten_call(names, function, arguments)


def test_options_stand_beside_a_number(names: Names) -> None:
    arguments = {"lhs": (4, 4), "rhs": 2.5, "dtype": "float64", "ctx": "cpu", "run_backward": False}
    written = handwritten_call(names, "nd.add", arguments, ("float32",))
    assert (written.operator, written.inputs) == ("_plus_scalar", {"data": SQUARE})
    assert (written.dtypes, written.params) == (("float64",), {"scalar": 2.5})


def test_options_stand_beside_the_the_arguments(names: Names) -> None:
    arguments = {"data": (4, 4), "data_initializer": "normal", "run_backward": False, "dtype": "float64"}
    written = handwritten_call(names, "nd.exp", arguments, ("float32",))
    assert written.inputs == {"data": Draft((4, 4), None, Normal())}
    assert (written.dtypes, written.training, written.params) == (("float64",), None, {})


def test_a_dtype_is_a_parameter_where_the_operator_has_one(names: Names) -> None:
    written = handwritten_call(names, "nd.cast", {"data": (4, 4), "dtype": "int32"}, ("float32",))
    assert (written.dtypes, written.params) == (("float32",), {"dtype": "int32"})


def test_functions_of_2_0_take_its_own_arguments(next_release: Release) -> None:
    names = Names(next_release.registry, FRONT_END)
    full = handwritten_call(names, "np.full", {"shape": (4, 4), "fill_value": 2.5})
    sort = handwritten_call(names, "np.sort", {"a": (4, 4), "descending": True, "stable": True})
    assert (sort.inputs, sort.params) == ({"data": SQUARE}, {"is_ascend": False})
    turned = handwritten_call(names, "np.linalg.matrix_transpose", {"a": (4, 4)})
    assert (turned.operator, turned.params) == ("SwapAxis", {"dim1": -1, "dim2": -2})
    upper = handwritten_call(names, "np.linalg.eigh", {"a": (4, 4), "upper": True})
    assert (upper.inputs, upper.params) == ({"A": SQUARE}, {"UPLO": "U"})
    spelled = {"double_value": 2.5, "int_value": 0, "uint_value": 0, "value_type": 2}
    assert (full.operator, full.params) == ("_npi_full", {"shape": (4, 4), **spelled})
    line = handwritten_call(names, "np.linspace", {"start": 0, "stop": 3, "num": 4})
    assert {name: line.params[name] for name in ("start_int", "stop_int", "num", "value_type")} == {
        "start_int": 0, "stop_int": 3, "num": 4, "value_type": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("npx.image.center_crop", {"src": (20, 30, 3), "size": (4, 5, 6)}),
        ("npx.image.center_crop", {"src": (20, 30, 3), "size": ("a", "b")}),
        ("np.split", {"ary": (4, 4), "indices_or_sections": 2.5}),
        ("np.tensordot", {**BOTH, "axes": (1, 2, 3)}),
    ],
)
def test_values_that_mean_nothing_are_refused(names: Names, function: str, arguments: dict[str, Any]) -> None:
    value = list(arguments.values())[-1]
    with pytest.raises(UsageError, match=f"invalid arguments of {function}: .*={re.escape(repr(value))}"):
        handwritten_call(names, function, arguments)


@pytest.mark.parametrize(
    ("function", "arguments", "inputs"),
    [
        ("np.add", {"x1": (4, 4), "x2": (4, 4), "x1_initializer": "ones"}, {"lhs": ONES, "rhs": SQUARE}),
        ("np.stack", {"arrays": [(4, 4), (4, 4)], "arrays_initializer": "ones"}, {"data": (ONES, ONES)}),
        ("add_n", {"args0": (4, 4), "args1": (4, 4), "args1_initializer": "ones"}, {"args": (SQUARE, ONES)}),
        ("nd.exp", {"data": (np.int64(4), 4), "data_initializer": "ones"}, {"data": ONES}),
    ],
)
def test_a_tensor_has_an_initializer_by_the_function_s_own_name(
    names: Names, function: str, arguments: dict[str, Any], inputs: Any
) -> None:
    assert handwritten_call(names, function, arguments).inputs == inputs


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"data": (4, 4), "dta_initializer": "ones"}, "unknown input of an initializer 'dta'; did you mean data?"),
        ({"data": np.ones(4), "data_initializer": "ones"}, "invalid data_initializer: data isn't given by a shape"),
        ({"data": "4x4", "data_initializer": "ones"}, "invalid data_initializer: data isn't given by a shape"),
        ({"data": (4, 4), "dtype": ["float64"]}, "unknown dtype \"['float64']\""),
    ],
)
def test_an_initializer_or_a_dtype_without_effect_is_refused(
    names: Names, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(AutoperfError, match=re.escape(words)):
        handwritten_call(names, "nd.exp", arguments)


def test_a_dtype_of_numpy_stands_beside_the_arguments(names: Names) -> None:
    assert handwritten_call(names, "nd.exp", {"data": (4, 4), "dtype": np.float64}).dtypes == ("float64",)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"args0": [(4, 4)], "args1": (4, 4)},
            "invalid input 'args[0]': expected one tensor, or all of them as args=[SHAPE",
        ),
        ({"args[1]": (4, 4)}, "invalid input 'args[1]': expected args[0], or args=[SHAPE, SHAPE]"),
        ({"args[0]": (4, 4), "args[2]": (4, 4)}, "invalid input 'args[2]': expected args[1]"),
        ({"args": [(4, 4)], "args[1]": (4, 4)}, "invalid input 'args': its members are given too"),
        ({"args[0]": (4, 4), "args": (4, 4)}, "invalid input 'args': its members are given too"),
    ],
)
def test_a_list_without_each_of_its_members_once_is_refused(
    names: Names, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        handwritten_call(names, "add_n", arguments)


# The signatures of the functions of mx.np and npx.image, by their paths.
SIGNATURES = """
import inspect, json, sys
from pathlib import Path
from autoperf.backends.front_end_package import import_front_end

mx = import_front_end(*map(Path, sys.argv[1:]))

def signature(path):
    function = mx
    for part in path.split("."):
        function = getattr(function, part)
    return list(inspect.signature(function).parameters)

print(json.dumps({path: signature(path) for path in json.load(sys.stdin)}))
"""
BESIDE = {"out", "kwargs", "where", "device", "order", "kind", "normed", "weights", "density", "overwrite_input"}
BESIDE |= {"retstep", "max_work", "prepend", "append", "ctx", "name", "stable"}
# What only another operator of the function takes, what stands for several names of one, and functions that compute
# something first.
NOT_TAKEN = {
    "np.linspace": {"axis"},
    "np.logspace": {"axis"},
    "np.where": {"condition"},
    "np.linalg.qr": {"mode"},
    "npx.image.center_crop": {"size", "interp"},
    "npx.image.fixed_crop": {"x0", "y0", "w", "h", "size", "interp"},
    "npx.image.random_crop": {"size", "interp"},
}


@pytest.mark.parametrize("version", ["1.9.1", pytest.param("2.0.0b1", marks=pytest.mark.nightly)])
def test_functions_of_numpy_take_the_arguments_of_their_signatures(
    request: pytest.FixtureRequest, version: str
) -> None:
    release: Release = request.getfixturevalue("release" if version == "1.9.1" else "next_release")
    names = Names(release.registry, FRONT_END)
    spaces = ("np.", *(f"npx.image.{name}" for name in ("center_crop", "fixed_crop", "random_crop")))
    paths = [path for path in read_calls(version) if path.startswith(spaces) and _operator(names, path)]
    with package(version) as home:
        command = [sys.executable, "-c", SIGNATURES, *([str(home / "mxnet")] if home else [])]
        listed = subprocess.run(command, input=json.dumps(paths), capture_output=True, text=True, check=True).stdout
    signatures: dict[str, list[str]] = json.loads(listed)
    assert len(signatures) > 150
    refused = {
        f"{path} {name}"
        for path, own in signatures.items()
        for name in set(own) - BESIDE - NOT_TAKEN.get(path, set())
        if not takes(names, path, names.resolve(path).operator, {name: 1})
    }
    assert not sorted(refused), "; ".join(sorted(refused))


def _operator(names: Names, path: str) -> bool:
    try:
        return bool(names.resolve(path))
    except (UnknownNameError, UsageError):
        return False
