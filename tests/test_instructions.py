"""`--clock instructions` from the command line to the reports: in a copy of the package that counts nanoseconds of its
threads in place of instructions, which few machines that run tests can count."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import autoperf

EVENT = 'INSTRUCTIONS = Event("instructions", _HARDWARE, 1)'
COUNTABLE = 'INSTRUCTIONS = Event("instructions", 1, 1)'
ABSENT = 'INSTRUCTIONS = Event("instructions", _HARDWARE, 12345)'
CASES = ("--operator", "exp", "--profile", "small", "--profile", "common")
QUICK = ("--processes", "2", "--runs", "12", "--profiler", "python")


def copy(folder: Path, event: str) -> Path:
    """A folder with the package, which counts this event."""
    package = Path(autoperf.__file__).parent
    shutil.copytree(package, folder / "autoperf", ignore=shutil.ignore_patterns("__pycache__"))
    module = folder / "autoperf/capi/counters.py"
    source = module.read_text()
    assert source.count(EVENT) == 1
    module.write_text(source.replace(EVENT, event))
    return folder


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
    line = [sys.executable, "-m", "autoperf", *arguments]
    return subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def printed(folder: Path, *arguments: str) -> str:
    done = call(folder, *arguments)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a run whose passes were counted, and one of the same cases whose passes were not."""
    folder = copy(tmp_path_factory.mktemp("counted"), COUNTABLE)
    printed(folder, "run", *CASES, *QUICK, "--clock", "instructions", "--output", "counted.ndjson")
    printed(folder, "run", *CASES, *QUICK, "--output", "plain.ndjson")
    return folder


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_run_has_counts_beside_times(folder: Path) -> None:
    counted = rows(printed(folder, "report", "counted.ndjson", "--format", "csv"))
    assert len(counted) >= 2
    for row in counted:
        for pass_ in ("forward", "backward"):
            assert float(row[f"{pass_}_instructions_median"]) > 1000
            assert float(row[f"{pass_}_instructions_low"]) <= float(row[f"{pass_}_instructions_p50"])
            assert (row[f"{pass_}_instructions_count"], row[f"{pass_}_instructions_processes"]) == ("24", "2")
            assert row[f"{pass_}_wall_count"] == "24"
    assert "instructions" in printed(folder, "report", "counted.ndjson")
    assert "| forward instructions |" in printed(folder, "report", "counted.ndjson", "--format", "md")


def test_a_run_without_the_option_has_no_trace_of_them(folder: Path) -> None:
    for form in ("table", "md", "csv"):
        assert "instructions" not in printed(folder, "report", "plain.ndjson", "--format", form)
    outcomes = [json.loads(line) for line in (folder / "plain.ndjson").read_text().splitlines()]
    assert not any("instructions" in (outcome.get("forward") or {}) for outcome in outcomes)


def test_counts_are_compared_on_request(folder: Path) -> None:
    files = ("compare", "counted.ndjson", "counted.ndjson", "--format", "csv")
    assert {row["clock"] for row in rows(printed(folder, *files))} == {"wall"}
    assert {row["clock"] for row in rows(printed(folder, *files, "--clock", "all"))} == {"wall", "instructions"}
    found = rows(printed(folder, *files, "--clock", "instructions"))
    assert {row["clock"] for row in found} == {"instructions"}
    assert [float(row["ratio"]) for row in found] == [pytest.approx(1, rel=1e-3)] * len(found)
    missing = call(folder, "compare", "counted.ndjson", "plain.ndjson", "--clock", "instructions")
    assert missing.returncode == 2
    assert "both runs need --clock instructions" in missing.stderr


def test_two_sides_are_counted_in_turn(folder: Path) -> None:
    sides = ("--env", "A:SOME=1", "--env", "B:SOME=2", *CASES, *QUICK)
    form = ("--clock", "instructions", "--format", "csv", "--keep", "kept.ndjson")
    found = rows(printed(folder, "compare", *sides, *form))
    assert {(row["clock"], row["pass"]) for row in found} == {("instructions", "forward"), ("instructions", "backward")}
    assert all(float(row["base_us"]) > 1000 for row in found)
    _, outcome, *_ = (folder / "kept-A.ndjson").read_text().splitlines()
    forward = json.loads(outcome)["forward"]
    assert forward["instructions"]["turns"] == forward["wall_us"]["turns"] == [[1] * 12] * 2


def test_a_run_is_resumed_with_its_clocks(folder: Path) -> None:
    lines = (folder / "counted.ndjson").read_text().splitlines(keepends=True)
    (folder / "cut.ndjson").write_text("".join(lines[:2]))
    printed(folder, "run", "--resume", "cut.ndjson")
    for row in rows(printed(folder, "report", "cut.ndjson", "--format", "csv")):
        assert float(row["forward_instructions_median"]) > 1000


def test_a_machine_without_counters_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    folder = copy(tmp_path, ABSENT)
    for command in (("run",), ("compare", "--env", "A:SOME=1", "--env", "B:SOME=2")):
        ended = call(folder, *command, *CASES, "--clock", "instructions")
        assert (ended.returncode, ended.stdout) == (2, "")
        (line,) = ended.stderr.splitlines()
        assert "--clock instructions can't be used: " in line
