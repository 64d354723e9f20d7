"""Reads NDJSON files of a format that has a header line, and says in which line what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from autoperf.core.errors import CaseFileError, nearest
from autoperf.core.inputs import open_input

T = TypeVar("T")
MAX_LINE_BYTES = 2**30
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines, numbered from 1. Raises CaseFileError if the file can't be read, or ends within a line."""
    try:
        with open_input(path) as file:
            for number, line in full_lines(path, lines_of(path, file)):
                if not line.endswith(b"\n") and not is_document(line):
                    raise CaseFileError(
                        f"{path}, line {number}: the file ends within the line, so it was truncated there; "
                        f"remove the line to read the {number - 1} before it"
                    )
                yield number, line
    except OSError as error:
        raise CaseFileError(f"can't read {path}: {error.strerror}") from error


def lines_of(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """The lines of an open file from where it is. Raises CaseFileError for one that no memory should have to hold."""
    while line := file.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES:
            raise CaseFileError(f"can't read {path}: a line of it has more than {MAX_LINE_BYTES:,} bytes")
        yield line


def is_document(line: bytes) -> bool:
    """Whether the line is one whole JSON document, of whatever content."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return True


def full_lines(path: Path, lines: Iterable[bytes], first: int = 1) -> Iterator[tuple[int, bytes]]:
    """The lines, numbered from `first`, but for empty ones at the end. Raises CaseFileError for one before the end."""
    empty = 0
    for number, line in enumerate(lines, first):
        if not line.strip():
            empty = empty or number
        elif empty:
            raise CaseFileError(f"{path}, line {empty}: is empty, and the file goes on behind it; remove the line")
        else:
            yield number, line


def check_header(path: Path, line: bytes, kind: str, version: int, remedy: str) -> None:
    """Raises CaseFileError unless the line is the header of this kind ("run", "cases") and version.

    That is looked at before anything else, since another version may have any form.
    """
    said = decode_line(path, 1, line, dict[str, Any])
    if said.get("type") != kind:
        raise CaseFileError(f"{path} is no {kind} file: its first line has type {said.get('type')!r}, not {kind!r}")
    found = said.get("version")
    if found != version:
        raise CaseFileError(
            f"{path} has version {found!r} of the {kind} format; this autoperf reads version {version}: {remedy}"
        )


def check_known(path: Path, number: int, line: bytes, value: object) -> None:
    """Raises CaseFileError for a key of the line that the value, which was decoded from it, knows nothing of."""
    stranger = _stranger(decode_line(path, number, line, dict[str, Any]), msgspec.to_builtins(value))
    if stranger:
        place, key, known = stranger
        near = nearest(key, known)
        hint = f"did you mean {near[0]!r}?" if near else "remove it"
        raise CaseFileError(f"{path}, line {number}: {place[1:]!r} is no key that this autoperf knows; {hint}")


def _stranger(said: Any, known: Any) -> tuple[str, str, list[str]] | None:
    """Where something is said that isn't known (`case.inputs[0].colour`), its key, and those that are known there."""
    pairs: Iterable[tuple[str, Any, Any]] = ()
    if isinstance(said, dict) and isinstance(known, dict):
        unknown = next((key for key in said if key not in known), None)
        if unknown is not None:
            return f".{unknown}", unknown, [key for key in known if key not in said]
        pairs = ((f".{key}", value, known[key]) for key, value in said.items())
    elif isinstance(said, list) and isinstance(known, list | tuple):
        pairs = ((f"[{place}]", one, other) for place, (one, other) in enumerate(zip(said, known, strict=False)))
    for key, one, other in pairs:
        stranger = _stranger(one, other)
        if stranger:
            return f"{key}{stranger[0]}", *stranger[1:]
    return None


def decode_line(path: Path, number: int, line: bytes, kind: type[T]) -> T:
    """The line as a value of this type; a byte order mark before the first line is left out. Raises CaseFileError."""
    if number == 1:
        line = line.removeprefix(BYTE_ORDER_MARK)
    if not line.strip():
        raise CaseFileError(f"{path}, line {number}: is empty")
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError as error:
        half = not isinstance(error, msgspec.ValidationError) and _HALF_CHARACTER.search(line)
        cause = "; it has half a character, such as \\ud800" if half else ""
        raise CaseFileError(f"{path}, line {number}: {error}{cause}") from error
    except UnicodeDecodeError as error:
        raise CaseFileError(f"{path}, line {number}: not UTF-8 text") from error
    except RecursionError as error:
        raise CaseFileError(f"{path}, line {number}: nested too deeply") from error
