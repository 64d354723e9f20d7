"""The README shows what the program prints, and names only options that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from types import ModuleType

import click
import pytest

from autoperf.cli.main import autoperf
from tests.scripts import load_script

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
COMMANDS = sorted(set(re.findall(r"^(?:    |\$ )+(autoperf [a-z].*?)(?:\s+#.*)?$", README, re.MULTILINE)))


@pytest.fixture(scope="module")
def refresh() -> ModuleType:
    return load_script("docs", "refresh.py")


@pytest.mark.parametrize("block", ["discover", "totals", "file"])
def test_a_block_is_what_the_program_prints(refresh: ModuleType, block: str) -> None:
    assert refresh.fill(README, block, refresh.BLOCKS[block]()) == README


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_line_parses(line: str) -> None:
    name, *words = shlex.split(line.partition(" > ")[0])
    command: click.Command | None = autoperf
    context: click.Context | None = None
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context)
        name, *words = words
        command = command.get_command(context, name)
    assert command, f"no command {name}"
    parsed = command.make_context(name, words, parent=context, resilient_parsing=False)
    assert parsed.params


def test_the_readme_shows_commands() -> None:
    assert len(COMMANDS) > 10
