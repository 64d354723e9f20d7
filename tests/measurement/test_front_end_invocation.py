"""Calls of the front end: what is imported for them, and why one can't be made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.protocol import TrialResult
from autoperf.core.case import Case
from autoperf.core.outcome import Status
from autoperf.measurement.batches import Job
from autoperf.measurement.messages import CaseFailure
from autoperf.measurement.supervisor import Executor
from tests.measurement.executor_values import QUICK

UNPREPARED = """
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.mxnet.backend import find_library
from autoperf.core.case import Case
from autoperf.backends.mxnet.call import front_end_invocation
from autoperf.rules import front_end_benchmarks as benchmarks_module
from autoperf.rules.front_end_benchmarks import Benchmark

prepared = {"absent": lambda mx: mx.nd.no_such_function, "mistaken": lambda mx: (None).no_such_method}
benchmarks = {
    name: Benchmark(name, f"mx.nd.{name}()", prepare, lambda _shape: {}) for name, prepare in prepared.items()
}
benchmarks_module.front_end_benchmarks_by_name = lambda: benchmarks
library = open_library(find_library())
for name in benchmarks:
    try:
        case = Case(operator=name, category="front_end", profile="small", inputs=(), way="front_end")
        front_end_invocation(library, case)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
"""


def output_of(script: str) -> list[str]:
    """The lines that a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("module", ["worker", "trial", "quick_timing"])
def test_processes_that_run_cases_start_without_what_they_do_not_need(module: str) -> None:
    """They import the engine of the framework that they run when they open it."""
    modules = f"autoperf.measurement.{module}, autoperf.backends.mxnet.engine, autoperf.backends.mxnet.backend"
    heavy = {"hypothesis", "psutil", "subprocess", "importlib.metadata"}
    assert output_of(f"import sys, {modules}; print({heavy} & {{*sys.modules}})") == ["set()"]


def test_what_the_package_lacks_is_told_apart_from_a_mistake_in_a_benchmark() -> None:
    absent, mistaken = output_of(UNPREPARED)
    assert absent.startswith("EngineError: MXNet 1.9.1 has no mx.nd.absent(): module 'mxnet.ndarray' has no attribute")
    assert mistaken == "AttributeError: 'NoneType' object has no attribute 'no_such_method'"


@pytest.mark.parametrize("ctx", ["cpu", "gpu(0)"])
def test_they_are_skipped_on_a_gpu(tmp_path: Path, ctx: str) -> None:
    case = Case(operator="NDArray_copy", category="front_end", profile="small", inputs=(), way="front_end")
    executor = Executor(find_library(), replace(QUICK, ctx=ctx), tmp_path)
    answer = executor.run_trial(Job(case))
    if ctx == "cpu":
        assert isinstance(answer, TrialResult)
    else:
        reason = "front-end benchmarks run on the CPU only, not on gpu(0)"
        assert answer == CaseFailure(Status.SKIPPED, reason)
