"""`autoperf compare` of two sides that are measured in turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autoperf.core.errors import Exit
from autoperf.core.outcome import Status
from autoperf.front.compare_sides import _size
from autoperf.measurement.settings import Settings
from autoperf.runs.run_reader import RunReader
from tests.forked_program import Program

QUICK = ("--operator", "exp", "--input-profile", "small", "--draws", "0", "--warmup", "1", "--samples", "3")


def test_two_sides_are_measured_in_turn_and_compared(program: Program, tmp_path: Path) -> None:
    keep = tmp_path / "runs.ndjson"
    sides = ("--env", "A:MXNET_CPU_WORKER_NTHREADS=1", "--env", "B:MXNET_CPU_WORKER_NTHREADS=2")
    done = program("compare", *sides, *QUICK, "--processes", "2", "--run-file", str(keep), "--format", "json")
    assert done.returncode in (0, 1, 3), done.stderr
    found = json.loads(done.stdout)
    assert {(one["pass"], one["clock"]) for one in found["cases"]} == {
        (name, clock) for name in ("forward", "backward") for clock in ("kernel", "wall")
    }
    assert found["unmatched"] == []
    words = set()
    for name, threads in (("A", "1"), ("B", "2")):
        with RunReader(tmp_path / f"runs-{name}.ndjson") as reader:
            (outcome,) = reader
            assert outcome.forward.wall_us.processes == (3, 3)
            assert outcome.forward.wall_us.turns == ((1, 1, 1),) * 2
            assert reader.header.options["settings"]["env"] == {"MXNET_CPU_WORKER_NTHREADS": threads}
            assert str(reader.path) in done.stderr
            words.add(reader.header.in_turn)
    assert len(words) == 1
    assert isinstance(words.pop(), str)
    again = program("compare", *(str(tmp_path / f"runs-{name}.ndjson") for name in "AB"), "--format", "json")
    assert json.loads(again.stdout)["cases"] == found["cases"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give two run files, BASELINE.NDJSON NEW.NDJSON, or two sides to measure"),
        (("base.ndjson",), "give two run files"),
        (("a.ndjson", "b.ndjson", "--mxnet", "1.9.1"), "leave out --mxnet, or the files"),
        (("a.ndjson", "b.ndjson", "--draws", "3"), "leave out --draws, or the files"),
        (("--mxnet", "1.9.1", "--mxnet", "1.9.1", "--mxnet", "1.9.1"), "invalid --mxnet: expected two releases, got 3"),
        (("--mxnet", "1.9.1"), "invalid --mxnet 1.9.1: expected two sides: a second --mxnet, or --env A:NAME=VALUE"),
        (("--env", "OMP_NUM_THREADS=1"), "invalid variable 'OMP_NUM_THREADS=1': expected A:NAME=VALUE or B:NAME=VALUE"),
        (("--env", "C:X=1"), "invalid variable 'C:X=1'"),
        (("--env", "A:X=1", "--operator", "no_such"), "no_such"),
    ],
)
def test_mistakes_are_told(program: Program, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    done = program("compare", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_side_that_measures_nothing_says_why(program: Program, tmp_path: Path) -> None:
    """MXNet looks at this variable when a graph is run, and not before."""
    variable = ("--env", "B:MXNET_EXEC_BULK_EXEC_TRAIN=x")
    done = program("compare", *variable, *QUICK, "--processes", "1", "--run-file", str(tmp_path / "runs.ndjson"))
    assert done.returncode == 2
    assert "side B: measured nothing: exp/" in done.stderr
    assert "failed: Invalid Parameter format for MXNET_EXEC_BULK_EXEC_TRAIN" in done.stderr
    assert "; --env gave it MXNET_EXEC_BULK_EXEC_TRAIN=x" in done.stderr


def test_within_a_time_budget_decided_cases_end_early(program: Program, tmp_path: Path) -> None:
    keep = tmp_path / "runs.ndjson"
    done = program(
        *("compare", "--mxnet", "installed", "--mxnet", "installed", "--operator", "exp", "--input-profile", "small"),
        *("--draws", "0", "--time-budget", "60s", "--threshold", "900%", "--run-file", str(keep), "--format", "json"),
    )
    assert done.returncode in {Exit.FINE, Exit.INCONCLUSIVE}, done.stderr
    assert "within 1 min 00 s; cases that are decided end early" in " ".join(done.stderr.split())
    comparison = json.loads(done.stdout)
    with RunReader(tmp_path / "runs-A.ndjson") as run:
        outcomes = list(run)
    measured = [one for one in outcomes if one.status is Status.MEASURED]
    assert len(measured) + sum(one.status is Status.SKIPPED for one in outcomes) == len(outcomes)
    processes = [len(one.forward.wall_us.processes) for one in measured]
    # Nothing is slower by ten times: two pairs of processes are enough for most.
    assert processes
    assert min(processes) == 2
    assert not any(one.forward.notes and "gave no samples" in " ".join(one.forward.notes) for one in measured)
    assert {figure["verdict"] for figure in comparison["cases"]} <= {"same", "undecided"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            Settings(max_time=1.0, processes=5),
            ": about 24 s at --max-time 1s on an idle machine",
        ),
        (Settings(max_time=0.05, processes=1), ": about 5 s at --max-time 0.05s on an idle machine"),
        (Settings(time_budget=90.0), ", within 1 min 30 s; cases that are decided end early"),
        (Settings(runs=5), ""),
    ],
)
def test_a_comparison_says_first_how_long_it_takes_and_what_lengthens_it(settings: Settings, words: str) -> None:
    (told,) = _size(settings, 2, 4)
    assert told.startswith(f"2 operators, about 4 cases on each of two sides{words}")
    assert ("calls of more than 10 ms" in told) is ("idle" in words)
