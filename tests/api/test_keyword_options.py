"""Keyword arguments of the API: typed, shown by `help`, and refused if there is no such option."""

from __future__ import annotations

import inspect
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
import numpy as np
import pytest

import autoperf
from autoperf.api.options import (
    COMPARING_OPTIONS,
    HUNTING_OPTIONS,
    MEASURING_OPTIONS,
    PROCESS_OPTIONS,
    ComparingKeywords,
    HuntingKeywords,
    MeasuringKeywords,
    ProcessKeywords,
    dtype_names,
    hunting_options,
    measuring_options,
)
from autoperf.cli.hunt import hunt
from autoperf.cli.run import run
from autoperf.core.errors import AutoperfError, UnknownNameError
from autoperf.core.options import Kind, Option
from autoperf.measurement.settings import Settings

EXP = {"data": (2, 2)}


TYPES = {
    Kind.COUNT: "int",
    Kind.SHARE: "float",
    Kind.SECONDS: "float",
    Kind.BYTES: "int",
    Kind.SWITCH: "bool",
    Kind.CHOICES: "Texts",
    Kind.NAMES: "Texts",
    Kind.DTYPES: "Dtypes",
    Kind.DEVICE: "object",
    Kind.PROCESSORS: "int | str | Sequence[int]",
    Kind.PATH: "PathText",
    Kind.PATHS: "Paths",
    Kind.LIBRARY: "PathText",
    Kind.FRAMEWORK: "str",
    Kind.CLUSTER: "str",
    Kind.NUMBER: "float",
}
# Options of `run` for which Python has something else: arguments, methods of the results, `progress`.
OTHERWISE = {
    "--config",
    "--operator", "--input", "--param", "--list-categories", "--resume", "--format", "--output-format", "--report",
    "--columns", "--sort", "--limit", "--group-by", "--verbose", "--quiet",
}  # fmt: skip


def type_of(option: Option) -> str:
    """The type of an option's keyword: that of its kind; a choice has a type of its own."""
    text = TYPES.get(option.kind, option.name.title().replace("_", ""))
    return f"{text} | None" if option.default is None else text


@pytest.mark.parametrize(
    ("keywords", "options"),
    [
        (ProcessKeywords, PROCESS_OPTIONS),
        (ComparingKeywords, COMPARING_OPTIONS),
        (MeasuringKeywords, MEASURING_OPTIONS),
        (HuntingKeywords, HUNTING_OPTIONS),
    ],
)
def test_each_option_has_a_keyword_of_its_type(keywords: Any, options: tuple[Option, ...]) -> None:
    hints = {name: hint.__forward_arg__ for name, hint in keywords.__annotations__.items()}
    names = [(name, option) for option in options for name in (option.name, option.also) if name]
    assert hints == {name: type_of(option) for name, option in names}


def test_the_options_of_measure_are_those_of_run() -> None:
    options = [option for option in run.params if isinstance(option, click.Option) and not option.hidden]
    of_run = {option.opts[0] for option in options}
    flags = {option.flag for option in MEASURING_OPTIONS}
    assert flags - of_run == {"--progress"}
    assert of_run - flags == OTHERWISE


def test_the_options_of_a_hunt_are_those_of_the_command_for_one_build() -> None:
    options = [option for option in hunt.params if isinstance(option, click.Option) and not option.hidden]
    flags, of_command = {option.flag for option in HUNTING_OPTIONS}, {option.opts[0] for option in options}
    assert flags - of_command == {"--progress"}
    assert of_command - flags == {
        "--operator", "--input", "--param", "--list-categories", "--resume", "--replay", "--env", "--faster",
        "--weights", "--format", "--quiet",
    }  # fmt: skip


def test_values_of_a_hunt_s_options_are_checked() -> None:
    assert hunting_options({"at_least": 3, "against": "torch"})["at_least"] == 3
    for keywords, words in (
        ({"at_least": 1.0}, "invalid at_least 1: expected 1.2 to 1,000"),
        ({"time_budget": 0.0}, "invalid time_budget"),
        ({"against": 3}, "invalid against 3: expected a framework"),
        ({"signal": "instruction"}, "invalid signal 'instruction': expected time or instructions"),
        ({"counters": "kernel"}, "invalid counters 'kernel': expected instructions or cycles"),
        ({"input_profile": "small"}, "leave out input_profile"),
    ):
        with pytest.raises(AutoperfError, match=words):
            hunting_options(keywords)  # type: ignore[arg-type]


def test_options_become_settings_and_recipe() -> None:
    given = measuring_options(
        {"visits": 2, "cpus": 0, "max_elements": 100, "counters": "instructions", "caller": "python", "max_time": 3}
    )
    settings = given.settings(backward=True)
    assert settings == Settings(visits=2, cpus=(0,), counters=("instructions",), caller="python", max_time=3)
    assert given.recipe.elements == 100
    assert measuring_options({"cpus": "any"}).settings(backward=True).cpus == ()
    large = measuring_options({"int64_tensor": True, "processes": 2})
    assert large.recipe.int64_tensor
    assert (large.settings(backward=True).processes, large.settings(backward=True).runs) == (2, 1)


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (autoperf.measure, MEASURING_OPTIONS),
        (autoperf.run_hunt, HUNTING_OPTIONS),
        (autoperf.run_performance_test, PROCESS_OPTIONS),
        (autoperf.run_benchmark_operator, PROCESS_OPTIONS),
        (autoperf.run_gemm_operators_benchmarks.__call__, PROCESS_OPTIONS),
    ],
)
def test_help_shows_the_options_and_their_defaults(function: Any, options: tuple[Option, ...]) -> None:
    defaults = {name: each.default for name, each in inspect.signature(function).parameters.items()}
    for option in options:
        assert defaults[option.name] == option.default
        assert f"\n{option.name} " in inspect.getdoc(function).partition("Options")[2]
    assert "--" not in inspect.getdoc(function)


@pytest.mark.parametrize(
    ("call", "nearest"),
    [
        (lambda: autoperf.measure("exp", EXP, draw=3), "unknown option 'draw'; did you mean draws"),  # type: ignore[call-arg]
        (lambda: autoperf.measure("exp", EXP, proceses=1), "did you mean processes"),  # type: ignore[call-arg]
        (lambda: autoperf.run_performance_test("exp", EXP, process=1), "did you mean processes"),  # type: ignore[call-arg]
        (lambda: autoperf.run_benchmark_operator("exp", mxnt="1.9.1"), "did you mean mxnet"),  # type: ignore[call-arg]
        (lambda: autoperf.run_gemm_operators_benchmarks(progres=False), "did you mean progress"),  # type: ignore[call-arg]
    ],
)
def test_a_misspelt_option_is_an_error(call: Any, nearest: str) -> None:
    with pytest.raises(UnknownNameError) as raised:
        call()
    assert nearest in str(raised.value)


def test_a_parameter_of_the_operator_is_no_option() -> None:
    words = r"unknown option 'axis'; .* dictionary of its inputs: \{'axis': ..., ...\}; options are .*processes"
    with pytest.raises(AutoperfError, match=words):
        autoperf.measure("softmax", EXP, axis=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"processes": "3"}, "invalid processes '3': expected a whole number"),
        ({"processes": 2.5}, "invalid processes 2.5: expected a whole number"),
        ({"precision": "1%"}, "invalid precision '1%': expected a share"),
        ({"time_budget": "5m"}, "invalid time_budget '5m': expected a number of seconds"),
        ({"memory_limit": "4GiB"}, "invalid memory_limit '4GiB': expected a number of bytes"),
        ({"backward": "no"}, "invalid backward 'no': expected True or False"),
        ({"run_file": 5}, "invalid run_file 5: expected a path"),
        ({"rules": 5}, "invalid rules 5: expected a path, or a list of paths"),
        ({"mxnet": ("1.9.1", "2.0.0b1")}, "expected one release or the path of a library"),
        ({"category": 5}, "invalid category 5: expected a text, or a list of texts"),
        ({"dtype": object()}, "unknown dtype"),
        ({"cpus": 2.5}, "invalid cpus 2.5: expected a number, a list of numbers"),
        ({"cpus": "2-1"}, "invalid processors '2-1': expected 1, 2-3"),
        ({"cpus": 4095}, "invalid cpus: processor 4095 isn't usable"),
        ({"counters": "kernel"}, "invalid counters 'kernel': expected instructions or cycles"),
        ({"caller": "C"}, "invalid caller 'C': expected capi or python"),
        ({"visits": 0}, "invalid visits 0: expected 1 to 64"),
        ({"max_elements": 5}, "leave out max_elements"),
        ({"int64_tensor": "on"}, "invalid int64_tensor 'on': expected True or False"),
        ({"extension": "gone.so"}, "invalid extension 'gone.so'"),
        ({"runs": 3, "precision": 0.1}, "leave out precision"),
        ({"runs": 3, "samples": 3}, "samples and runs are the same option: give one of them"),
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
        (lambda: autoperf.run_performance_test("exp", EXP, F="relu"), "ops and F are the same argument"),
        (
            lambda: autoperf.measure("exp", {**EXP, "ctx": "gpu(0)"}),
            "invalid ctx gpu(0) of a call: the run is on cpu; give ctx beside inputs",
        ),
        (
            lambda: autoperf.run_performance_test("exp", EXP, profiler=("python",)),  # type: ignore[arg-type]
            "invalid profiler ('python',)",
        ),
        (
            lambda: autoperf.run_gemm_operators_benchmarks(profiler=5),  # type: ignore[arg-type]
            "invalid profiler 5: expected 'native' or 'python' or 'none'",
        ),
        (
            lambda: autoperf.measure("exp", {**EXP, "run_backward": "False"}),
            "invalid run_backward 'False': expected True or False",
        ),
        (lambda: autoperf.run_performance_test("exp", EXP, dtype=[None]), "unknown dtype 'None'"),
        (lambda: autoperf.run_gemm_operators_benchmarks(warmup=None, runs=1.5), "invalid runs 1.5"),
        (lambda: autoperf.load(5), "invalid path 5: expected a path"),
        (lambda: autoperf.load(None), "invalid path None: expected a path"),  # type: ignore[arg-type]
        (lambda: autoperf.load_hunt(None), "invalid path None: expected a path"),  # type: ignore[arg-type]
        (lambda: autoperf.RunResults(Path()).save(5), "invalid path 5: expected a path"),  # type: ignore[arg-type]
        (lambda: autoperf.RunResults(Path()).save("a\0b"), "invalid path 'a\\x00b': a path has no NUL character"),
        (lambda: autoperf.load("~nobody-here/run.ndjson"), "invalid path '~nobody-here/run.ndjson'"),
        (lambda: autoperf.measure("exp", EXP, run_file="~nobody-here/x"), "invalid run_file '~nobody-here/x'"),
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
            for name in ("category", "namespace", "input_profile", "dtype", "cases", "rules")
        ),
        (lambda: autoperf.measure("exp", category=frozenset()), "invalid category frozenset(): it is empty"),
        (lambda: autoperf.measure("exp", category=iter(["unary"])), "expected a text, or a list of texts"),
        (lambda: autoperf.run_performance_test([], EXP), "invalid list of functions: it is empty"),
        (lambda: autoperf.run_performance_test("exp", EXP, dtype=[]), "invalid dtype []: it is empty"),
        (lambda: autoperf.run_gemm_operators_benchmarks(input_profile=[]), "invalid input_profile []: it is empty"),
        (lambda: autoperf.run_gemm_operators_benchmarks(dtype=()), "invalid dtype (): it is empty"),
    ],
)
def test_an_empty_list_is_an_error(call: Any, message: str) -> None:
    """It isn't the same as no list, which means everything."""
    with pytest.raises(AutoperfError) as raised:
        call()
    assert message in str(raised.value)


def test_none_is_the_same_as_not_given() -> None:
    none = dict.fromkeys(MeasuringKeywords.__annotations__)
    assert measuring_options(none) == measuring_options({})  # type: ignore[arg-type]


def test_numbers_of_numpy_become_plain_ones() -> None:
    """A file takes no others; a set of processors is as good as a list."""
    numbers: Any = {"seed": np.int64(3), "max_time": np.float32(0.5), "precision": np.float64(0.1)}
    numbers |= {"memory_limit": np.int32(4096), "cpus": {np.int64(0)}}
    given = measuring_options(numbers)
    written = msgspec.to_builtins((given.settings(backward=True), given.recipe.seed))
    assert written == msgspec.to_builtins((Settings(max_time=0.5, precision=0.1, memory_limit=4096, cpus=(0,)), 3))
    at_least: Any = np.float32(3)
    assert msgspec.json.encode(hunting_options({"at_least": at_least})["at_least"]) == b"3.0"


def test_dtypes_of_numpy() -> None:
    assert dtype_names([np.float16, np.dtype("int32"), "float64"]) == ("float16", "int32", "float64")
    assert dtype_names(np.float64) == ("float64",)
