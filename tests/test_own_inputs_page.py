"""docs/guides/own-inputs.md: files can be read, and mistakes have the program's messages."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from autoperf.cases.handwritten_files import read_handwritten
from autoperf.cases.shorthand import parse_tensor
from autoperf.executor.suite import load
from tests.forked_program import Program

PAGE = (Path(__file__).parents[1] / "docs" / "guides" / "own-inputs.md").read_text(encoding="utf-8")
MISTAKES = re.findall(r"^\$ autoperf (.+)\n(.+(?:\n .+)*)$", PAGE.partition("<!-- mistakes -->")[2], re.MULTILINE)
FILES = dict(re.findall(r"```(yaml|toml|python)\n(.*?)```", PAGE, re.DOTALL))


@pytest.mark.parametrize(("line", "words"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_a_mistake_is_told_in_these_words(
    program: Program,
    line: str,
    words: str,
) -> None:
    done = program(*shlex.split(line))
    assert done.returncode == 2
    assert done.stderr.strip().endswith(words.strip())


def test_the_page_shows_mistakes() -> None:
    assert len(MISTAKES) > 5


@pytest.mark.parametrize("kind", ["yaml", "toml"])
def test_the_files_can_be_read(tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"layers.{kind}"
    file.write_text(FILES[kind])
    assert next(case.profile for case in read_handwritten(file)) == "logits"


def test_the_python_file_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(FILES["python"])
    assert [loaded.function for loaded in load(file).cases] == ["vocabulary", "first_rows"]


def test_the_parts_of_a_tensor_can_be_written() -> None:
    cells = [row.split("|")[1] for row in PAGE.splitlines() if row.startswith("| `")]
    parts = [part for cell in cells for part in re.findall(r"`([^`]+)`", cell)]
    assert len(parts) > 12
    for part in parts:
        parse_tensor(f"4x4:{part}")
