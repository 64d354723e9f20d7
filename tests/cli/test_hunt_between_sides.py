"""`autoperf hunt` between two builds or environments, as a user runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from autoperf.core.events import InputTried, PairTimed
from autoperf.runs.huntlog import read_log
from tests.forked_program import Program

ENVIRONMENTS = ("--env", "A:MXNET_USE_OPERATOR_TUNING=0", "--env", "B:MXNET_USE_OPERATOR_TUNING=1")
WORDS = [f"MXNet 1.9.1 with MXNET_USE_OPERATOR_TUNING={value}" for value in "10"]


def read(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "hunt.json").read_text())
    return document


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--mxnet", "1.9.1", "--mxnet", "1.9.1", "--mxnet", "1.9.1"), "expected one or two builds, got 3"),
        (("--faster",), "--faster needs two sides: --mxnet A --mxnet B, or --env B:NAME=VALUE"),
        (("--env", "C:A=1"), "expected A:NAME=VALUE or B:NAME=VALUE"),
        (("--env", "A:PYTHONPATH=x"), "autoperf sets it for its own processes"),
        (("--resume", "somewhere", "--faster"), "uses the options of that hunt: leave out --faster"),
    ],
)
def test_a_mistake_exits_with_two(program: Program, tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    more = () if "--resume" in options else ("--operator", "relu", "--folder", str(tmp_path / "hunt"))
    ended = program("hunt", *options, *more)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "hunt").exists()


@pytest.fixture(scope="module")
def between(
    program: Program, tmp_path_factory: pytest.TempPathFactory
) -> tuple[subprocess.CompletedProcess[str], Path]:
    """A hunt of three seconds between two environments, and its folder."""
    folder = tmp_path_factory.mktemp("hunt") / "relu"
    return program("hunt", *ENVIRONMENTS, "--operator", "relu", "--time-budget", "3s", "--folder", str(folder)), folder


def test_both_sides_are_timed_and_recorded(between: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    ended, folder = between
    document = read(folder)
    assert ended.returncode == int(bool(document["findings"])), ended.stderr
    assert [side["words"] for side in document["searched"]["sides"]] == WORDS
    header, events = read_log(folder / "log.ndjson")
    assert [side.env for side in header.sides] == [{"MXNET_USE_OPERATOR_TUNING": value} for value in "10"]
    lines = list(events)
    assert {line.side for line in lines if isinstance(line, InputTried)} == {0, 1}
    assert {line.sides for line in lines if isinstance(line, PairTimed)} <= {(1, 0)}
    (searched,) = document["searched"]["operators"]
    assert searched["tried"] == sum(isinstance(line, InputTried) and line.side == 1 for line in lines)


@pytest.mark.nightly
def test_an_operator_that_one_build_lacks_is_named(program: Program, tmp_path: Path, next_library: Path) -> None:
    builds = ("--mxnet", "installed", "--mxnet", str(next_library))
    name = "_npi_bitwise_left_shift"
    ended = program("hunt", *builds, "--operator", name, "--folder", str(tmp_path / "hunt"))
    assert ended.returncode == 0, ended.stderr
    assert f"nothing to search: MXNet 1.9.1 doesn't have it: {name}" in " ".join(ended.stdout.split())


@pytest.mark.nightly
def test_what_became_faster_is_found_and_its_replay_says_so_again(
    program: Program, tmp_path: Path, next_library: Path
) -> None:
    folder = tmp_path / "hunt"
    builds = ("--mxnet", "installed", "--mxnet", str(next_library), "--faster")
    ended = program("hunt", *builds, "--operator", "mean", "--time-budget", "40s", "--folder", str(folder))
    assert ended.returncode == 1, ended.stderr
    first = read(folder)["findings"][0]
    assert first["sides"] == ["MXNet 1.9.1", "MXNet 2.0.0b1"]
    assert first["inputs"]["case"] == first["contrast"]["case"]
    again = program(*first["replay"].split()[1:])
    assert again.returncode == 1, again.stdout
    assert "the same input on MXNet 2.0.0b1" in ended.stdout
