"""Front-end benchmarks run like operators, in processes that import the package mxnet."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.cli.conftest import Program

QUICK = ("--profile", "small", "--warmup", "1", "--runs", "3", "--processes", "1", "--format", "json")
EVERY = """
from autoperf.capi.library import find_library, open_library
from autoperf.cases.build import Recipe, build
from autoperf.executor.call import Call
from autoperf.rules.front_end_benchmarks.catalog import front_end_benchmarks_by_name

library = open_library(find_library())
for name, entry in front_end_benchmarks_by_name().items():
    for case in build(entry.operator, entry.rule(), Recipe(seed=1, samples=1, elements=4096), None).cases:
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


def test_without_the_package_they_are_skipped_with_that_reason(program: Program) -> None:
    done = program("run", "--mxnet", "2.0.0b1", "--operator", "NDArray_copy", *QUICK)
    (outcome,) = json.loads(done.stdout)["outcomes"]
    assert outcome["status"] == "skipped"
    assert "without the Python package, which is not in" in outcome["reason"]


def test_every_benchmark_runs_on_small_and_on_drawn_inputs() -> None:
    done = subprocess.run([sys.executable, "-c", EVERY], capture_output=True, text=True, check=True)
    assert done.stdout == ""
