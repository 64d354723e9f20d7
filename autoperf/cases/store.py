"""Case files: NDJSON with a header line, to run the same inputs again on any machine."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.core.case import Case, check_case
from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.files import Closable, open_input
from autoperf.core.ndjson import LazySequence, check_header, check_keys, decode_line, read_lines

VERSION = 1
MAX_GROUP = 200
_REMEDY = "make the cases again with `autoperf generate`"


class CasesHeader(msgspec.Struct, frozen=True, tag_field="type", tag="cases"):
    """The header line: the format's version and the origin of the cases."""

    version: int
    autoperf: str
    mxnet: str
    seed: int


class CaseLine(msgspec.Struct, frozen=True, tag_field="type", tag="case"):
    """A case and its id, which readers check against the content."""

    id: str
    case: Case


class CaseWriter(Closable):
    """Writes a case file incrementally; a context manager. Raises OutputError if it can't be written."""

    def __init__(self, path: Path, header: CasesHeader) -> None:
        self.count = 0
        self._path = path
        try:
            self._file = io.FileIO(path, "w")
        except OSError as error:
            raise self._write_error(error) from error
        self._write(msgspec.json.encode(header) + b"\n")

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def add(self, cases: Iterable[Case]) -> None:
        """Appends cases."""
        lines = [msgspec.json.encode(CaseLine(case.id, case)) + b"\n" for case in cases]
        self._write(b"".join(lines))
        self.count += len(lines)

    def _write(self, text: bytes) -> None:
        remaining = memoryview(text)
        try:
            while remaining:
                remaining = remaining[self._file.write(remaining) :]
        except OSError as error:
            self._file.close()
            raise self._write_error(error) from error

    def _write_error(self, error: OSError) -> OutputError:
        return OutputError(f"can't write the case file {self._path}: {error.strerror}")


def write_cases(path: Path, header: CasesHeader, cases: Iterable[Case]) -> int:
    """Writes a case file and returns its number of cases. Raises OutputError."""
    with CaseWriter(path, header) as writer:
        for case in cases:
            writer.add([case])
    return writer.count


class _Group(NamedTuple):
    """Consecutive lines of a file: the offset and the number of the first, and how many cases are selected."""

    offset: int
    line: int
    lines: int = 0
    cases: int = 0


class StoredGroups(LazySequence[tuple[Case, ...]]):
    """The cases of a file that `keep` selects, read on access, in groups of at most `limit` that fit in memory."""

    def __init__(
        self,
        path: Path,
        limit: int = MAX_GROUP,
        check: Callable[[CasesHeader, str, Case], None] | None = None,
        keep: Callable[[Case], bool] | None = None,
    ) -> None:
        """Reads the file, and checks each case with the header and its place. Raises CaseFileError with the line."""
        self._path = path
        self._keep = keep or (lambda _: True)
        groups: list[_Group] = []
        offset, last = 0, None
        for number, line in read_lines(path):
            if number == 1:
                check_header(path, line, "cases", VERSION, _REMEDY)
                header = decode_line(path, 1, line, CasesHeader)
                check_keys(path, 1, line, header)
            else:
                case = _case(path, number, line)
                if check:
                    check(header, f"{path}, line {number}", case)
                key = (case.operator, case.category)
                if key != last or groups[-1].lines == limit:
                    groups.append(_Group(offset, number))
                group = groups[-1]
                groups[-1] = group._replace(lines=group.lines + 1, cases=group.cases + self._keep(case))
                last = key
            offset += len(line)
        if not groups:
            raise CaseFileError(f"{path} has no cases")
        self._groups = [group for group in groups if group.cases]

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def cases(self) -> int:
        """The number of cases in the file."""
        return sum(group.cases for group in self._groups)

    def item(self, position: int) -> tuple[Case, ...]:
        """The cases of a group; raises CaseFileError if the file has changed."""
        group = self._groups[position]
        try:
            with open_input(self._path) as file:
                file.seek(group.offset)
                cases = (_case(self._path, group.line + step, file.readline()) for step in range(group.lines))
                return tuple(filter(self._keep, cases))
        except OSError as error:
            raise CaseFileError(f"can't read {self._path}: {error.strerror}") from error


def _case(path: Path, number: int, line: bytes) -> Case:
    entry = decode_line(path, number, line, CaseLine)
    check_keys(path, number, line, entry)
    try:
        check_case(entry.case)
    except CaseFileError as error:
        raise CaseFileError(f"{path}, line {number}: {error}") from error
    if entry.case.id != entry.id:
        raise CaseFileError(
            f"{path}, line {number}: the case says {entry.id} but its content is {entry.case.id}; "
            "if it was edited on purpose, give it that id"
        )
    return entry.case
