"""The workflow that is handed out uses commands and options that exist, and nothing but pip and autoperf."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command_lines import parse

WORKFLOW = (Path(__file__).parents[1] / "docs" / "ci" / "nightly.yml").read_text()
COMMANDS = re.findall(r"(?:run: |\s{2,}|#\s+|&& )(autoperf [a-z].*?)(?= \|\| | && | > |\n)", WORKFLOW)


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_parses(line: str) -> None:
    assert parse(line).params


def test_measuring_comparing_and_making_what_is_expected_are_there() -> None:
    commands = ["run", "report", "doctor", "run", "report", "history", "history", "compare", "compare"]
    assert [line.split()[1] for line in COMMANDS] == commands


def test_nothing_but_pip_and_autoperf_is_run() -> None:
    steps = re.findall(r"- (?:name: .*\n(?:.*if: .*\n)?\s+)?run: (\S+)", WORKFLOW)
    assert set(steps) == {"pip", "autoperf", "|"}
