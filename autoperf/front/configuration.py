"""The repository's file, `autoperf.toml`: what is measured, and what a gate lets pass."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from autoperf.comparison.expectations import Acceptance, Expectations, Leave, Threshold
from autoperf.core.errors import CaseFileError, UnknownNameError
from autoperf.core.files import read_input
from autoperf.core.options import share_of

FILE = "autoperf.toml"
PROJECT = "pyproject.toml"
MAX_BYTES = 2**20
_NO_DATE = "Invalid RFC3339 encoded date"
Setting: TypeAlias = bool | int | float | str | list[int | float | str]


class Tables(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tables of the file."""

    measure: dict[str, Setting] = {}
    compare: dict[str, Setting] = {}
    threshold: tuple[Threshold, ...] = ()
    accept: tuple[Acceptance, ...] = ()
    different: tuple[Leave, ...] = ()


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a file: options of commands that measure and that compare, by their names, and expectations."""

    source: str = ""
    measure: Mapping[str, Setting] = {}
    compare: Mapping[str, Setting] = {}
    expectations: Expectations = Expectations()


def find_configuration(folder: Path) -> Path | None:
    """The nearest file: `autoperf.toml`, or `pyproject.toml` with `[tool.autoperf]`, up to the folder with `.git`."""
    for each in (folder, *folder.parents):
        if (each / FILE).is_file():
            return each / FILE
        project = each / PROJECT
        if project.is_file() and re.search(r"(?m)^\s*\[+tool\.autoperf\b", _text(project)):
            return project
        if (each / ".git").exists():
            return None
    return None


def read_configuration(path: Path, today: dt.date) -> Configuration:
    """The content of a file on a day. Raises CaseFileError for one that can't be read, and for invalid lines."""
    try:
        document = msgspec.toml.decode(_text(path))
    except (msgspec.DecodeError, RecursionError) as error:
        raise CaseFileError(f"{path} is no TOML: {error}") from None
    try:
        tables = msgspec.convert(_with_shares(_checked(_own(document) if path.name == PROJECT else document)), Tables)
    except (UnknownNameError, ValueError) as error:
        raise CaseFileError(f"{path}: {_placed(str(error))}") from None
    expectations = Expectations(
        source=path.name, thresholds=tables.threshold, accepted=tables.accept, different=tables.different
    )
    return Configuration(
        source=str(path), measure=tables.measure, compare=tables.compare, expectations=expectations.on(today)
    )


def _text(path: Path) -> str:
    return read_input(path, max_bytes=MAX_BYTES).decode(errors="replace")


def _own(project: Mapping[str, Any]) -> Any:
    """The program's table of a pyproject.toml; an empty one for a file without it."""
    tools = project.get("tool", {})
    return tools.get("autoperf", {}) if isinstance(tools, dict) else {}


def _checked(document: Any) -> Mapping[str, Any]:
    """The document. Raises ValueError and UnknownNameError for another table, and for a value that no option has."""
    if not isinstance(document, dict):
        raise ValueError("invalid tool.autoperf: expected a table")
    for name in document:
        if name not in Tables.__struct_fields__:
            raise UnknownNameError("table", name, Tables.__struct_fields__)
    for title in ("measure", "compare"):
        table = document.get(title)
        for key, value in table.items() if isinstance(table, dict) else ():
            _check_setting(title, key, value)
    return document


def _check_setting(title: str, key: str, value: object) -> None:
    try:
        msgspec.convert(value, Setting)
    except msgspec.ValidationError:
        expected = "expected a number, a text, true, false, or a list of numbers or texts"
        raise ValueError(f"invalid {key} {value!r:.80} in {title}: {expected}") from None


def _with_shares(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with thresholds as shares. Raises ValueError for one that isn't a text such as `10%`."""
    lines = document.get("threshold", [])
    if not isinstance(lines, list):
        raise ValueError("invalid threshold: expected lines that begin with [[threshold]]")
    return {**document, "threshold": [_with_share(number, line) for number, line in enumerate(lines, 1)]}


def _with_share(number: int, line: Any) -> Any:
    given = line.get("threshold") if isinstance(line, dict) else None
    if given is None:
        return line
    if not isinstance(given, str):
        raise ValueError(f'invalid threshold {given} in threshold {number}: expected a text, such as "10%"')
    try:
        return {**line, "threshold": share_of(given)}
    except ValueError as error:
        raise ValueError(f"{error} in threshold {number}") from None


def _placed(message: str) -> str:
    """msgspec's message with the line in words: `- at `$.accept[0].ratio`` becomes `in accept 1, ratio`."""
    message = message.replace("`object`", "a table").replace(_NO_DATE, "Expected a date, such as 2027-03-31")

    def place(match: re.Match[str]) -> str:
        path = re.sub(r"\[(\d+)\]", lambda index: f" {int(index[1]) + 1}", match[1])
        return f" in {path.replace('.', ', ')}"

    return re.sub(r" - at `\$\.(.*?)`", place, message)
