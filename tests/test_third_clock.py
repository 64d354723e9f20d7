"""A metric is stated once: by an entry in METRICS and a field of Pass, all reports, options and comparisons have it."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.forked_program import copied_package, forked_program

ENTRY = (
    "METRICS: tuple[Metric, ...] = (KERNEL, WALL, INSTRUCTIONS, CYCLES, PYTHON)",
    'METRICS = (KERNEL, WALL, INSTRUCTIONS, CYCLES, PYTHON, Metric("toy", "toy", "", "toy count"))',
)
FIELD = ("    wall_us: Series | None = None\n", "    wall_us: Series | None = None\n    toy: Series | None = None\n")
WRITER = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from tests.values import outcome, passed, series, steady, write_run
import msgspec

for name, times in (("base", 1), ("new", 3)):
    forward = msgspec.structs.replace(passed(steady(30.5), steady(40.5)), toy=steady(1234.5 * times))
    write_run(Path(name + ".ndjson"), [outcome(number, forward) for number in range(3)])
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """The output of commands of a package with a further counter, in a folder with two runs that have read it."""
    folder = tmp_path_factory.mktemp("third")
    package = copied_package(folder)
    for path, (line, changed) in (("core/clocks.py", ENTRY), ("core/outcome.py", FIELD)):
        source = (package / path).read_text()
        assert source.count(line) == 1
        (package / path).write_text(source.replace(line, changed))
    command = [sys.executable, "-c", WRITER, str(Path(__file__).parent / "compare")]
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)}, check=True)
    with forked_program(folder) as program:

        def call(*arguments: str) -> str:
            done = program(*arguments, cwd=folder, env={"COLUMNS": "200"})
            assert done.returncode in (0, 1, 3), done.stderr
            return done.stdout

        yield call


def test_a_run_has_its_columns(printed: Callable[..., str]) -> None:
    rows = list(csv.DictReader(io.StringIO(printed("report", "base.ndjson", "--format", "csv"))))
    assert [float(row["forward_toy_median"]) for row in rows] == [pytest.approx(1234.5, rel=0.01)] * 3
    assert rows[0]["forward_toy_count"] == "9"
    assert "toy" in printed("report", "base.ndjson")
    assert "| forward toy |" in printed("report", "base.ndjson", "--format", "md")
    assert "1235" in printed("report", "base.ndjson", "--columns", "forward_toy", "--sort", "forward_toy_p99")


def test_a_comparison_has_its_figures(printed: Callable[..., str]) -> None:
    sides = ("compare", "base.ndjson", "new.ndjson")
    cases = json.loads(printed(*sides, "--counters", "toy", "--format", "json"))["cases"]
    assert {(case["clock"], case["verdict"]) for case in cases} >= {("toy", "slower")}
    assert {case["clock"] for case in cases} == {"kernel", "wall", "toy"}
    rows = list(csv.DictReader(io.StringIO(printed(*sides, "--clock", "none", "--counters", "toy", "--format", "csv"))))
    assert [row["clock"] for row in rows] == ["toy"] * 3
    assert [float(row["ratio"]) for row in rows] == [pytest.approx(3, rel=0.05)] * 3
    assert "toy count is" in printed(*sides, "--counters", "toy", "--format", "junit")
    table = printed(*sides, "--clock", "none", "--counters", "toy")
    assert "slower" in table
    assert " us" not in table
