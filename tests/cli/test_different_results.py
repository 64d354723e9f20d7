"""`autoperf compare` of builds that compute something else, and of stored runs of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from patched_library import RETURN, patched

from autoperf.backends.mxnet.capi.library import Library
from tests.forked_program import Program
from tools.stored_run import read_run

RELU = "UnaryOp7ComputeIN7mshadow3cpuENS0_10mshadow_op4reluE"
QUICK = ("--input-profile", "small", "--draws", "0", "--warmup", "1", "--samples", "2", "--processes", "1")


@pytest.fixture(scope="module")
def broken(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """MXNet, but relu returns at once."""
    copy = patched(library.path, tmp_path_factory.mktemp("build") / "relu", {RELU: RETURN})
    yield copy
    copy.unlink()


def test_a_build_that_returns_early_differs(program: Program, tmp_path: Path, broken: Path) -> None:
    sides = ("compare", "--mxnet", "installed", "--mxnet", str(broken), "--operator", "relu,sigmoid", *QUICK)
    done = program(*sides, "--run-file", str(tmp_path / "runs.ndjson"), "--format", "json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    (different,) = found["different"]
    assert (different["operator"], different["side"]) == ("relu", "both")
    assert different["difference"]["result"] == "output"
    assert different["difference"]["count"] > 100
    assert {figure["operator"] for figure in found["cases"]} == {"sigmoid"}
    assert found["unmatched"] == []


def test_it_is_timed_on_request_and_never_faster(program: Program, tmp_path: Path, broken: Path) -> None:
    sides = ("compare", "--mxnet", "installed", "--mxnet", str(broken), "--operator", "relu", *QUICK)
    done = program(*sides, "--time-different", "--run-file", str(tmp_path / "runs.ndjson"), "--format", "json")
    assert done.returncode == 1, done.stderr
    assert {figure["verdict"] for figure in json.loads(done.stdout)["cases"]} == {"differs"}
    runs = [str(tmp_path / f"runs-{name}.ndjson") for name in "AB"]
    allowed = program("compare", *runs, "--allow-different", "rel*=returns early", "--format", "json")
    (different,) = json.loads(allowed.stdout)["different"]
    assert different["allowed"] == "returns early"
    assert "differs" not in {figure["verdict"] for figure in json.loads(allowed.stdout)["cases"]}
    idle = json.loads(program("compare", *runs, "--allow-different", "nd.relu", "--format", "json").stdout)
    assert idle["different"][0]["allowed"] is None
    told = "--allow-different nd.relu has no effect: unknown operator 'nd.relu'; did you mean relu?"
    assert told in idle["notices"]


def test_stored_runs_are_compared_by_fingerprints(program: Program, tmp_path: Path, broken: Path) -> None:
    runs = [tmp_path / f"{name}.ndjson" for name in ("base", "new")]
    for build, run in zip(("installed", broken), runs, strict=True):
        done = program("run", "--mxnet", str(build), "--operator", "relu", *QUICK, "--run-file", str(run))
        assert done.returncode == 0, done.stderr
    baseline = tmp_path / "baseline.ndjson"
    baseline.write_text(program("report", str(runs[0]), "--format", "baseline").stdout)
    (different,) = json.loads(program("compare", str(baseline), str(runs[1]), "--format", "json").stdout)["different"]
    assert different["by_fingerprint"]
    done = program("compare", *map(str, runs))
    assert done.returncode == 1
    assert "1 case computes something else: relu (data (32, 32)) output:" in done.stdout
    assert "by fingerprints" in done.stdout
    assert "1 case with other results" in done.stdout


def test_a_run_keeps_a_fingerprint_of_each_result(program: Program, tmp_path: Path) -> None:
    run = tmp_path / "run.ndjson"
    done = program("run", "--operator", "BatchNorm,cast_storage,_random_normal,Dropout", *QUICK, "--run-file", str(run))
    assert done.returncode == 0, done.stderr
    prints = {outcome.operator: outcome.results for outcome in read_run(run).outcomes}
    normalised = {each.name: each for each in prints["BatchNorm"]}
    assert {"output", "gradient of data", "gradient of gamma", "gradient of beta"} <= set(normalised)
    assert normalised["output"].shape == (1, 4, 16, 16)
    assert normalised["output"].values[0] is not None
    assert {each.storage for each in prints["cast_storage"]} & {"csr", "row_sparse"}
    assert all(each.random and not each.values for name in ("_random_normal", "Dropout") for each in prints[name])


def test_a_run_without_fingerprints_says_so(program: Program, tmp_path: Path) -> None:
    run, older = tmp_path / "run.ndjson", tmp_path / "older.ndjson"
    assert program("run", "--operator", "sin", *QUICK, "--run-file", str(run)).returncode == 0
    lines = map(json.loads, run.read_text().splitlines())
    older.write_text("".join(json.dumps({k: v for k, v in line.items() if k != "results"}) + "\n" for line in lines))
    notices = json.loads(program("compare", str(older), str(run), "--format", "json").stdout)["notices"]
    assert any("aren't compared: base has no fingerprints" in notice for notice in notices)


def test_without_clocks_results_alone_are_compared(program: Program, tmp_path: Path, broken: Path) -> None:
    sides = ("compare", "--clock", "none", "--input-profile", "small", "--draws", "0", "--mxnet", "installed")
    runs = [str(tmp_path / f"runs-{name}.ndjson") for name in "AB"]
    words = ("--operator", "relu,sigmoid,sum", "--run-file", str(tmp_path / "runs.ndjson"))
    done = program(*sides, "--mxnet", str(broken), *words)
    assert done.returncode == 1, done.stderr
    assert "3 cases = 2 with equal results + 1 with other results" in done.stdout
    assert "slower" not in done.stdout
    for run in runs:
        Path(run).unlink()
    equal = program(*sides, "--mxnet", "installed", *words)
    assert equal.returncode == 0, equal.stderr
    assert "the results of 3 cases are equal" in equal.stdout
    assert json.loads(program("compare", *runs, "--clock", "none", "--format", "json").stdout)["equal_results"] == 3
    for form in ("html", "junit", "md", "csv"):
        assert program("compare", *runs, "--clock", "none", "--format", form).returncode == 0


@pytest.mark.nightly
def test_a_hunt_between_builds_finds_nothing_where_one_computes_something_else(
    program: Program, tmp_path: Path, broken: Path
) -> None:
    sides = ("hunt", "--mxnet", str(broken), "--mxnet", "installed", "--operator", "relu")
    done = program(*sides, "--time-budget", "8s", "--folder", str(tmp_path / "hunt"))
    assert done.returncode == 0, done.stdout
    assert "the results differ" in " ".join((done.stdout + done.stderr).split())
