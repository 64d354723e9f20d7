"""`run --caller python` times each call through MXNet's Python package too."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest
from front_end_names import NEXT, package

from autoperf.backends.mxnet.capi.library_path import find_library
from autoperf.backends.releases import INSTALLED
from tests.forked_program import Program

SMALL = ("--input-profile", "small", "--draws", "0", "--warmup", "1", "--samples", "6")
QUICK, ONE = (*SMALL, "--processes", "2"), (*SMALL, "--processes", "1")
# Functions of the operator's own name, and those that are written in Python: of two arrays, of an array and a number in
# both orders, of lists, of parameters alone, and of an array that is written.
FUNCTIONS = {
    "softmax": "mx.nd.softmax",
    "_npi_add": "mx.np.add",
    "_plus_scalar": "mx.nd.add",
    "_rminus_scalar": "mx.nd.subtract",
    "Concat": "mx.nd.Concat",
    "_npi_concatenate": "mx.np.concatenate",
    "_random_uniform": "mx.nd.random.uniform",
    "sgd_update": "mx.nd.sgd_update",
    "_contrib_box_iou": "mx.nd.contrib.box_iou",
    "_linalg_gemm2": "mx.nd.linalg.gemm2",
}


@pytest.fixture(scope="module")
def run_file(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of all these functions."""
    path = tmp_path_factory.mktemp("caller") / "run.ndjson"
    done = program("run", "--operator", ",".join(FUNCTIONS), "--caller", "python", *QUICK, "--run-file", str(path))
    assert done.returncode == 0, done.stderr
    return path


def test_each_operator_is_called_by_its_function(program: Program, run_file: Path) -> None:
    report = json.loads(program("report", str(run_file), "--format", "json").stdout)
    outcomes = {outcome["operator"]: outcome for outcome in report["outcomes"]}
    assert {name: outcome["forward"].get("python_function") for name, outcome in outcomes.items()} == FUNCTIONS
    for outcome in outcomes.values():
        for run in filter(None, (outcome["forward"], outcome["backward"])):
            assert run["python_us"]["count"] == run["wall_us"]["count"] == 12
            assert run["python_us"]["median"] > 0


def test_the_difference_is_in_every_report(program: Program, run_file: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(program("report", str(run_file), "--format", "csv").stdout)))
    outcomes = json.loads(program("report", str(run_file), "--format", "json").stdout)["outcomes"]
    for row, outcome in zip(rows, outcomes, strict=True):
        cost = outcome["forward"]["front_end_us"]
        ends = ("front_end_low_us", "front_end_us", "front_end_high_us")
        assert [float(row[f"forward_{end}"]) for end in ends] == pytest.approx(
            [cost["low"], cost["median"], cost["high"]]
        )
        assert cost["low"] <= cost["median"] <= cost["high"]
    softmax = next(row for row in rows if row["operator"] == "softmax")
    assert softmax["python_function"] == "mx.nd.softmax"
    table = program("report", str(run_file), "--verbose").stdout
    assert "front end: what Python adds" in table
    assert "functions of MXNet's Python package (--columns python_function)" in " ".join(table.split())


def test_a_graph_has_no_function(program: Program) -> None:
    done = program("run", "--operator", "_foreach", "--caller", "python", *ONE, "--format", "json")
    assert done.returncode == 0, done.stderr
    for outcome in json.loads(done.stdout)["outcomes"]:
        assert "python_us" not in outcome["forward"]
        assert any("no function of MXNet's Python package" in note for note in outcome["forward"]["notes"])


def test_without_the_package_it_is_refused(program: Program) -> None:
    done = program("run", "--mxnet", "2.0.0b1", "--operator", "exp", "--caller", "python", *ONE)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--caller python needs MXNet's Python package beside" in done.stderr.splitlines()[-1]
    assert "autoperf releases install --package 2.0.0b1" in done.stderr
    assert "results:" not in done.stderr


def test_a_package_that_cannot_be_imported_is_refused(program: Program, tmp_path: Path) -> None:
    for library in find_library(INSTALLED).parent.glob("*.so*"):
        os.link(library, tmp_path / library.name)
    (tmp_path / "__init__.py").write_text("import no_such_module")
    done = program("run", "--mxnet", str(tmp_path), "--operator", "exp", "--caller", "python", *ONE)
    assert (done.returncode, done.stdout) == (2, "")
    assert "can't be imported: ModuleNotFoundError: No module named 'no_such_module'" in done.stderr.splitlines()[-1]


def test_two_sides_are_compared_by_it(program: Program) -> None:
    sides = ("--env", "A:SOME=1", "--env", "B:SOME=2", "--operator", "exp", *ONE)
    done = program("compare", *sides, "--clock", "python", "--format", "csv")
    assert done.returncode in (0, 1), done.stderr
    assert {row["clock"] for row in csv.DictReader(io.StringIO(done.stdout))} == {"python"}


def test_a_run_is_resumed_with_it(program: Program, run_file: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.ndjson"
    cut.write_text("".join(run_file.read_text().splitlines(keepends=True)[:3]))
    done = program("run", "--resume", str(cut), "--caller", "python", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert all(float(row["forward_python_median_us"]) > 0 for row in csv.DictReader(io.StringIO(done.stdout)))


@pytest.mark.nightly
def test_functions_of_the_next_release_are_called(program: Program) -> None:
    """The whole package of 2.0.0b1 is fetched; whole numbers that its mx.np is given as floats would crash it."""
    functions = {
        "softmax": "mx.nd.softmax",
        "_npi_add": "mx.np.add",
        "_npi_bitwise_left_shift_scalar": "mx.np.bitwise_left_shift",
        "_npx_relu": "mx.npx.relu",
        "Convolution": "mx.nd.Convolution",
    }
    with package(NEXT) as home:
        done = program(
            "run", "--mxnet", str(home), "--operator", ",".join(functions), "--caller", "python", *QUICK,
            "--format", "json",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)["outcomes"]
    assert {outcome["operator"]: outcome["forward"].get("python_function") for outcome in outcomes} == functions
