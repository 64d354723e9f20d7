"""A hook of MkDocs: makes the page of all options from the commands, so that it isn't kept anywhere else."""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Iterator

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from autoperf.cli.command import GROUPS
from autoperf.cli.main import COMMANDS
from autoperf.reports.layout import cells, heading

PAGE = "reference/options.md"
COLUMNS = [("option", False), ("commands", False), ("meaning", False)]
OTHER = "Other"
INTRODUCTION = """# Options

All options. An option with several meanings has several rows. The help of a command has the defaults.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the page to the site."""
    files.append(File.generated(config, PAGE, content=page()))
    return files


def page() -> str:
    """A table for each group of options, in the order of the help."""
    meanings: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, command in commands():
        for option in command.params:
            if isinstance(option, click.Option):
                meanings[_spelled(option)][option.help or ""].append(name)
    titles = {flag: title for title, flags in GROUPS.items() for flag in flags}
    tables = {title: heading(COLUMNS) for title in (*GROUPS, OTHER)}
    for spelled, by_meaning in meanings.items():
        for meaning, names in by_meaning.items():
            row = (spelled, ", ".join(names), meaning)
            tables[titles.get(spelled.partition(" ")[0], OTHER)] += cells(row)
    return INTRODUCTION + "".join(f"\n## {title}\n\n{table}" for title, table in tables.items())


def commands() -> Iterator[tuple[str, click.Command]]:
    """The commands by name, those of groups too: `history add`."""
    for name in COMMANDS:
        command = getattr(importlib.import_module(f"autoperf.cli.{name}"), name)
        if isinstance(command, click.Group):
            yield from ((f"{name} {part}", each) for part, each in command.commands.items())
        else:
            yield name, command


def _spelled(option: click.Option) -> str:
    """The flag with its metavar."""
    return f"{option.opts[0]} {option.metavar or ''}".rstrip()
