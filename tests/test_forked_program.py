"""A fork answers as a process of its own does, and the next one has nothing of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forked_program import WIDTH, Program


@pytest.mark.parametrize("arguments", [("--version",), ("report", "none.ndjson"), ("run", "--samples", "0"), ()])
def test_it_answers_as_a_process_of_its_own(program: Program, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "autoperf", *arguments]
    environment = {**os.environ, "COLUMNS": WIDTH}
    alone = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    forked = program(*arguments, cwd=tmp_path)
    assert (forked.returncode, forked.stdout, forked.stderr) == (alone.returncode, alone.stdout, alone.stderr)


def test_variables_and_folders_are_those_of_one_call(program: Program, tmp_path: Path) -> None:
    told = program("discover", env={"AUTOPERF_CACHE": "~nobody-here/x"}, cwd=tmp_path)
    assert "~nobody-here/x" in told.stderr
    assert program("--version").stderr == ""
