"""Cases in a file: NDJSON with a header line, so that inputs made once can be run again, anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, OutputError

T = TypeVar("T")
VERSION = 1


class CasesHeader(msgspec.Struct, frozen=True, tag_field="type", tag="cases"):
    """The first line: the format's version and where the cases come from."""

    version: int
    autoperf: str
    mxnet: str
    seed: int


class CaseLine(msgspec.Struct, frozen=True, tag_field="type", tag="case"):
    """One case under its id, which readers check against the content."""

    id: str
    case: Case


def write_cases(path: Path, header: CasesHeader, cases: Iterable[Case]) -> int:
    """Write a case file; how many cases it holds. Raises OutputError."""
    count = 0
    try:
        with path.open("wb") as file:
            file.write(msgspec.json.encode(header) + b"\n")
            for case in cases:
                file.write(msgspec.json.encode(CaseLine(case.id, case)) + b"\n")
                count += 1
    except OSError as error:
        raise OutputError(f"can't write the case file {path}: {error.strerror}") from error
    return count


def read_cases(path: Path) -> Iterator[Case]:
    """The cases of a file, one by one. Raises CaseFileError that names the line."""
    try:
        with path.open("rb") as file:
            _check_header(path, file.readline())
            for number, line in enumerate(file, 2):
                yield _case(path, number, line)
    except OSError as error:
        raise CaseFileError(f"can't read the case file {path}: {error.strerror}") from error


def _check_header(path: Path, line: bytes) -> None:
    header = _decode(path, 1, line, dict[str, Any])
    if header.get("type") != "cases":
        raise CaseFileError(f"{path} is no case file: its first line has type {header.get('type')!r}, not 'cases'")
    if header.get("version") != VERSION:
        raise CaseFileError(
            f"{path} has version {header.get('version')!r} of the case format; this autoperf reads version {VERSION}: "
            "make the cases again with `autoperf generate`"
        )


def _case(path: Path, number: int, line: bytes) -> Case:
    if not line.endswith(b"\n"):
        raise CaseFileError(f"{path}, line {number}: the file ends within the line; it was truncated")
    entry = _decode(path, number, line, CaseLine)
    if entry.case.id != entry.id:
        raise CaseFileError(f"{path}, line {number}: the case says {entry.id} but its content is {entry.case.id}")
    return entry.case


def _decode(path: Path, number: int, line: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError as error:
        raise CaseFileError(f"{path}, line {number}: {error}") from error
    except UnicodeDecodeError as error:
        raise CaseFileError(f"{path}, line {number}: not UTF-8 text") from error
