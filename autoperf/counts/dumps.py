"""Reads callgrind's dumps: the own instructions of each function, and which functions call it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from autoperf.core.errors import CounterError

_NAME = re.compile(r"(c?(?:fn|ob))=\((\d+)\)(?: (.*))?")
_COST = re.compile(r"[-+*\d]\S* (\d+)")


class CodeFunction(NamedTuple):
    """A function, and the file of the object that has it."""

    object: str
    name: str


class Dump(NamedTuple):
    """The own instructions of each function, and the instructions that calls of a function took, by their caller."""

    own: Counter[CodeFunction]
    calls: dict[CodeFunction, Counter[CodeFunction]]


def read_dump(path: Path) -> Dump:
    """Reads a dump. Raises CounterError for a file that can't be read, or isn't one."""
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            if next(lines, "") != "# callgrind format\n":
                raise CounterError(f"invalid dump of counts {path}: expected callgrind's format")
            return _read(lines)
    except OSError as error:
        raise CounterError(f"no counts can be read: {error}") from error


class _CompressedNames:
    """The compressed names of a dump: a number, and at its first mention the name."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}

    def expand(self, kind: str, number: str, name: str | None) -> str:
        if name is not None:
            self._known[kind, number] = name
        return self._known[kind, number]


def _read(lines: Iterable[str]) -> Dump:
    """The format: https://valgrind.org/docs/manual/cl-format.html."""
    dump, names = Dump(Counter(), {}), _CompressedNames()
    current, callee = CodeFunction("", ""), CodeFunction("", "")
    is_call = False
    for kind, value in _tokens(lines, names):
        if kind == "fn":
            current = CodeFunction(current.object, value)
        elif kind == "ob":
            current = CodeFunction(value.rpartition("/")[2], current.name)
        elif kind == "cob":
            callee = CodeFunction(value.rpartition("/")[2], callee.name)
        elif kind == "cfn":
            # Without a line of its own, a called function is of the caller's object.
            callee = CodeFunction(callee.object or current.object, value)
        elif kind == "calls":
            is_call = True
        elif is_call:
            dump.calls.setdefault(callee, Counter())[current] += int(value)
            is_call, callee = False, CodeFunction("", "")
        else:
            dump.own[current] += int(value)
    return dump


def _tokens(lines: Iterable[str], names: _CompressedNames) -> Iterator[tuple[str, str]]:
    """The kind and the value of each line that names a function or an object, announces a call, or has a cost."""
    for line in lines:
        if cost := _COST.match(line):
            yield "cost", cost[1]
        elif named := _NAME.match(line):
            kind = named[1]
            yield kind, names.expand(kind.removeprefix("c"), named[2], named[3])
        elif line.startswith("calls="):
            yield "calls", ""
