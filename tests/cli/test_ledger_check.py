"""The coverage gate end to end: what was lost or appeared is a finding, what was gained is told."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.forked_program import Program

LEDGERS = Path(__file__).parents[2] / "ledgers"


@pytest.fixture(scope="module")
def written(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of the installed MXNet, as the program writes it."""
    file = tmp_path_factory.mktemp("ledger") / "ledger.json"
    done = program("discover", "--write-ledger", str(file))
    assert (done.returncode, done.stdout) == (0, f"611 operators of MXNet 1.9.1 in {file}\n")
    return file


@pytest.fixture
def ledger(written: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copy(written, tmp_path))


def edit(ledger: Path, name: str, line: str) -> None:
    """Replace an operator's line; an empty one takes it out."""
    text, count = re.subn(rf'^"{name}": .*\n', line, ledger.read_text(), flags=re.MULTILINE)
    assert count == 1
    ledger.write_text(text)


def test_nothing_lost_is_no_finding(program: Program, ledger: Path) -> None:
    done = program("discover", "--check", str(ledger))
    assert done.returncode == 0
    assert " ".join(done.stdout.split()) == f"MXNet 1.9.1, 611 operators, against {ledger}: no change"


def test_losses_and_newcomers_are_findings_with_their_names(program: Program, ledger: Path) -> None:
    edit(ledger, "_contrib_fft", '"_contrib_fft": {"status":"covered","category":"misc","differentiable":true},\n')
    edit(ledger, "argmax", '"argmax": {"status":"covered","category":"sorting","differentiable":true},\n')
    edit(ledger, "_cvimread", '"_cvimread": {"status":"covered","category":"image","differentiable":false},\n')
    edit(ledger, "softmin", '"_gone": {"status":"covered","category":"misc"},\n')
    done = program("discover", "--check", str(ledger))
    assert done.returncode == 1
    assert "lost coverage (1 operator)\n  _contrib_fft  covered (misc, backward) -> excluded" in done.stdout
    assert "lost the backward pass (1 operator)\n  argmax" in done.stdout
    assert "backward pass no longer known (1 operator)\n  _cvimread " in done.stdout
    assert "newly registered (1 operator)\n  softmin" in done.stdout
    assert "no longer registered (1 operator)\n  _gone" in done.stdout
    assert f"refresh the ledger: autoperf discover --write-ledger {ledger}\n" in done.stdout

    found = json.loads(program("discover", "--check", str(ledger), "--format", "json").stdout)
    assert found["passed"] is False
    assert [change["operator"] for change in found["changes"]] == [
        "_contrib_fft", "argmax", "_cvimread", "softmin", "_gone",
    ]  # fmt: skip


def test_the_ledger_of_another_release_lists_names_that_came_and_went(program: Program, next_library: Path) -> None:
    path = LEDGERS / "mxnet-1.9.1.json"
    done = program("discover", "--mxnet", str(next_library), "--check", str(path))
    assert done.returncode == 1
    answer = " ".join(done.stdout.rpartition("\n\n")[2].split())
    assert answer.startswith(f"MXNet 2.0.0b1, 678 operators, against {path} of MXNet 1.9.1: ")
    assert "105 newly registered, 38 no longer registered" in answer
    assert "\n  _adabelief_update " in done.stdout.partition("newly registered (105 operators)")[2]
    # The ledger of one release isn't replaced by that of another.
    assert "refresh the ledger" not in done.stdout


def test_gains_are_told_and_the_command_named_refreshes_the_ledger(program: Program, ledger: Path) -> None:
    whole = ledger.read_text()
    edit(ledger, "exp", '"exp": {"status":"uncovered"},\n')
    edit(ledger, "sin", '"sin": {"status":"covered","category":"unary","differentiable":true},\n')
    done = program("discover", "--check", str(ledger))
    assert done.returncode == 0
    assert "gained coverage (1 operator)\n  exp" in done.stdout
    assert "changed (1 operator)\n  sin  covered (unary, backward) -> covered (trigonometric, backward)" in done.stdout
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("refresh the ledger"))
    command = line.partition(": autoperf ")[2].split()
    assert program(*command).returncode == 0
    assert ledger.read_text() == whole


def changes(program: Program, ledger: str, *options: str) -> object:
    """What differs from the committed ledger; what was lost fails by the program's own word."""
    done = program("discover", "--check", str(LEDGERS / ledger), "--format", "json", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["changes"]


def test_the_committed_ledger_of_the_installed_release_holds(program: Program) -> None:
    assert changes(program, "mxnet-1.9.1.json") == [], "nothing was lost; `make ledgers` writes down what changed"


def test_the_committed_ledger_of_the_next_release_holds(program: Program, next_library: Path) -> None:
    found = changes(program, "mxnet-2.0.0b1.json", "--mxnet", str(next_library))
    assert found == [], "nothing was lost; `make ledgers` writes down what changed"
