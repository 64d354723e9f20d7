"""A dtype that MXNet refuses only when the call runs ends the same, wherever the call was measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autoperf.core.outcome import Status
from tests.forked_program import Program
from tools.stored_run import read_run

SELECTION = ("--operator", "_linalg_potrf,exp", "--dtype", "float16", "--draws", "0", "--input-profile", "small")
QUICK = ("--warmup", "0", "--samples", "2", "--processes", "1", "--format", "json")


def one_by_one(program: Program, file: Path) -> list[Path]:
    program("run", *SELECTION, *QUICK, "--run-file", str(file))
    return [file]


def in_turn(program: Program, file: Path) -> list[Path]:
    program("compare", "--mxnet", "1.9.1", "--mxnet", "1.9.1", *SELECTION, *QUICK, "--run-file", str(file))
    return [file.with_name(f"run-{side}.ndjson") for side in "AB"]


def on_a_fleet(program: Program, file: Path) -> list[Path]:
    program("run", "--cluster", "local:2", *SELECTION, *QUICK, "--run-file", str(file))
    return [file]


def resumed(program: Program, file: Path) -> list[Path]:
    one_by_one(program, file)
    lines = file.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if b'"type":"outcome"' not in line and b'"type":"end"' not in line]
    file.write_bytes(b"".join(kept))
    program("run", "--resume", str(file))
    return [file]


@pytest.mark.parametrize("measure", [one_by_one, in_turn, on_a_fleet, resumed])
def test_a_refusal_of_the_dtype_is_skipped(
    program: Program, tmp_path: Path, measure: Callable[[Program, Path], list[Path]]
) -> None:
    for file in measure(program, tmp_path / "run.ndjson"):
        found = {outcome.operator: outcome for outcome in read_run(file).outcomes}
        refused = found["_linalg_potrf"]
        assert (refused.status, refused.refused_dtype) == (Status.SKIPPED, "float16"), refused.reason
        assert refused.reason.startswith("MXNet refuses float16 at run time, but accepts float32: This operation only")
        assert found["exp"].status is Status.MEASURED
        assert refused.machine == found["exp"].machine or measure is on_a_fleet


def test_a_run_of_which_all_is_refused_is_a_mistake(program: Program, tmp_path: Path) -> None:
    """But not one whose cases were skipped for another reason."""
    words = ("--operator", "_linalg_potrf", "--draws", "0", "--input-profile", "small", *QUICK)
    refused = program("run", *words, "--dtype", "float16", "--run-file", str(tmp_path / "refused.ndjson"))
    assert refused.returncode == 2
    assert "no selected operator takes float16: MXNet refuses float16 at run time" in refused.stderr
    large = program("run", *words, "--dtype", "float64", "--memory-limit", "1KB")
    assert (large.returncode, "no selected operator takes" in large.stderr) == (1, False)
