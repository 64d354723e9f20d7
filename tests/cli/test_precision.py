"""How well `run` measures, and for how long: end to end, on the real MXNet."""

from __future__ import annotations

import json
from pathlib import Path

from autoperf.core.outcome import Status
from autoperf.results.run_reader import RunReader
from tests.forked_program import Program

SMALL = ("--operator", "exp", "--draws", "0", "--input-profile", "small")


def test_counts_are_exact_in_each_of_five_processes(program: Program, tmp_path: Path) -> None:
    output = tmp_path / "run.ndjson"
    program("run", *SMALL, "--warmup", "1", "--samples", "7", "--run-file", str(output))
    with RunReader(output) as reader:
        (outcome,) = reader
    for one in (outcome.forward, outcome.backward):
        for series in (one.kernel_us, one.wall_us):
            assert (series.count, series.processes, series.loops) == (35, (7,) * 5, 1)
            assert series.low <= series.median <= series.high


def test_without_counts_samples_are_taken_in_as_many_processes_as_asked_for(program: Program) -> None:
    done = program("run", *SMALL, "--processes", "2", "--max-time", "50ms", "--precision", "5%", "--format", "json")
    (outcome,) = json.loads(done.stdout)["outcomes"]
    for one in (outcome["forward"], outcome["backward"]):
        # As many again may time it where the first two disagree.
        assert 2 <= len(one["wall_us"]["processes"]) == len(one["kernel_us"]["processes"]) <= 4
        assert one["helpers_us"] >= 0
        assert one["kernel_us"]["loops"] in {1, 2, 4, 8, 16, 32, 64}
    settings = json.loads(done.stdout)["run"]["options"]["settings"]
    assert (settings["processes"], settings["max_time"], settings["precision"]) == (2, 0.05, 0.05)


def test_what_a_time_budget_does_not_hold_is_skipped_with_that_reason(program: Program, tmp_path: Path) -> None:
    output = tmp_path / "run.ndjson"
    done = program(
        "run", "--category", "sorting", "--input-profile", "small", "--time-budget", "2s", "--run-file", str(output)
    )
    assert "results: " in done.stderr
    with RunReader(output) as reader:
        outcomes = list(reader)
        assert reader.end is not None
        assert reader.end.asked == len(outcomes) == reader.end.measured + reader.end.skipped
    reasons = {one.reason for one in outcomes if one.status is Status.SKIPPED}
    assert reasons <= {"time budget of 2s ended before it"}
    operators = [one.operator for one in outcomes]
    assert operators[: len(set(operators))] != sorted(set(operators))
