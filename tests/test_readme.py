"""The README shows what the program prints, and names only options that exist."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.command_lines import parse, shown_commands
from tests.scripts import load_script
from tools.page_blocks import block_of

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
COMMANDS = shown_commands(README)


@pytest.fixture(scope="module")
def refresh() -> ModuleType:
    return load_script("tools", "refresh.py")


@pytest.mark.parametrize("block", ["discover", "totals", "file"])
def test_a_block_is_what_the_program_prints(refresh: ModuleType, block: str) -> None:
    assert refresh.content(block).strip("\n") == block_of(README, block)


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_line_parses(line: str) -> None:
    assert parse(line).params


def test_the_readme_shows_commands() -> None:
    assert len(COMMANDS) > 10
