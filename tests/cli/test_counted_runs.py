"""Runs and comparisons by exact counts, from the command line: without times, beside them, and of two sides."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.forked_program import Program

pytestmark = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind isn't installed")

CASES = ("--operator", "relu,broadcast_add", "--input-profile", "small", "--draws", "0")
COUNTS = ("--counters", "instructions", "--count-by", "valgrind")
QUICK = ("--samples", "2", "--warmup", "1", "--processes", "1")


def outcomes(path: Path) -> dict[str, dict[str, Any]]:
    lines = map(json.loads, path.read_text().splitlines())
    return {line["case"]: line for line in lines if line["type"] == "outcome"}


@pytest.fixture(scope="module")
def counted(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of the same cases, the second one with times."""
    folder = tmp_path_factory.mktemp("counts")
    for name, times in (("base", ("--profiler", "none")), ("new", QUICK)):
        kept = ("--keep-dumps", f"dumps/{name}")
        ended = program("run", *CASES, *COUNTS, *times, *kept, "--run-file", f"{name}.ndjson", cwd=folder)
        assert ended.returncode == 0, ended.stderr
        assert ("(wall" in ended.stderr) == (name == "new")
    return folder


def test_runs_of_one_build_execute_identical_code_whether_or_not_it_is_timed(program: Program, counted: Path) -> None:
    base, new = (outcomes(counted / f"{name}.ndjson") for name in ("base", "new"))
    assert base.keys() == new.keys()
    assert len(base) == 2
    for case, outcome in base.items():
        for name in ("forward", "backward"):
            one, other = outcome[name], new[case][name]
            assert (one.get("kernel_us"), one.get("wall_us")) == (None, None)
            assert other["wall_us"]["count"] == 2
            assert one["instructions"]["samples"] == other["instructions"]["samples"]
            assert len(set(one["instructions"]["samples"])) == 1
            assert one["code"]["digest"] == other["code"]["digest"]
            assert one["code"]["by"].startswith("valgrind 3.")
    form = ("--clock", "none", "--counters", "instructions", "--format", "json")
    ended = program("compare", "base.ndjson", "new.ndjson", *form, cwd=counted)
    assert ended.returncode == 0
    comparison = json.loads(ended.stdout)
    assert {figure["verdict"] for figure in comparison["cases"]} == {"same"}
    assert all(figure["code"]["identical"] and figure["ratio"] == 1 for figure in comparison["cases"])


def test_a_changed_count_fails_the_gate_and_names_the_function(program: Program, counted: Path) -> None:
    """A tenth more instructions in one function of one pass: that pass is slower, and nothing else."""
    lines = [json.loads(line) for line in (counted / "base.ndjson").read_text().splitlines()]
    changed = next(line for line in lines if line.get("operator") == "relu")["forward"]
    loop = changed["code"]["functions"][0]
    more = loop[2] // 10
    loop[2] += more
    changed["code"]["parts"]["operator"] += more
    changed["code"]["digest"] = "another"
    for name in ("mean", "median", "p50", "p90", "p99", "min", "max", "low", "high"):
        if changed["instructions"].get(name) is not None:
            changed["instructions"][name] += more
    changed["instructions"]["samples"] = [sample + more for sample in changed["instructions"]["samples"]]
    (counted / "changed.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
    form = ("--clock", "none", "--counters", "instructions", "--format", "json")
    ended = program("compare", "base.ndjson", "changed.ndjson", *form, cwd=counted)
    assert ended.returncode == 1, ended.stderr
    (slower,) = (figure for figure in json.loads(ended.stdout)["cases"] if figure["verdict"] != "same")
    assert (slower["operator"], slower["pass"], slower["verdict"]) == ("relu", "forward", "slower")
    (function,) = slower["code"]["functions"]
    assert function["name"] == "UnaryOp::Compute<cpu, relu>"
    assert function["new"] - function["base"] == more
    lenient = program("compare", "base.ndjson", "changed.ndjson", *form, "--count-threshold", "20%", cwd=counted)
    assert lenient.returncode == 0, lenient.stderr


@pytest.mark.nightly
def test_two_sides_are_counted_case_by_case_and_agree_with_a_run(program: Program, counted: Path) -> None:
    sides = ("--env", "A:SOME=1", "--env", "B:SOME=2", "--operator", "relu", "--input-profile", "small", "--draws", "0")
    form = ("--clock", "none", "--counters", "instructions", "--run-file", "sides.ndjson", "--format", "json")
    ended = program("compare", *sides, *form, cwd=counted)
    assert ended.returncode == 0, ended.stderr
    assert all(figure["code"]["identical"] for figure in json.loads(ended.stdout)["cases"])
    (side,) = outcomes(counted / "sides-B.ndjson").values()
    base = outcomes(counted / "base.ndjson")[side["case"]]
    assert side["forward"]["code"]["digest"] == base["forward"]["code"]["digest"]


def test_no_times_and_no_counts_are_nothing_to_measure(program: Program) -> None:
    ended = program("run", *CASES, "--profiler", "none")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "count instead, by --counters instructions" in " ".join(ended.stderr.split())


@pytest.mark.parametrize(
    "budget",
    [pytest.param((), id="at once"), pytest.param(("--time-budget", "200s"), id="later", marks=pytest.mark.nightly)],
)
def test_only_what_executes_other_code_is_timed(budget: tuple[str, ...], program: Program, counted: Path) -> None:
    """Without oneDNN, softmax is MXNet's own; relu is on both sides."""
    selected = ("--operator", "relu,softmax", "--input-profile", "small", "--draws", "0", *budget)
    sides = ("--env", "A:MXNET_MKLDNN_ENABLED=1", "--env", "B:MXNET_MKLDNN_ENABLED=0", *selected)
    file = f"first{len(budget)}"
    ended = program(
        "compare", *sides, "--counts-first", "--run-file", f"{file}.ndjson", "--format", "json", cwd=counted
    )
    assert ended.returncode in (0, 1), ended.stderr
    clocks: dict[str, set[str]] = {}
    for figure in json.loads(ended.stdout)["cases"]:
        clocks.setdefault(figure["operator"], set()).add(figure["clock"])
    assert clocks == {"relu": {"instructions"}, "softmax": {"instructions", "kernel", "wall"}}
    by_operator = {each["operator"]: each for each in outcomes(counted / f"{file}-A.ndjson").values()}
    assert not by_operator["relu"]["forward"].get("wall_us")
    assert by_operator["softmax"].get("visit", 1) == (2 if budget else 1)
    assert len(set(by_operator["softmax"]["forward"]["instructions"]["samples"])) == 1


def test_what_counts_cannot_see_is_not_compared_by_counts_first(program: Program) -> None:
    ended = program("compare", "--env", "A:OMP_NUM_THREADS=1", "--env", "B:OMP_NUM_THREADS=2", *CASES, "--counts-first")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "--counts-first can't see what OMP_NUM_THREADS changes" in " ".join(ended.stderr.split())


@pytest.mark.skipif(shutil.which("callgrind_annotate") is None, reason="callgrind_annotate isn't installed")
def test_kept_files_are_callgrinds(counted: Path) -> None:
    """Its own program reads them, and counts as many instructions as all parts have together."""
    for case, outcome in outcomes(counted / "base.ndjson").items():
        for name in ("forward", "backward"):
            path = counted / "dumps" / "base" / f"callgrind.out.{case.replace('/', '-')}.{name}"
            told = subprocess.run(["callgrind_annotate", path], capture_output=True, text=True, check=True).stdout
            (total,) = (line.split()[0] for line in told.splitlines() if "PROGRAM TOTALS" in line)
            assert int(total.replace(",", "")) == sum(outcome[name]["code"]["parts"].values())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--keep-dumps", "dumps"), "--keep-dumps keeps valgrind's files: add --counters instructions"),
        (("--framework", "jax", *COUNTS), "valgrind counts MXNet, NumPy and PyTorch, not JAX, whose instructions are"),
        (("--ctx", "gpu(0)", *COUNTS), "valgrind counts on the CPU only, not on gpu(0): leave out --counters or --ctx"),
        (("--counters", "cycles", "--count-by", "valgrind"), "not cycles: expected --counters instructions"),
    ],
)
def test_what_cannot_be_counted_is_told(program: Program, words: tuple[str, ...], message: str) -> None:
    ended = program("run", *CASES, *words)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in " ".join(ended.stderr.split())


def test_a_comparison_of_counts_alone_says_nothing_about_load(program: Program, counted: Path) -> None:
    """Whatever the load was: no note, in the words of instructions."""
    for name in ("base", "new"):
        text = (counted / f"{name}.ndjson").read_text()
        (counted / f"loaded-{name}.ndjson").write_text(re.sub(r'"load":\[[^]]*\]', '"load":[64.0,64.0,64.0]', text))
    form = ("--clock", "none", "--counters", "instructions", "--verbose")
    ended = program("compare", "loaded-base.ndjson", "loaded-new.ndjson", *form, cwd=counted)
    assert ended.returncode == 0
    assert "busy" not in ended.stdout + ended.stderr
    assert "0 fewer instructions + 0 more instructions" in ended.stdout
