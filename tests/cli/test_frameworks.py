"""Other frameworks on the command line and from Python: what is installed, run, compared and resumed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import autoperf
from autoperf.core.errors import UsageError
from autoperf.core.files import FRAMEWORKS_VARIABLE
from tests.forked_program import Program
from tools.stored_run import read_run

CASES = ("--operator", "exp", "--input-profile", "small", "--draws", "0")
QUICK = ("--warmup", "1", "--samples", "3", "--processes", "1")


@pytest.mark.parametrize(
    ("framework", "words"),
    [
        (
            "torch",
            "PyTorch is not installed; run `autoperf frameworks install torch`, or name an interpreter that has it",
        ),
        ("jax@0.1", "JAX 0.1 is not installed; run `autoperf frameworks install jax@0.1`, or name an interpreter"),
        ("torch=/no/such/python", "/no/such/python is no Python interpreter, nor the folder of an environment"),
    ],
)
def test_one_that_is_not_installed_is_told_with_the_command(
    program: Program, tmp_path: Path, framework: str, words: str
) -> None:
    done = program("run", "--framework", framework, *CASES, env={FRAMEWORKS_VARIABLE: str(tmp_path)})
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_frameworks_are_compared_by_calls_from_python_and_a_missing_gradient_fails_nothing(program: Program) -> None:
    done = program("compare", "--frameworks", "mxnet,numpy", *CASES, *QUICK, "--format", "json")
    found = json.loads(done.stdout)
    assert {(one["pass"], one["clock"]) for one in found["cases"]} == {("forward", "python")}
    assert not any(one["lost"] for one in found["unmatched"])
    assert done.returncode == (1 if found["cases"][0]["verdict"] == "slower" else 0)


def test_an_update_whose_parameters_the_next_release_has_renamed_runs(
    program: Program, next_library: Path, tmp_path: Path
) -> None:
    """MXNet's results hold it: 2.x also moved epsilon out of the root and the decay out of the clipping."""
    words = ("--operator", "rmsprop_update,rmspropalex_update", "--input-profile", "small,drawn", "--draws", "6")
    files = ("--run-file", str(tmp_path / "run.ndjson"))
    done = program("run", "--mxnet", str(next_library), "--framework", "numpy", *words, *QUICK, *files)
    assert "14 cases = 14 measured" in done.stdout


def test_a_report_that_several_sides_do_not_have_is_refused_before_the_run(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    done = program("run", "--frameworks", "mxnet,numpy", *CASES, *QUICK, "--format", "junit", "--run-file", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert "junit" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_more_than_two_are_no_comparison(program: Program) -> None:
    done = program("compare", "--frameworks", "mxnet,numpy,torch", *CASES)
    assert (done.returncode, done.stderr) == (
        2, "autoperf: invalid --frameworks: expected two, got 3: mxnet, numpy, torch\n"
    )  # fmt: skip


def test_several_measure_the_cases_of_one_release(program: Program) -> None:
    done = program("compare", "--frameworks", "mxnet,numpy", "--mxnet", "1.9.1", "--mxnet", "1.9.1")
    assert done.returncode == 2
    assert "several frameworks measure the cases of one MXNet: expected one --mxnet, got 2" in done.stderr


def test_several_run_side_by_side_by_calls_from_python(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    done = program("run", "--framework", "mxnet,numpy", *CASES, *QUICK, "--run-file", str(file))
    assert done.returncode == 0, done.stderr
    assert f"numpy-{np.__version__}" in done.stdout
    outcomes = [read_run(path).outcomes[0] for path in sorted(tmp_path.glob("run-*.ndjson"))]
    assert all(outcome.forward.python_us for outcome in outcomes)


def test_a_killed_run_of_an_interpreter_is_resumed_if_it_is_named_again(program: Program, tmp_path: Path) -> None:
    file, framework = tmp_path / "run.ndjson", ("--framework", f"numpy={sys.executable}")
    assert program("run", *framework, *CASES, *QUICK, "--run-file", str(file)).returncode == 0
    complete = read_run(file)
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:2]))
    refused = program("run", "--resume", str(file))
    assert refused.returncode == 2
    assert f"names code that its resume would run: --framework numpy={sys.executable}" in refused.stderr
    assert program("run", "--resume", str(file), *framework).returncode == 0
    assert [each.case for each in read_run(file).outcomes] == [each.case for each in complete.outcomes]


def test_installed_ones_are_listed(program: Program, tmp_path: Path) -> None:
    done = program("frameworks", "list", "--format", "json", env={FRAMEWORKS_VARIABLE: str(tmp_path)})
    (numpy,) = json.loads(done.stdout)["frameworks"]
    assert (numpy["framework"], numpy["version"], numpy["origin"]) == ("NumPy", np.__version__, "installed")


def test_a_framework_is_measured_from_python(tmp_path: Path) -> None:
    quick = {"warmup": 1, "samples": 2, "processes": 1, "draws": 0, "input_profile": "small", "progress": False}
    results = autoperf.measure("exp", framework="numpy", run_file=tmp_path / "run.ndjson", **quick)
    assert read_run(results.path).header.release == f"NumPy {np.__version__}"
    with pytest.raises(UsageError, match=r"expected one; `autoperf\.compare` compares the results of two"):
        autoperf.measure("exp", framework=["mxnet", "numpy"], **quick)
