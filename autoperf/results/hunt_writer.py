"""Writes the log of a hunt."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autoperf.core.closable import Closable
from autoperf.core.errors import OutputError
from autoperf.core.interrupts import interrupts_deferred
from autoperf.results.hunt_reader import read_log, whole_lines
from autoperf.results.huntlog import AnyEvent, EndLine, HuntHeader
from autoperf.results.ndjson_writer import begun, continued, opened_for_resume


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

    def events(self) -> Iterator[AnyEvent]:
        """All events in order, without the end. Raises CaseFileError."""
        _, events = read_log(self.path, [])
        return (event for event in events if not isinstance(event, EndLine))


def open_for_resume(path: Path) -> ResumableHunt:
    """Opens and locks the log of a hunt that has ended or was cut off. The file isn't changed yet.

    Raises CaseFileError for another file, OutputError if it can't be written, or if the hunt is still running.
    """
    with opened_for_resume(path, "hunt") as file:
        return _resumable(path, file)


def _resumable(path: Path, file: io.FileIO) -> ResumableHunt:
    unreadable: list[str] = []
    header, events = read_log(path, unreadable)
    last: AnyEvent | None = None
    for last in events:  # noqa: B007 - only the last event is needed
        pass
    ended = isinstance(last, EndLine)
    sizes = [len(line) for _, line in whole_lines(path)]
    return ResumableHunt(
        path,
        file,
        header,
        length=sum(sizes) - (sizes[-1] if ended else 0),
        at=last.at if last else 0.0,
        complete=isinstance(last, EndLine) and last.complete,
        notices=tuple(f"{text}; the line is left out" for text in unreadable),
    )


class HuntLog(Closable):
    """Writes the log of a hunt, each line to the disk at once. A context manager."""

    def __init__(self, path: Path, header: HuntHeader, *, resumed: ResumableHunt | None = None) -> None:
        """Creates the file and writes the header, or appends to a resumed log. Raises OutputError."""
        self.path = path
        try:
            self._lines = continued(resumed.file, resumed.length) if resumed else begun(path, header)
        except OSError as error:
            raise OutputError(f"can't write {path}: {error.strerror}") from error

    def close(self) -> None:
        """Closes and unlocks the file."""
        self._lines.close()

    def write(self, event: AnyEvent) -> None:
        """Appends an event. Raises OutputError, for instance if the disk is full."""
        with interrupts_deferred():
            try:
                self._lines.append(event)
            except OSError as error:
                raise OutputError(
                    f"can't write {self.path}: {error.strerror}; the log so far is kept, and the hunt can be resumed"
                ) from error
