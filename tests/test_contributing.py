"""Adding an operator is one file: the ten lines that CONTRIBUTING.md shows, in a package that lacks them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autoperf.core.outcome import Status
from autoperf.results.runfile import read_run

ROOT = Path(__file__).parents[1]
NAME = "one_hot"
TEN_LINES = 12
QUICK = ("--samples", "2", "--warmup", "1", "--runs", "3")


@pytest.fixture(scope="module")
def snippet() -> str:
    """The rule that CONTRIBUTING.md shows."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def without(tmp_path: Path) -> Path:
    """A copy of the package in which no rule speaks for the operator."""
    copy = tmp_path / "autoperf"
    shutil.copytree(ROOT / "autoperf", copy, ignore=shutil.ignore_patterns("__pycache__"))
    hidden = 0
    for file in (copy / "rules" / "operators").glob("*.py"):
        text = file.read_text()
        hidden += text.count(f'"{NAME}"')
        file.write_text(text.replace(f'"{NAME}"', f'"hidden_{NAME}"'))
    assert hidden
    return tmp_path


def program(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the copy's program in its folder."""
    return subprocess.run(
        [sys.executable, "-m", "autoperf", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder) if (folder / "autoperf").is_dir() else str(ROOT)},
    )


def row(folder: Path, *options: str) -> dict[str, object]:
    done = program(folder, "discover", "--operator", NAME, "--format", "json", *options)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["operators"]
    return dict(found)


def test_it_takes_ten_lines(snippet: str) -> None:
    assert sum(bool(line.strip()) for line in snippet.splitlines()) < TEN_LINES


@pytest.mark.parametrize("handed_in", [False, True], ids=["in the package", "with --rules"])
def test_one_file_is_all_that_an_operator_needs(without: Path, snippet: str, handed_in: bool) -> None:
    assert row(without)["status"] == "uncovered"
    assert "no rule makes inputs for it" in program(without, "generate", "--operator", NAME, "--output", "none").stderr

    file = without / "mine.py" if handed_in else without / "autoperf" / "rules" / "operators" / "mine.py"
    file.write_text(snippet)
    options = ("--rules", str(file)) if handed_in else ()
    source = f"{'user_rules' if handed_in else 'rules/operators'}/mine.py:{NAME}"

    found = row(without, *options)
    assert (found["status"], found["category"]) == ("covered", "indexing")
    assert found["rule"] == {"tier": "exact", "source": source}

    made = program(without, "generate", "--operator", NAME, "--samples", "2", "--output", "suite", *options)
    assert (made.returncode, made.stderr) == (0, "")
    text = (without / "suite" / "indexing" / f"{NAME}.py").read_text()
    assert f"Inputs by {source} (exact rule)" in text
    assert text.count("@case(") == 3

    measured = program(without, "run", "--operator", NAME, *QUICK, "--output", "run.ndjson", *options)
    assert measured.returncode == 0, measured.stderr
    outcomes = read_run(without / "run.ndjson").outcomes
    assert [outcome.status for outcome in outcomes] == [Status.MEASURED] * 3
    assert [outcome.profile for outcome in outcomes] == ["common", "drawn", "drawn"]


def test_a_made_up_name_is_told_by_each_command(tmp_path: Path, snippet: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(snippet.replace(f'"{NAME}"', f'"{NAME}", "two_hot"'))
    told = "user_rules/mine.py:one_hot is for an operator that is not in MXNet 1.9.1: unknown operator 'two_hot'"
    for command in (("discover",), ("generate", "--output", "suite"), ("run", *QUICK)):
        done = program(tmp_path, *command, "--operator", NAME, "--rules", str(file))
        assert done.returncode == 0, done.stderr
        assert told in done.stderr
    asked = program(tmp_path, "run", "--operator", "two_hot", "--rules", str(file))
    assert asked.returncode == 2
    assert "unknown operator 'two_hot'" in asked.stderr.splitlines()[-1]
