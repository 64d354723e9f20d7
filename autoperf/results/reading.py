"""Reads a run file an outcome at a time, also one that was cut off; an index finds an outcome again by its case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import msgspec

from autoperf.core.errors import CaseFileError
from autoperf.core.ndjson import check_header, decode_line
from autoperf.core.outcome import Outcome
from autoperf.results.runfile import VERSION, RunEnd, RunHeader


class _Key(msgspec.Struct, frozen=True):
    """What the index needs of a line; the rest of it isn't decoded."""

    type: str
    case: str = ""


class RunReader:
    """An open run file: its header at once, its outcomes by walking it or by their cases' ids.

    A context manager. What a killed run left of a last line is left out, and `notices` says so; everything else that
    is broken raises CaseFileError with the line. Between them, only the ids and where they stand are kept.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file and walks through it once. Raises CaseFileError if it is no run file, or is broken."""
        self.path = path
        self.notices: tuple[str, ...] = ()
        self.end: RunEnd | None = None
        self._places: dict[str, tuple[int, int]] = {}
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise CaseFileError(f"can't read {path}: {error.strerror}") from error
        try:
            self.header = self._first()
            self._walk()
        except OSError as error:
            self._file.close()
            raise CaseFileError(f"can't read {path}: {error.strerror}") from error
        except CaseFileError:
            self._file.close()
            raise

    def __enter__(self) -> RunReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __len__(self) -> int:
        """How many cases the file has an outcome of."""
        return len(self._places)

    def __contains__(self, case: str) -> bool:
        """Whether there is an outcome of the case with this id."""
        return case in self._places

    def __iter__(self) -> Iterator[Outcome]:
        """The outcomes in the order in which they were measured; of a case that is there twice, the last."""
        for case in self._places:
            yield self.outcome(case)

    def outcome(self, case: str) -> Outcome:
        """The outcome of the case with this id. Raises KeyError for another, CaseFileError for a broken line."""
        offset, number = self._places[case]
        self._file.seek(offset)
        return decode_line(self.path, number, self._file.readline(), Outcome)

    def _first(self) -> RunHeader:
        line = self._file.readline()
        if not line:
            raise CaseFileError(f"{self.path} is empty, so it is no run file")
        check_header(self.path, line, "run", VERSION, "read it with the autoperf that wrote it")
        return decode_line(self.path, 1, line, RunHeader)

    def _walk(self) -> None:
        repeated: list[str] = []
        cut, number = "", 1
        offset = self._file.tell()
        while line := self._file.readline():
            number += 1
            if not line.endswith(b"\n"):
                cut = f" within line {number}, which is left out"
                break
            self._enter(number, line, offset, repeated)
            offset += len(line)
        if self.end is None:
            self._notice(f"the run was cut off after {len(self)} outcomes{cut}")
        elif not self.end.complete:
            self._notice(f"the run was interrupted after {len(self)} outcomes")
        if repeated:
            self._notice(f"{len(repeated)} outcomes are of a case that comes again ({repeated[0]}); the last counts")

    def _enter(self, number: int, line: bytes, offset: int, repeated: list[str]) -> None:
        if self.end is not None:
            raise CaseFileError(f"{self.path}, line {number}: the run ends in line {number - 1}, but the file goes on")
        key = decode_line(self.path, number, line, _Key)
        if key.type == "end":
            self.end = self._checked(number, line)
            return
        if key.type != "outcome" or not key.case:
            raise CaseFileError(f"{self.path}, line {number}: is neither an outcome of a case nor the end of the run")
        if key.case in self._places:
            repeated.append(key.case)
        self._places[key.case] = (offset, number)

    def _checked(self, number: int, line: bytes) -> RunEnd:
        end = decode_line(self.path, number, line, RunEnd)
        if end.asked != number - 2:
            raise CaseFileError(
                f"{self.path}, line {number}: the run says {end.asked} outcomes, but the file has {number - 2}: "
                "lines are missing"
            )
        return end

    def _notice(self, text: str) -> None:
        self.notices = (*self.notices, f"{self.path}: {text}")
