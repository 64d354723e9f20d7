"""A backend that the package doesn't know runs through the commands: the seam holds without MXNet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.backends.toy import TOY
from tests.forked_program import Program
from tools.stored_run import read_run

FRAMEWORK = ("--framework", TOY.name)
CASES = ("--operator", "exp", "--operator", "broadcast_add", "--input-profile", "small")
QUICK = ("--warmup", "1", "--samples", "3", "--processes", "2")


@pytest.fixture(scope="module")
def complete(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("toy") / "run.ndjson"
    done = program("run", *FRAMEWORK, *CASES, *QUICK, "--run-file", str(file))
    assert done.returncode == 0, done.stderr
    return file


def test_a_run_has_wall_times_and_nothing_else(complete: Path) -> None:
    run = read_run(complete)
    assert run.header.mxnet == np.__version__
    assert run.machines[0].environment.mxnet["library"] == "numpy"
    assert [outcome.operator for outcome in run.outcomes] == ["broadcast_add", "exp"]
    for outcome in run.outcomes:
        assert outcome.forward
        assert outcome.forward.wall_us
        assert (outcome.forward.kernel_us, outcome.forward.notes) == (None, ())
        assert (outcome.backward, outcome.memory) == (None, None)
        assert outcome.outputs


def test_a_report_shows_it(program: Program, complete: Path) -> None:
    done = program("report", str(complete), "--format", "json")
    assert done.returncode == 0, done.stderr
    assert {row["operator"] for row in json.loads(done.stdout)["outcomes"]} == {"exp", "broadcast_add"}


def test_two_sides_are_compared_in_turn(program: Program) -> None:
    done = program("compare", *FRAMEWORK, *FRAMEWORK, *CASES, *QUICK, "--format", "json", "--max-time", "50ms")
    assert done.returncode in (0, 1, 3), done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)["cases"]
    assert {row["operator"] for row in rows} == {"exp", "broadcast_add"}


def cut(complete: Path, folder: Path) -> Path:
    """The same run as if it had been killed after its first outcome."""
    file = folder / "run.ndjson"
    file.write_bytes(b"".join(complete.read_bytes().splitlines(keepends=True)[:2]))
    return file


def test_a_killed_run_is_resumed(program: Program, complete: Path, tmp_path: Path) -> None:
    file = cut(complete, tmp_path)
    done = program("run", "--resume", str(file), *FRAMEWORK)
    assert done.returncode == 0, done.stderr
    assert [outcome.case for outcome in read_run(file).outcomes] == [each.case for each in read_run(complete).outcomes]


@pytest.mark.parametrize("frameworks", [[TOY.name], []], ids=["as written", "in the settings alone"])
def test_a_stored_framework_that_names_code_is_not_imported_on_its_word(
    program: Program, complete: Path, tmp_path: Path, frameworks: list[str]
) -> None:
    file = cut(complete, tmp_path)
    header, *rest = file.read_text().splitlines(keepends=True)
    stored = json.loads(header)
    assert (stored["options"]["frameworks"], stored["options"]["settings"]["framework"]) == ([TOY.name], TOY.name)
    stored["options"]["frameworks"] = frameworks
    file.write_text("".join([json.dumps(stored) + "\n", *rest]))
    done = program("run", "--resume", str(file))
    assert done.returncode == 2
    assert f"names code that its resume would run: --framework {TOY.name}" in done.stderr


def test_reports_name_the_framework_of_the_run(program: Program, complete: Path) -> None:
    version = f"NumPy {np.__version__}"
    for shown in (program("report", str(complete)), program("compare", str(complete), str(complete))):
        assert version in shown.stdout
        assert "MXNet" not in shown.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("hunt", "--operator", "exp"), ("doctor",), ("releases", "list"),
        ("capture", "resnet18_v1", "--cases-file", "x.ndjson"), ("generate", "--folder", "x"),
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_a_command_for_mxnet_alone_refuses_another_framework(program: Program, command: tuple[str, ...]) -> None:
    done = program(*command, *FRAMEWORK)
    name = " ".join(command[: 2 if command[0] == "releases" else 1])
    said = f"autoperf: `autoperf {name}` is for MXNet alone: leave out --framework {TOY.name}\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_an_unknown_framework_is_refused(program: Program) -> None:
    done = program("run", "--framework", "numpi", *CASES)
    assert (done.returncode, done.stderr) == (
        2,
        "autoperf: unknown framework 'numpi': expected mxnet, numpy, torch, jax, torch:compile, jax:jit\n",
    )
