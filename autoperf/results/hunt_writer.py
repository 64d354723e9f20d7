"""Writes the log of a hunt."""

from __future__ import annotations

from pathlib import Path

from autoperf.core.closable import Closable
from autoperf.core.errors import OutputError
from autoperf.core.interrupts import interrupts_deferred
from autoperf.results.huntlog import AnyEvent, HuntHeader
from autoperf.results.ndjson_writer import NdjsonWriter, created
from autoperf.results.resumable_hunt import ResumableHunt


class HuntLog(Closable):
    """Writes the log of a hunt, each line to the disk at once. A context manager."""

    def __init__(self, path: Path, header: HuntHeader, *, resumed: ResumableHunt | None = None) -> None:
        """Creates the file and writes the header, or appends to a resumed log. Raises OutputError."""
        self.path = path
        self.count = 0
        try:
            self._lines = NdjsonWriter(resumed.file if resumed else created(path))
            if resumed:
                self._lines.cut(resumed.length)
        except OSError as error:
            raise OutputError(f"can't write {path}: {error.strerror}") from error
        if not resumed:
            self._begin(header)

    def close(self) -> None:
        """Closes and unlocks the file."""
        self._lines.close()

    def write(self, event: AnyEvent) -> None:
        """Appends an event. Raises OutputError, for instance if the disk is full."""
        with interrupts_deferred():
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
                f"can't write {self.path}: {error.strerror}; the log so far is kept, and the hunt can be resumed"
            ) from error
