"""Front-end benchmarks run like operators, in processes that import the package mxnet."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.forked_program import Program

QUICK = ("--input-profile", "small", "--warmup", "1", "--samples", "3", "--processes", "1", "--format", "json")
EVERY = """
from autoperf.backends.mxnet.backend import BACKEND
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.mxnet.capi.library_path import find_library
from autoperf.cases.build import Recipe, build
from autoperf.backends.mxnet.call import Call
from autoperf.rules.front_end_benchmarks.benchmark import front_end_benchmarks_by_name

library = open_library(find_library())
for name, entry in front_end_benchmarks_by_name().items():
    for case in build(entry.operator, entry.rule(), Recipe(seed=1, draws=1, elements=4096), BACKEND).cases:
        if case.profile in ("small", "drawn"):
            try:
                call = Call(library, case, ("cpu", 0))
                for _ in range(2):
                    call.invoke()
                    library.wait_all()
                    call.invoke.free(())
                call.free()
            except Exception as error:
                print(name, case.profile, type(error).__name__, error)
"""


def test_they_have_kernel_time_and_wall_time(program: Program) -> None:
    done = program("run", "--operator", "NDArray_iadd", "--operator", "NDArray_copyto", *QUICK)
    assert done.returncode == 0, done.stderr
    for outcome in json.loads(done.stdout)["outcomes"]:
        assert (outcome["status"], outcome["category"]) == ("measured", "front_end")
        forward = outcome["forward"]
        assert 0 < forward["kernel_us"]["median"] < forward["wall_us"]["median"]
        assert outcome.get("backward") is outcome.get("memory") is None


def test_fills_are_kernels_of_the_call_and_nothing_is_noted(program: Program) -> None:
    (outcome,) = json.loads(program("run", "--operator", "nd_zeros", *QUICK, "--draws", "0").stdout)["outcomes"]
    assert outcome["forward"]["kernel_us"]["median"] > 0
    assert not outcome["forward"].get("notes")


def test_a_refusal_of_the_package_is_one_sentence(program: Program) -> None:
    options = ("--operator", "optimizer_AdaDelta", "--dtype", "float16,float32", "--draws", "0")
    outcome, _ = json.loads(program("run", *options, *QUICK).stdout)["outcomes"]
    assert outcome["status"] == "skipped"
    assert "Check failed: " in outcome["reason"]
    assert "Traceback" not in outcome["reason"]


def test_discover_lists_them_beside_the_operators(program: Program) -> None:
    listed = program("discover", "--operator", "NDArray_copy", "--operator", "exp").stdout
    assert "no gradient" in listed
    assert listed.endswith("1 of 611 forward operators shown\n1 front-end benchmark shown, not counted above\n")
    alone = program("discover", "--category", "front_end").stdout
    assert "operators shown" not in alone
    assert alone.endswith("front-end benchmarks shown, not counted above\n")


def test_a_rendered_file_measures_them(program: Program, tmp_path: Path) -> None:
    assert program("generate", "--operator", "NDArray_copy", "--folder", str(tmp_path)).returncode == 0
    command = [sys.executable, str(tmp_path / "front_end" / "NDArray_copy.py"), "--warmup", "1", "--samples", "3"]
    done = subprocess.run([*command, "--processes", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "6 cases = 6 measured" in done.stdout


def test_without_the_package_they_are_skipped_with_that_reason(program: Program) -> None:
    done = program("run", "--mxnet", "2.0.0b1", "--operator", "NDArray_copy", *QUICK)
    (outcome,) = json.loads(done.stdout)["outcomes"]
    assert outcome["status"] == "skipped"
    assert "without the Python package, which is not in" in outcome["reason"]


def test_every_benchmark_runs_on_small_and_on_drawn_inputs() -> None:
    done = subprocess.run([sys.executable, "-c", EVERY], capture_output=True, text=True, check=True)
    assert done.stdout == ""
