"""Every option of every command has a help text."""

from __future__ import annotations

import importlib

import click
import pytest

from autoperf.cli.main import COMMANDS

SCRIPTS = ("file", "recheck")


@pytest.mark.parametrize("name", [*COMMANDS, *SCRIPTS])
def test_every_option_has_a_help_text(name: str) -> None:
    command = getattr(importlib.import_module(f"autoperf.cli.{name}"), name)
    commands = list(command.commands.values()) if isinstance(command, click.Group) else [command]
    assert all(each.help for each in commands)
    options = [option for each in commands for option in each.params if isinstance(option, click.Option)]
    assert options
    assert [option.opts[0] for option in options if not option.help] == []
