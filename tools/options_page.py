"""A hook of MkDocs: makes the page of all options, and the JSON Schemas of files, from the program."""

from __future__ import annotations

import importlib
import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, TypeAlias

import click
import msgspec
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from autoperf.cli.command import COMPARING, GROUPS, MEASURING, Tables, options_by_name
from autoperf.cli.main import COMMANDS
from autoperf.comparison.comparison import Comparison, Gate
from autoperf.core.events import LoggedEvent
from autoperf.core.outcome import Outcome
from autoperf.reports.layout import cells, heading
from autoperf.runs.huntlog import HuntHeader
from autoperf.runs.runfile import Machine, RunEnd, RunHeader
from tools.history_schema import HistoryDocument

PAGE = "reference/options.md"
SCHEMAS = "reference/{}.schema.json"
COLUMNS = [("option", False), ("commands", False), ("meaning", False)]
OTHER = "Other"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
RunLine: TypeAlias = RunHeader | Machine | Outcome | RunEnd
HuntLine: TypeAlias = HuntHeader | LoggedEvent
INTRODUCTION = """# Options

All options. An option with several meanings has several rows. The help of a command has the defaults.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the page and the schemas to the site."""
    files.append(File.generated(config, PAGE, content=page()))
    for name, schema in schemas().items():
        files.append(File.generated(config, SCHEMAS.format(name), content=json.dumps(schema, indent=2)))
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


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schemas of autoperf.toml, of a line of a run file and of a hunt's log, of a comparison and a history."""
    comparison = msgspec.json.schema(Comparison)
    gates = {"gate": {"enum": [each.value for each in Gate]}}
    comparison["$defs"][Comparison.__name__]["properties"] |= gates
    run_file, hunt_log = msgspec.json.schema(RunLine), msgspec.json.schema(HuntLine)
    made = {"autoperf": configuration(), "run-file": run_file, "hunt-log": hunt_log, "comparison": comparison}
    made["history"] = msgspec.json.schema(HistoryDocument)
    return {name: {"$schema": DRAFT, **schema} for name, schema in made.items()}


def configuration() -> dict[str, Any]:
    """The schema of autoperf.toml, with the options of `run`, and of `compare` and `gate`, in their tables."""
    made = msgspec.json.schema(Tables)
    tables = made["$defs"][Tables.__name__]["properties"]
    by_name = dict(commands())
    for title, readers, names in (("measure", ("run",), MEASURING), ("compare", COMPARING[::-1], None)):
        flags = options_by_name(*(by_name[reader] for reader in readers))
        known = {flag: _property(each) for flag, each in flags.items() if names is None or flag in names}
        tables[title] = {"type": "object", "properties": known, "additionalProperties": False}
    made["$defs"]["Threshold"]["properties"]["threshold"] = {"type": "string", "pattern": r"^\d+(\.\d*)?%?$"}
    return made


def _property(option: click.Option) -> dict[str, Any]:
    """The values of an option in the file: as on the command line, without quotes for numbers and switches."""
    words = {"description": option.help or ""}
    if option.is_flag:
        return {**words, "type": "boolean"}
    single: list[dict[str, Any]] = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]
    if isinstance(option.type, click.Choice):
        single = [{"enum": [*map(str, option.type.choices)]}, {"type": "boolean"}]
    return {**words, "anyOf": [*single, {"type": "array", "items": {"type": ["string", "number"]}}]}
