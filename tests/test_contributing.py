"""Adding an operator is one file: the ten lines that the guide shows, in a package that lacks them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.core.outcome import Status
from tests.forked_program import Program, copied_package, forked_program
from tools.stored_run import read_run

ROOT = Path(__file__).parents[1]
NAME = "one_hot"
TEN_LINES = 12
QUICK = ("--draws", "2", "--warmup", "1", "--samples", "3", "--processes", "1")


@pytest.fixture(scope="module")
def snippet() -> str:
    """The rule that the guide to operators of one's own shows."""
    guide = (ROOT / "docs" / "guides" / "own-operators.md").read_text().partition("\n## A rule\n")[2]
    found = re.search(r"```python\n(.*?)```", guide, re.DOTALL)
    assert found
    return found[1]


@pytest.fixture(scope="module")
def operators(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the rules in a copy of the package in which no rule speaks for the operator."""
    folder = copied_package(tmp_path_factory.mktemp("without")) / "rules" / "operators"
    speaking = [file for file in folder.glob("*.py") if f'"{NAME}"' in file.read_text()]
    assert speaking
    for file in speaking:
        file.write_text(file.read_text().replace(f'"{NAME}"', f'"hidden_{NAME}"'))
    return folder


@pytest.fixture(scope="module")
def without(operators: Path) -> Iterator[Program]:
    """The program of that copy."""
    with forked_program(operators.parents[2]) as program:
        yield program


def row(program: Program, *options: str) -> dict[str, object]:
    done = program("discover", "--operator", NAME, "--format", "json", *options)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["operators"]
    return dict(found)


def test_it_takes_ten_lines(snippet: str) -> None:
    assert sum(bool(line.strip()) for line in snippet.splitlines()) < TEN_LINES


@pytest.mark.parametrize("handed_in", [False, True], ids=["in the package", "with --rules"])
def test_one_file_is_all_that_an_operator_needs(
    without: Program, operators: Path, tmp_path: Path, request: pytest.FixtureRequest, snippet: str, handed_in: bool
) -> None:
    assert row(without)["status"] == "uncovered"
    refused = without("generate", "--operator", NAME, "--folder", str(tmp_path / "none"))
    assert "no rule makes inputs for it" in refused.stderr

    file = (tmp_path if handed_in else operators) / "mine.py"
    file.write_text(snippet)
    request.addfinalizer(file.unlink)
    options = ("--rules", str(file)) if handed_in else ()
    source = f"{'user_rules' if handed_in else 'rules/operators'}/mine.py:{NAME}"

    found = row(without, *options)
    assert (found["status"], found["category"]) == ("covered", "indexing")
    assert found["rule"] == {"tier": "exact", "source": source}

    suite, run = tmp_path / "suite", tmp_path / "run.ndjson"
    made = without("generate", "--operator", NAME, "--draws", "2", "--folder", str(suite), *options)
    assert (made.returncode, made.stderr) == (0, "")
    text = (suite / "indexing" / f"{NAME}.py").read_text()
    assert f"Inputs by {source} (exact rule)" in text
    assert text.count("@case(") == 3

    measured = without("run", "--operator", NAME, *QUICK, "--run-file", str(run), *options)
    assert measured.returncode == 0, measured.stderr
    outcomes = read_run(run).outcomes
    assert [outcome.status for outcome in outcomes] == [Status.MEASURED] * 3
    assert [outcome.profile for outcome in outcomes] == ["common", "drawn", "drawn"]


def test_a_made_up_name_is_told_by_each_command(program: Program, tmp_path: Path, snippet: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(snippet.replace(f'"{NAME}"', f'"{NAME}", "two_hot"'))
    told = "user_rules/mine.py:one_hot is for an operator that is not in MXNet 1.9.1: unknown operator 'two_hot'"
    for command in (("discover",), ("generate", "--folder", "suite"), ("run", *QUICK)):
        done = program(*command, "--operator", NAME, "--rules", str(file), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert told in done.stderr
    asked = program("run", "--operator", "two_hot", "--rules", str(file), cwd=tmp_path)
    assert asked.returncode == 2
    assert "unknown operator 'two_hot'" in asked.stderr.splitlines()[-1]
