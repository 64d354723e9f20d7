"""Every option of every command has a help text."""

from __future__ import annotations

import importlib

import click
import pytest

from autoperf.cli.command import COMMON, GROUPS, MIN_OPTIONS, group_options
from autoperf.cli.main import COMMANDS
from tests.forked_program import Program

SCRIPTS = {"file": "scripts", "recheck": "scripts"}
"""The commands behind `python FILE`, by their module."""


def commands_of(name: str) -> list[click.Command]:
    command = getattr(importlib.import_module(f"autoperf.cli.{SCRIPTS.get(name, name)}"), name)
    return list(command.commands.values()) if isinstance(command, click.Group) else [command]


@pytest.mark.parametrize("name", [*COMMANDS, *SCRIPTS])
def test_every_option_has_a_help_text(name: str) -> None:
    commands = commands_of(name)
    assert all(each.help for each in commands)
    options = [option for each in commands for option in each.params if isinstance(option, click.Option)]
    assert options
    assert [option.opts[0] for option in options if not option.help] == []


@pytest.mark.parametrize("name", [*COMMANDS, *SCRIPTS])
def test_every_option_of_a_long_help_has_a_group(name: str) -> None:
    known = {flag for flags in GROUPS.values() for flag in flags}
    for command in commands_of(name):
        flags = {each.opts[0] for each in command.params if isinstance(each, click.Option)}
        groups = group_options(command.name, command.params)
        if len(flags) < MIN_OPTIONS:
            assert not groups
            continue
        assert flags <= known
        assert sorted(option.opts[0] for group in groups for option in group) == sorted(flags)


def test_groups_name_each_option_once_and_none_that_is_gone() -> None:
    named = [flag for flags in GROUPS.values() for flag in flags]
    commands = [command for name in (*COMMANDS, *SCRIPTS) for command in commands_of(name)]
    options = {option.opts[0] for command in commands for option in command.params}
    assert len(named) == len(set(named))
    assert set(named) <= options


@pytest.mark.parametrize("name", ["run", "compare", "hunt", "generate"])
def test_help_begins_with_the_ten_common_options(program: Program, name: str) -> None:
    text = program(name, "--help").stdout
    groups = {group.title: group for group in group_options(name, commands_of(name)[0].params)}
    assert next(iter(groups)) == COMMON
    assert len(groups[COMMON]) == 10
    titles = [line.removesuffix(":") for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles == [*groups, "Other options"]
    assert text.index(f"{COMMON}:") < text.index("--operator NAME") < text.index("What to measure:")
