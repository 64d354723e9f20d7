"""`--counters` from the command line to the reports: in a copy of the package that counts nanoseconds of threads in
place of instructions, and page faults in place of cycles: few machines that run tests can count them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.forked_program import Program, copied_package, forked_program

EVENTS = ('Event("instructions", _HARDWARE, 1)', 'Event("cycles", _HARDWARE, 0)')
COUNTABLE = ('Event("instructions", 1, 1)', 'Event("cycles", 1, 2)')
ABSENT = ('Event("instructions", _HARDWARE, 12345)', 'Event("cycles", _HARDWARE, 12345)')
CASES = ("--operator", "exp", "--input-profile", "small", "--input-profile", "common", "--draws", "0")
QUICK = ("--processes", "2", "--samples", "12", "--profiler", "python")


Printed = Callable[..., str]


@contextmanager
def counting(folder: Path, events: tuple[str, str]) -> Iterator[Program]:
    """The program of a copy of the package that counts these events."""
    module = copied_package(folder) / "processes" / "counters.py"
    source = module.read_text()
    for event, other in zip(EVENTS, events, strict=True):
        assert source.count(event) == 1
        source = source.replace(event, other)
    module.write_text(source)
    with forked_program(folder) as program:
        yield program


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("counted")


@pytest.fixture(scope="module")
def counted(folder: Path) -> Iterator[Program]:
    """In a folder with a run whose passes were counted, and one of the same cases whose passes were not."""
    with counting(folder, COUNTABLE) as program:
        for name, options in (("counted", ("--counters", "instructions,cycles")), ("plain", ())):
            done = program("run", *CASES, *QUICK, *options, "--run-file", f"{name}.ndjson", cwd=folder)
            assert done.returncode == 0, done.stderr
        yield program


@pytest.fixture
def printed(counted: Program, folder: Path) -> Printed:
    """What a command prints in that folder."""

    def call(*arguments: str) -> str:
        done = counted(*arguments, cwd=folder, env={"COLUMNS": "200"})
        assert done.returncode in (0, 1, 3), done.stderr
        return done.stdout

    return call


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_run_has_counts_beside_times(printed: Printed) -> None:
    measured = rows(printed("report", "counted.ndjson", "--format", "csv"))
    assert len(measured) >= 2
    for row in measured:
        for pass_ in ("forward", "backward"):
            assert float(row[f"{pass_}_instructions_median"]) > 1000
            assert float(row[f"{pass_}_instructions_low"]) <= float(row[f"{pass_}_instructions_p50"])
            assert (row[f"{pass_}_instructions_count"], row[f"{pass_}_instructions_processes"]) == ("24", "2")
            assert row[f"{pass_}_cycles_count"] == row[f"{pass_}_wall_count"] == "24"
            assert float(row[f"{pass_}_cycles_median"]) < float(row[f"{pass_}_instructions_median"])
    assert "instructions" in printed("report", "counted.ndjson")
    assert "| forward instructions |" in printed("report", "counted.ndjson", "--format", "md")


def test_a_run_without_the_option_has_no_trace_of_them(folder: Path, printed: Printed) -> None:
    for form in ("table", "md", "csv"):
        assert "instructions" not in printed("report", "plain.ndjson", "--format", form)
    outcomes = [json.loads(line) for line in (folder / "plain.ndjson").read_text().splitlines()]
    assert not any("instructions" in (outcome.get("forward") or {}) for outcome in outcomes)


def test_counts_are_compared_on_request(folder: Path, counted: Program, printed: Printed) -> None:
    files = ("compare", "counted.ndjson", "counted.ndjson", "--format", "csv")
    assert {row["clock"] for row in rows(printed(*files))} == {"wall"}
    assert {row["clock"] for row in rows(printed(*files, "--counters", "instructions"))} == {"wall", "instructions"}
    found = rows(printed(*files, "--clock", "none", "--counters", "instructions"))
    assert {row["clock"] for row in found} == {"instructions"}
    assert [float(row["ratio"]) for row in found] == [pytest.approx(1, rel=1e-3)] * len(found)
    alone = ("--clock", "none", "--counters", "instructions")
    missing = counted("compare", "counted.ndjson", "plain.ndjson", *alone, cwd=folder)
    assert missing.returncode == 2
    assert "both runs need --counters instructions" in missing.stderr


def test_two_sides_are_counted_in_turn(folder: Path, printed: Printed) -> None:
    sides = ("--env", "A:SOME=1", "--env", "B:SOME=2", *CASES, *QUICK)
    form = ("--clock", "none", "--counters", "instructions,cycles", "--format", "csv", "--run-file", "kept.ndjson")
    found = rows(printed("compare", *sides, *form))
    assert {(row["clock"], row["pass"]) for row in found} >= {("instructions", "forward"), ("instructions", "backward")}
    assert {row["clock"] for row in found} <= {"instructions", "cycles"}
    assert all(float(row["base_us"]) > 1000 for row in found if row["clock"] == "instructions")
    _, _, outcome, *_ = (folder / "kept-A.ndjson").read_text().splitlines()
    forward = json.loads(outcome)["forward"]
    assert (
        forward["instructions"]["turns"] == forward["cycles"]["turns"] == forward["wall_us"]["turns"] == [[1] * 12] * 2
    )


def test_a_run_is_resumed_with_its_counters(folder: Path, printed: Printed) -> None:
    lines = (folder / "counted.ndjson").read_text().splitlines(keepends=True)
    (folder / "cut.ndjson").write_text("".join(lines[:3]))
    printed("run", "--resume", "cut.ndjson")
    for row in rows(printed("report", "cut.ndjson", "--format", "csv")):
        assert float(row["forward_instructions_median"]) > 1000


def test_a_machine_without_counters_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    with counting(tmp_path, ABSENT) as program:
        for command in (("run",), ("compare", "--env", "A:SOME=1", "--env", "B:SOME=2")):
            ended = program(*command, *CASES, "--counters", "instructions", "--count-by", "processor")
            assert (ended.returncode, ended.stdout) == (2, "")
            (line,) = ended.stderr.splitlines()
            assert "--counters instructions can't be used: " in line


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("run", "--clock", "instructions"), "No such option '--clock'."),
        (("compare", "a.ndjson", "b.ndjson", "--clock", "instructions"), "'instructions' is not one of 'kernel'"),
        (("run", "--counters", "misses"), "invalid counters 'misses': expected instructions or cycles"),
        (("compare", "a.ndjson", "b.ndjson", "--counters", "misses"), "expected instructions or cycles"),
    ],
)
def test_a_mistake_names_the_option(program: Program, line: tuple[str, ...], words: str) -> None:
    ended = program(*line)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in " ".join(ended.stderr.split())
