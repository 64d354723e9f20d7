"""The log of a hunt: NDJSON with a header and a line for each event, perhaps packed by gzip; its reader and writer."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec

from autoperf.core import ndjson
from autoperf.core.case import Case, check_case
from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.events import (
    FindingConfirmed,
    HuntFinished,
    InputTried,
    LoggedEvent,
    PairTimed,
    ResultsCompared,
)
from autoperf.core.files import Closable, open_input
from autoperf.core.finding import SideRecord
from autoperf.core.interrupts import interrupts_deferred
from autoperf.core.outcome import FIRST
from autoperf.runs.runfile import Environment

VERSION = 1
LOG = "log.ndjson"
"""The log in the folder of a hunt, beside which it has scripts."""
PACKED = ".gz"
"""The suffix of a log that gzip packed; it can be read, and not continued."""


class HuntHeader(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hunt"):
    """The first line of a hunt. `budget` is in seconds; `sides` are the searched (slow) and the other (fast) one."""

    version: int = VERSION
    method: int = FIRST
    autoperf: str
    mxnet: str
    seed: int
    budget: float
    operators: tuple[str, ...]
    started: str
    command: tuple[str, ...]
    options: dict[str, Any]
    environment: Environment
    sides: tuple[SideRecord, ...] = ()

    def __post_init__(self) -> None:
        if len(self.sides) not in (0, 2):
            raise ValueError(f"invalid number of sides {len(self.sides)}: expected none or two")

    @property
    def threads(self) -> int | None:
        """The number of MXNet's threads, if the environment has it."""
        threads = self.environment.mxnet.get("threads")
        return threads if isinstance(threads, int) else None


# Logs are written with the type first.
_BEGIN = b'{"type":"hunt",'
_REMEDY = "read it with the autoperf that wrote it"


def read_log(path: Path, unreadable: list[str] | None = None) -> tuple[HuntHeader, Iterator[LoggedEvent]]:
    """The header and an iterator over the events; an incomplete last line is left out.

    Raises CaseFileError, from the iterator too; with `unreadable`, it skips such lines and appends their messages.
    """
    lines = whole_lines(path)
    first = next(lines, None)
    if first is None:
        raise CaseFileError(f"invalid hunt log {path}: expected a header line, but it has no complete line")
    ndjson.check_header(path, first[1], "hunt", VERSION, _REMEDY)
    return ndjson.decode_line(path, 1, first[1], HuntHeader), _events(path, lines, unreadable)


def is_hunt_log(path: Path) -> bool:
    """Whether the file begins with the header of a hunt's log. Raises CaseFileError if it can't be read."""
    try:
        with _opened(path) as file:
            return file.read(len(_BEGIN)) == _BEGIN
    except OSError as error:
        raise CaseFileError(f"can't read {path}: {error.strerror}") from error


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The log, open for reading; a packed one is unpacked. Raises CaseFileError, in the block too."""
    with open_input(path) as file:
        if path.suffix != PACKED:
            yield file
            return
        try:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield cast(BinaryIO, unpacked)
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise CaseFileError(f"can't read {path}: expected a whole gzip archive; {error}") from error


def whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines with their numbers, without empty ones and without an incomplete last one. Raises CaseFileError."""
    try:
        with _opened(path) as file:
            for number, line in ndjson.nonempty_lines(path, ndjson.lines_of(path, file)):
                if not line.endswith(b"\n"):
                    return
                yield number, line
    except OSError as error:
        raise CaseFileError(f"can't read {path}: {error.strerror}") from error


def _events(path: Path, lines: Iterator[tuple[int, bytes]], unreadable: list[str] | None) -> Iterator[LoggedEvent]:
    last: LoggedEvent | None = None
    for number, line in lines:
        if isinstance(last, HuntFinished):
            raise CaseFileError(f"{path}, line {number}: unexpected line after the end in line {number - 1}")
        try:
            last = _checked(path, number, line)
        except CaseFileError as error:
            if unreadable is None:
                raise
            unreadable.append(str(error))
        else:
            yield last


def _checked(path: Path, number: int, line: bytes) -> LoggedEvent:
    event: LoggedEvent = ndjson.decode_line(path, number, line, LoggedEvent)  # type: ignore[arg-type] # msgspec takes unions as types
    try:
        for case in _cases(event):
            check_case(case)
        if isinstance(event, FindingConfirmed) and event.finding.operator != event.finding.case.operator:
            raise CaseFileError(
                f"invalid operator {event.finding.operator!r} of a finding: expected {event.finding.case.operator!r}, "
                "as in its case"
            )
    except CaseFileError as error:
        raise CaseFileError(f"{path}, line {number}: {error}") from error
    if isinstance(event, InputTried) and event.id != event.case.id:
        raise CaseFileError(f"{path}, line {number}: invalid id {event.id}: expected {event.case.id} for this case")
    return event


def _cases(event: LoggedEvent) -> tuple[Case, ...]:
    if isinstance(event, InputTried | ResultsCompared):
        return (event.case,)
    if isinstance(event, PairTimed):
        return event.first, event.second
    if isinstance(event, FindingConfirmed):
        finding, other = event.finding, event.finding.other_pass
        further = (finding.found, other.case if other else None)
        return (finding.case, finding.contrast, *(case for case in further if case))
    return ()


@dataclass(frozen=True)
class ResumableHunt:
    """A hunt's log that can be resumed; it is open and locked.

    A HuntLog makes the first change. `length` is the number of bytes to keep: all complete lines without the end of an
    interrupted hunt. `at` is the used budget in seconds. `notices` reports unreadable lines, which are left out.
    """

    path: Path
    file: io.FileIO
    header: HuntHeader
    length: int
    at: float
    complete: bool
    notices: tuple[str, ...] = ()

    def events(self) -> Iterator[LoggedEvent]:
        """All events in order, without the end. Raises CaseFileError."""
        _, events = read_log(self.path, [])
        return (event for event in events if not isinstance(event, HuntFinished))


def open_for_resume(path: Path) -> ResumableHunt:
    """Opens and locks the log of a hunt, as `opened_for_resume` does. The file isn't changed yet."""
    with ndjson.opened_for_resume(path, "hunt") as file:
        unreadable: list[str] = []
        header, events = read_log(path, unreadable)
        last: LoggedEvent | None = None
        for last in events:  # noqa: B007 - only the last event is needed
            pass
        ended = isinstance(last, HuntFinished)
        sizes = [len(line) for _, line in whole_lines(path)]
        return ResumableHunt(
            path,
            file,
            header,
            length=sum(sizes) - (sizes[-1] if ended else 0),
            at=last.at if last else 0.0,
            complete=isinstance(last, HuntFinished) and last.complete,
            notices=tuple(f"{text}; the line is left out" for text in unreadable),
        )


class HuntLog(Closable):
    """Writes the log of a hunt, each line to the disk at once. A context manager."""

    def __init__(self, path: Path, header: HuntHeader, *, resumed: ResumableHunt | None = None) -> None:
        """Creates the file and writes the header, or appends to a resumed log. Raises OutputError."""
        self.path = path
        try:
            self._lines = ndjson.continued(resumed.file, resumed.length) if resumed else ndjson.begun(path, header)
        except OSError as error:
            raise OutputError(f"can't write {path}: {error.strerror}") from error

    def close(self) -> None:
        """Closes and unlocks the file."""
        self._lines.close()

    def write(self, event: LoggedEvent) -> None:
        """Appends an event. Raises OutputError, for instance if the disk is full."""
        with interrupts_deferred():
            try:
                self._lines.append(event)
            except OSError as error:
                raise OutputError(
                    f"can't write {self.path}: {error.strerror}; the log so far is kept, and the hunt can be resumed"
                ) from error
