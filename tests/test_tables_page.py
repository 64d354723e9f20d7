"""docs/reference/tables.md shows what the program prints of the stored runs."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from autoperf.cli.main import run as command_line
from autoperf.core.errors import Exit
from tests.scripts import load_script

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "tables.md"
EXAMPLES = load_script("tools", "examples.py").examples(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", EXAMPLES)
def test_an_example_is_what_the_program_prints(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT / "tests" / "data" / "stored")
    monkeypatch.setenv("COLUMNS", "100")
    assert command_line(shlex.split(command)[1:]) == Exit.FINE
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert EXAMPLES[command] == printed


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 2
