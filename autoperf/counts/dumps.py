"""Reads callgrind's dumps: the own instructions of each function, and which functions call it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from autoperf.core.errors import CounterError

_NAME = re.compile(r"(c?(?:fn|ob))=\((\d+)\)(?: (.*))?")
_CALLS = re.compile(r"calls=(\d+)")
_COST = re.compile(r"[-+*\d]\S* (\d+)")


class CodeFunction(NamedTuple):
    """A function, and the file of the object that has it."""

    object: str
    name: str


class Dump(NamedTuple):
    """The own instructions of each function, and the weight of its calls, by their caller.

    The weight is the instructions of a function that calls no other, else the number of its calls: what others take may
    depend on addresses, as in the allocator, and a count must not change hands by it.
    """

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
    numbers: dict[CodeFunction, Counter[CodeFunction]] = {}
    current, callee = CodeFunction("", ""), CodeFunction("", "")
    number: int | None = None
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
            number = int(value)
        elif number is not None:
            dump.calls.setdefault(callee, Counter())[current] += int(value)
            numbers.setdefault(callee, Counter())[current] += number
            number, callee = None, CodeFunction("", "")
        else:
            dump.own[current] += int(value)
    calling = {caller for callers in numbers.values() for caller in callers}
    return dump._replace(calls={**dump.calls, **{each: numbers[each] for each in calling & numbers.keys()}})


def _tokens(lines: Iterable[str], names: _CompressedNames) -> Iterator[tuple[str, str]]:
    """The kind and the value of each line that names a function or an object, announces a call, or has a cost."""
    for line in lines:
        if cost := _COST.match(line):
            yield "cost", cost[1]
        elif named := _NAME.match(line):
            kind = named[1]
            yield kind, names.expand(kind.removeprefix("c"), named[2], named[3])
        elif called := _CALLS.match(line):
            yield "calls", called[1]
