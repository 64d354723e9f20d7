"""A clock is stated once: with an entry in CLOCKS and its field of Pass, every report, option and comparison has it."""

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

ENTRY = (
    "CLOCKS: tuple[Clock, ...] = (KERNEL, WALL, INSTRUCTIONS, PYTHON)",
    'CLOCKS = (KERNEL, WALL, INSTRUCTIONS, PYTHON, Clock("toy", "toy", "", "toy count"))',
)
FIELD = ("    wall_us: Series | None = None\n", "    wall_us: Series | None = None\n    toy: Series | None = None\n")
WRITER = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from analysis_values import outcome, passed, series, steady, write_run
import msgspec

for name, times in (("base", 1), ("new", 3)):
    forward = msgspec.structs.replace(passed(steady(30.5), steady(40.5)), toy=steady(1234.5 * times))
    write_run(Path(name + ".ndjson"), [outcome(number, forward) for number in range(3)])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package that has a third clock, and two runs that have read it."""
    folder = tmp_path_factory.mktemp("third")
    package = Path(autoperf.__file__).parent
    shutil.copytree(package, folder / "autoperf", ignore=shutil.ignore_patterns("__pycache__"))
    for path, (line, changed) in (("core/clocks.py", ENTRY), ("core/outcome.py", FIELD)):
        source = (folder / "autoperf" / path).read_text()
        assert source.count(line) == 1
        (folder / "autoperf" / path).write_text(source.replace(line, changed))
    _python(folder, "-c", WRITER, str(Path(__file__).parent / "analysis"))
    return folder


def _python(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
    line = [sys.executable, *arguments]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def _autoperf(folder: Path, *arguments: str) -> str:
    return _python(folder, "-m", "autoperf", *arguments)


def test_a_run_has_its_columns(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(_autoperf(folder, "report", "base.ndjson", "--format", "csv"))))
    assert [float(row["forward_toy_median"]) for row in rows] == [pytest.approx(1234.5, rel=0.01)] * 3
    assert rows[0]["forward_toy_count"] == "9"
    assert "toy" in _autoperf(folder, "report", "base.ndjson")
    assert "| forward toy |" in _autoperf(folder, "report", "base.ndjson", "--format", "md")
    assert "1235" in _autoperf(folder, "report", "base.ndjson", "--columns", "forward_toy", "--sort", "forward_toy_p99")


def test_a_comparison_has_its_figures(folder: Path) -> None:
    sides = ("compare", "base.ndjson", "new.ndjson")
    cases = json.loads(_autoperf(folder, *sides, "--format", "json"))["cases"]
    assert {(case["clock"], case["verdict"]) for case in cases} >= {("toy", "slower")}
    assert {case["clock"] for case in cases} == {"kernel", "wall", "toy"}
    rows = list(csv.DictReader(io.StringIO(_autoperf(folder, *sides, "--clock", "toy", "--format", "csv"))))
    assert [row["clock"] for row in rows] == ["toy"] * 3
    assert [float(row["ratio"]) for row in rows] == [pytest.approx(3, rel=0.05)] * 3
    assert "toy count is" in _autoperf(folder, *sides, "--format", "junit")
    table = _autoperf(folder, *sides, "--clock", "toy")
    assert "slower" in table
    assert " us" not in table
