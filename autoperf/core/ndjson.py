"""Reads NDJSON files of a format that has a header line, and says in which line what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from autoperf.core.errors import CaseFileError

T = TypeVar("T")


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines, numbered from 1. Raises CaseFileError if the file can't be read, or ends within a line."""
    try:
        with path.open("rb") as file:
            for number, line in full_lines(path, file):
                if not line.endswith(b"\n"):
                    raise CaseFileError(
                        f"{path}, line {number}: the file ends within the line, so it was truncated there; "
                        f"remove the line to read the {number - 1} before it"
                    )
                yield number, line
    except OSError as error:
        raise CaseFileError(f"can't read {path}: {error.strerror}") from error


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
    stranger = _stranger(msgspec.json.decode(line), msgspec.to_builtins(value))
    if stranger:
        raise CaseFileError(f"{path}, line {number}: {stranger[1:]!r} is no key that this autoperf knows; remove it")


def _stranger(said: Any, known: Any) -> str:
    """Where something is said that isn't known: `case.inputs[0].colour`; empty if nowhere."""
    pairs: Iterable[tuple[str, Any, Any]] = ()
    if isinstance(said, dict) and isinstance(known, dict):
        unknown = next((key for key in said if key not in known), None)
        if unknown is not None:
            return f".{unknown}"
        pairs = ((f".{key}", value, known[key]) for key, value in said.items())
    elif isinstance(said, list) and isinstance(known, list | tuple):
        pairs = ((f"[{place}]", one, other) for place, (one, other) in enumerate(zip(said, known, strict=False)))
    return next((f"{key}{found}" for key, one, other in pairs if (found := _stranger(one, other))), "")


def decode_line(path: Path, number: int, line: bytes, kind: type[T]) -> T:
    """The line as a value of this type. Raises CaseFileError."""
    if not line.strip():
        raise CaseFileError(f"{path}, line {number}: is empty")
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError as error:
        raise CaseFileError(f"{path}, line {number}: {error}") from error
    except UnicodeDecodeError as error:
        raise CaseFileError(f"{path}, line {number}: not UTF-8 text") from error
    except RecursionError as error:
        raise CaseFileError(f"{path}, line {number}: nested too deeply") from error
