"""`hunt --dtype` searches inputs in these dtypes only."""

from __future__ import annotations

import json
from pathlib import Path

from tests.forked_program import Program


def test_a_hunt_tries_no_other_dtype(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    done = program(
        *("hunt", "--operator", "relu", "--dtype", "float16", "--time-budget", "1s", "--max-elements", "4096"),
        *("--folder", str(folder)),
    )
    assert done.returncode in (0, 1), done.stderr
    lines = [json.loads(line) for line in (folder / "log.ndjson").read_text().splitlines()]
    cases = [line["case"] for line in lines if isinstance(line.get("case"), dict)]
    assert cases
    assert {item["tensor"]["dtype"] for case in cases for item in case["inputs"]} == {"float16"}


def test_an_unknown_dtype_is_refused(program: Program, tmp_path: Path) -> None:
    done = program("hunt", "--operator", "relu", "--dtype", "flaot16", "--folder", str(tmp_path / "hunt"))
    assert done.returncode == 2
    assert "did you mean float16" in done.stderr
