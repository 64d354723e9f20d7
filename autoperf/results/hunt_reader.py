"""Reads the log of a hunt, and checks it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import msgspec

from autoperf.core.case import Case, check_case
from autoperf.core.errors import CaseFileError
from autoperf.core.finding import Finding
from autoperf.core.inputs import open_input
from autoperf.core.ndjson import check_header, decode_line, lines_of, nonempty_lines
from autoperf.results.huntlog import VERSION, AnyEvent, EndLine, FindingLine, HuntHeader, PairLine, TriedLine

# Logs are written with the type first.
_BEGIN = b'{"type":"hunt",'
_REMEDY = "read it with the autoperf that wrote it"


def read_log(path: Path, unreadable: list[str] | None = None) -> tuple[HuntHeader, Iterator[AnyEvent]]:
    """The header and an iterator over the events; an incomplete last line is left out.

    Raises CaseFileError with the line and the problem, from the iterator too. With `unreadable`, the iterator skips
    lines that can't be read and appends their messages to the list.
    """
    lines = whole_lines(path)
    first = next(lines, None)
    if first is None:
        raise CaseFileError(f"invalid hunt log {path}: expected a header line, but it has no complete line")
    return _header(path, first[1]), _events(path, lines, unreadable)


def is_hunt_log(path: Path) -> bool:
    """Whether the file begins with the header of a hunt's log. Raises CaseFileError if it can't be read."""
    with open_input(path) as file:
        return file.read(len(_BEGIN)) == _BEGIN


def whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines with their numbers, without empty ones and without an incomplete last one. Raises CaseFileError."""
    try:
        with open_input(path) as file:
            for number, line in nonempty_lines(path, lines_of(path, file)):
                if not line.endswith(b"\n"):
                    return
                yield number, line
    except OSError as error:
        raise CaseFileError(f"can't read {path}: {error.strerror}") from error


def _header(path: Path, line: bytes) -> HuntHeader:
    check_header(path, line, "hunt", (VERSION,), _REMEDY)
    return decode_line(path, 1, line, HuntHeader)


def _events(path: Path, lines: Iterator[tuple[int, bytes]], unreadable: list[str] | None) -> Iterator[AnyEvent]:
    last: AnyEvent | None = None
    for number, line in lines:
        if isinstance(last, EndLine):
            raise CaseFileError(f"{path}, line {number}: unexpected line after the end in line {number - 1}")
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
        raise CaseFileError(f"{path}, line {number}: invalid id {event.id}: expected {event.case.id} for this case")
    return event


def _check_finding(finding: Finding) -> None:
    """Raises CaseFileError for invalid times, and for another operator than the case has."""
    if finding.operator != finding.case.operator:
        raise CaseFileError(
            f"invalid operator {finding.operator!r} of a finding: expected {finding.case.operator!r}, as in its case"
        )
    times = finding.expected_us, finding.actual_us, finding.contrast_us, *msgspec.structs.astuple(finding.estimate)[:3]
    if not all(0 < value < math.inf for value in times):
        raise CaseFileError(f"invalid times and ratios {times} of a finding: expected numbers above 0")


def _cases(event: AnyEvent) -> tuple[Case, ...]:
    if isinstance(event, TriedLine):
        return (event.case,)
    if isinstance(event, PairLine):
        return event.first, event.second
    if isinstance(event, FindingLine):
        finding, other = event.finding, event.finding.other_pass
        return (finding.case, finding.contrast, finding.found, *((other.case,) if other else ()))
    return ()
