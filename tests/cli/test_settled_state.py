"""Figures of calls with several megabytes are of the settled state: held against a plain loop by page faults."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.core.outcome import FigureWarning, Outcome, Pass
from autoperf.executor.fresh_memory import FAULT_NS, KEEP_MEMORY, NEGLIGIBLE
from autoperf.results.run_reader import RunReader
from tests.forked_program import Program

LOOP = Path(__file__).parents[2] / "benches" / "plain_calls.py"
OPERATORS = ("exp", "relu", "softmax", "sigmoid", "broadcast_add")
ANY_SPEED = "1e9"
PAGES_OF_8_MIB = 2048
# glibc gives each block of this size back to Linux at the end of a call, for good.
MAPPED = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}


def passes(outcome: Outcome) -> Iterator[Pass]:
    return (run for run in (outcome.forward, outcome.backward) if run)


@pytest.fixture
def large(program: Program, tmp_path: Path) -> Path:
    words = [word for name in OPERATORS for word in ("--operator", name)]
    program("generate", *words, "--draws", "0", "--input-profile", "large", "--folder", str(tmp_path / "suite"))
    return tmp_path / "suite" / "cases.ndjson"


def test_large_calls_take_no_more_fresh_memory_than_a_plain_loop(
    program: Program, large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "run.ndjson"
    program("run", "--cases", str(large), "--processes", "2", "--max-time", "50ms", "--run-file", str(output))
    for name, value in KEEP_MEMORY.items():
        monkeypatch.setenv(name, value)
    with RunReader(output) as reader:
        outcomes = list(reader)
    assert {outcome.operator for outcome in outcomes} == set(OPERATORS)
    for outcome in outcomes:
        command = [sys.executable, str(LOOP), str(large), outcome.case, ANY_SPEED, "", outcome.operator, ""]
        looped = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        assert looped["settled"]
        for run in passes(outcome):
            assert run.wall_us
            assert FigureWarning.UNSETTLED not in run.wall_us.warnings
            # A fault takes a microsecond: the median is changed by 1% of itself at most, as in the loop.
            assert run.faults * FAULT_NS / 1000 <= NEGLIGIBLE * run.wall_us.median
        assert outcome.forward
        assert outcome.forward.first_us


@pytest.mark.parametrize(("warmup", "warned"), [((), False), (("--warmup", "1", "--samples", "3"), True)])
def test_what_takes_fresh_memory_for_good_is_its_time_unless_the_warm_up_was_too_short_to_know(
    program: Program, tmp_path: Path, warmup: tuple[str, ...], *, warned: bool
) -> None:
    output = tmp_path / "run.ndjson"
    selection = ("--operator", "relu", "--input", "data=32x16x64x64", "--processes", "1", "--max-time", "50ms")
    done = program("run", *selection, *warmup, "--run-file", str(output), env=MAPPED)
    with RunReader(output) as reader:
        (outcome,) = reader
    assert outcome.forward
    assert outcome.forward.wall_us
    assert outcome.forward.faults >= PAGES_OF_8_MIB
    assert min(outcome.forward.wall_us.faults) >= PAGES_OF_8_MIB
    assert (FigureWarning.UNSETTLED in outcome.forward.wall_us.warnings) == warned
    assert ("u unsettled" in done.stdout) == warned
