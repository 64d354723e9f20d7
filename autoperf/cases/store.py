"""Cases in a file: NDJSON with a header line, so that inputs made once can be run again, anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from autoperf.core.case import Case, check_case
from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.ndjson import check_header, decode_line, read_lines

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
    number = 0
    for number, line in read_lines(path):
        if number == 1:
            check_header(path, line, "cases", VERSION, "make the cases again with `autoperf generate`")
        else:
            yield _case(path, number, line)
    if number < 2:
        raise CaseFileError(f"{path} has no cases")


def _case(path: Path, number: int, line: bytes) -> Case:
    entry = decode_line(path, number, line, CaseLine)
    try:
        check_case(entry.case)
    except CaseFileError as error:
        raise CaseFileError(f"{path}, line {number}: {error}") from error
    if entry.case.id != entry.id:
        raise CaseFileError(f"{path}, line {number}: the case says {entry.id} but its content is {entry.case.id}")
    return entry.case
