"""The log of a hunt: a header, and a line for each event the moment it exists, to be replayed and resumed."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import msgspec

from autoperf.core.case import Case, check_case
from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.finding import Finding, Searched
from autoperf.core.inputs import check_input, open_input
from autoperf.core.locks import lock
from autoperf.core.ndjson import check_header, decode_line, lines_of, nonempty_lines
from autoperf.core.outcome import PassName
from autoperf.results.environment import Environment
from autoperf.results.ndjson_writer import NdjsonWriter, created

VERSION = 1
_REMEDY = "read it with the autoperf that wrote it"


class HuntHeader(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hunt"):
    """The first line: what was asked for, of what, and on which machine. `budget` is in seconds."""

    version: int = VERSION
    autoperf: str
    mxnet: str
    seed: int
    budget: float
    operators: tuple[str, ...]
    started: str
    command: tuple[str, ...]
    options: dict[str, Any]
    environment: Environment

    @property
    def threads(self) -> int | None:
        """How many threads MXNet had, if it said so."""
        said = self.environment.mxnet.get("threads")
        return said if isinstance(said, int) else None


class LoggedEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """What happened `at` so many seconds of the hunt's budget."""

    at: float


class TriedLine(LoggedEvent, frozen=True, kw_only=True, tag="tried"):
    """An input was tried, or refused for this reason. Wall times are in microseconds a call."""

    operator: str
    id: str
    case: Case
    forward_us: tuple[float, ...] = ()
    backward_us: tuple[float, ...] = ()
    refused: str = ""


class PairLine(LoggedEvent, frozen=True, kw_only=True, tag="duel"):
    """Two inputs were timed in turn, in microseconds a call, to confirm, shrink or generalise."""

    operator: str
    pass_: PassName = msgspec.field(name="pass")
    first: Case
    second: Case
    first_us: tuple[float, ...] = ()
    second_us: tuple[float, ...] = ()
    refused: str = ""


class CandidateLine(LoggedEvent, frozen=True, kw_only=True, tag="suspect"):
    """An input seems to be slower than it has reason to be, by this factor, says this oracle."""

    operator: str
    pass_: PassName = msgspec.field(name="pass")
    id: str
    oracle: str
    strength: float


class DroppedLine(LoggedEvent, frozen=True, kw_only=True, tag="dropped"):
    """A suspect came to nothing, for this reason."""

    operator: str
    pass_: PassName = msgspec.field(name="pass")
    id: str
    reason: str


class FindingLine(LoggedEvent, frozen=True, kw_only=True, tag="finding"):
    """A finding is confirmed, shrunk and generalised."""

    finding: Finding


class SearchedLine(LoggedEvent, frozen=True, kw_only=True, tag="searched"):
    """An operator is done, or none of its search is left in the budget."""

    searched: Searched


class ResumedLine(LoggedEvent, frozen=True, kw_only=True, tag="resumed"):
    """The hunt was taken up again: when, by which command, on which machine, under which load."""

    started: str
    command: tuple[str, ...]
    machine: str
    load: tuple[float, float, float]


class EndLine(LoggedEvent, frozen=True, kw_only=True, tag="end"):
    """The last line; `complete` unless the hunt was interrupted."""

    complete: bool = True


AnyEvent: TypeAlias = (
    TriedLine | PairLine | CandidateLine | DroppedLine | FindingLine | SearchedLine | ResumedLine | EndLine
)


@dataclass(frozen=True)
class ResumableHunt:
    """A hunt's log that can be gone on with, open and locked, so that nobody else does.

    Nothing of it is changed before a HuntLog takes it. `length` is how many of its bytes stay: all whole lines, but
    for the end of a hunt that was interrupted. `at` is how much of the budget is used. `notices` tells of lines
    that can't be read, which are left out.
    """

    path: Path
    file: io.FileIO
    header: HuntHeader
    length: int
    at: float
    complete: bool
    notices: tuple[str, ...] = ()

    def events(self) -> Iterator[AnyEvent]:
        """What happened so far, in order, but for that end. Raises CaseFileError."""
        _, events = read_log(self.path, [])
        return (event for event in events if not isinstance(event, EndLine))


class HuntLog:
    """Writes the log of a hunt; what it has written is on disk, whatever happens next. A context manager."""

    def __init__(self, path: Path, header: HuntHeader, *, begun: ResumableHunt | None = None) -> None:
        """Makes the file and writes the header, or goes on with a log that has begun. Raises OutputError."""
        self.path = path
        self.count = 0
        try:
            self._lines = NdjsonWriter(begun.file if begun else created(path))
            if begun:
                self._lines.cut(begun.length)
        except OSError as error:
            raise OutputError(f"can't write {path}: {error.strerror}") from error
        if not begun:
            self._begin(header)

    def __enter__(self) -> HuntLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Nothing more comes, and others may take it up."""
        self._lines.close()

    def write(self, event: AnyEvent) -> None:
        """This happened; raises OutputError, for instance if the disk is full."""
        self._append(event)
        self.count += 1

    def _begin(self, header: HuntHeader) -> None:
        try:
            self._append(header)
        except OutputError:
            self._lines.close()
            self.path.unlink(missing_ok=True)
            raise

    def _append(self, value: object) -> None:
        try:
            self._lines.append(value)
        except OSError as error:
            raise OutputError(
                f"can't write {self.path}: {error.strerror}; what it has so far is kept, and can be gone on with"
            ) from error


def read_log(path: Path, unreadable: list[str] | None = None) -> tuple[HuntHeader, Iterator[AnyEvent]]:
    """The header at once, and the events as they are asked for; what a killed hunt left of a last line is left out.

    Raises CaseFileError that names the line and what is wrong with it, the iterator too. Where a list is given, the
    iterator leaves out events that can't be read, and adds to the list which and why.
    """
    lines = _whole_lines(path)
    first = next(lines, None)
    if first is None:
        raise CaseFileError(f"{path} has no whole line, so it is no hunt's log")
    return _header(path, first[1]), _events(path, lines, unreadable)


def open_for_resume(path: Path) -> ResumableHunt:
    """Opens and locks the log of a hunt that has ended, complete or cut off. The file isn't changed yet.

    Raises CaseFileError if it is none, OutputError if it can't be written, or if the hunt still goes on.
    """
    if path.exists():
        check_input(path)
    try:
        file = io.FileIO(path, "r+")
    except OSError as error:
        raise OutputError(f"can't resume {path}: {error.strerror}") from error
    try:
        if not lock(file):
            raise OutputError(f"the hunt that writes {path} still goes on; only one that has ended can be resumed")
        return _begun(path, file)
    except BaseException:
        file.close()
        raise


def _begun(path: Path, file: io.FileIO) -> ResumableHunt:
    unreadable: list[str] = []
    header, events = read_log(path, unreadable)
    last: AnyEvent | None = None
    for last in events:  # noqa: B007 - the last one is what is sought
        pass
    ended = isinstance(last, EndLine)
    sizes = [len(line) for _, line in _whole_lines(path)]
    return ResumableHunt(
        path,
        file,
        header,
        length=sum(sizes) - (sizes[-1] if ended else 0),
        at=last.at if last else 0.0,
        complete=isinstance(last, EndLine) and last.complete,
        notices=tuple(f"{text}; the line is left out" for text in unreadable),
    )


def _whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with open_input(path) as file:
            for number, line in nonempty_lines(path, lines_of(path, file)):
                if not line.endswith(b"\n"):
                    return
                yield number, line
    except OSError as error:
        raise CaseFileError(f"can't read {path}: {error.strerror}") from error


def _header(path: Path, line: bytes) -> HuntHeader:
    check_header(path, line, "hunt", VERSION, _REMEDY)
    return decode_line(path, 1, line, HuntHeader)


def _events(path: Path, lines: Iterator[tuple[int, bytes]], unreadable: list[str] | None) -> Iterator[AnyEvent]:
    last: AnyEvent | None = None
    for number, line in lines:
        if isinstance(last, EndLine):
            raise CaseFileError(f"{path}, line {number}: the hunt ends in line {number - 1}, but the file goes on")
        try:
            last = _checked(path, number, line)
        except CaseFileError as error:
            if unreadable is None:
                raise
            unreadable.append(str(error))
        else:
            yield last


def _checked(path: Path, number: int, line: bytes) -> AnyEvent:
    event: AnyEvent = decode_line(path, number, line, AnyEvent)  # type: ignore[arg-type] # msgspec takes unions as types
    try:
        for case in _cases(event):
            check_case(case)
        if isinstance(event, FindingLine):
            _check_finding(event.finding)
    except CaseFileError as error:
        raise CaseFileError(f"{path}, line {number}: {error}") from error
    if isinstance(event, TriedLine) and event.id != event.case.id:
        raise CaseFileError(f"{path}, line {number}: the case says {event.id} but its content is {event.case.id}")
    return event


def _check_finding(finding: Finding) -> None:
    """Raises CaseFileError for figures that no finding has, and for another operator than that of its case."""
    if finding.operator != finding.case.operator:
        raise CaseFileError(f"the finding is of {finding.operator!r}, but its case of {finding.case.operator!r}")
    times = (
        finding.expected_us,
        finding.actual_us,
        finding.contrast_us,
        *msgspec.structs.astuple(finding.estimate)[:3],
    )
    if not all(0 < value < math.inf for value in times):
        raise CaseFileError(f"the finding has times and ratios of {times}, which are above 0")


def _cases(event: AnyEvent) -> tuple[Case, ...]:
    if isinstance(event, TriedLine):
        return (event.case,)
    if isinstance(event, PairLine):
        return event.first, event.second
    if isinstance(event, FindingLine):
        return event.finding.case, event.finding.contrast, event.finding.found
    return ()
