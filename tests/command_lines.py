"""Command lines that documents show: found in a text, and parsed as the program parses them."""

from __future__ import annotations

import re
import shlex

import click

from autoperf.cli.main import autoperf

_SHOWN = re.compile(r"^(?:    |\$ )+(autoperf [a-z].*?)(?:\s+#.*)?$", re.MULTILINE)


def shown_commands(text: str) -> list[str]:
    """The command lines of a page's blocks, without their comments, each once."""
    return sorted(set(_SHOWN.findall(text)))


def parse(line: str) -> click.Context:
    """The context of the command that a line runs; a redirection is left out. Raises what click raises for mistakes."""
    name, *words = shlex.split(line.partition(" > ")[0])
    command: click.Command | None = autoperf
    context: click.Context | None = None
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context)
        name, *words = words
        command = command.get_command(context, name)
    assert command, f"no command {name}"
    return command.make_context(name, words, parent=context)
