"""Appends JSON documents to a file that this process keeps, each as one whole line, or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
from pathlib import Path
from typing import Any

import msgspec

from autoperf.core.locks import lock


class NdjsonWriter:
    """An NDJSON file that is being written; what it has written is on disk, whatever happens next.

    A file that is removed meanwhile is written anew with the next line; `restored` says how often that was,
    and `lost` that it couldn't be.
    What of a line got onto a full disk is taken back, so that the file ends with its last whole line.
    """

    def __init__(self, file: io.FileIO) -> None:
        """Goes on where the file is; `created` makes one."""
        self.restored = 0
        self.lost = False
        self._file = file
        self._encoder = msgspec.json.Encoder()

    def append(self, value: object) -> None:
        """One line. Raises OSError."""
        if not os.fstat(self._file.fileno()).st_nlink:
            self._restore()
        begin = self._file.tell()
        data = memoryview(self._encoded(value) + b"\n")
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError:
            with contextlib.suppress(OSError):
                self.cut(begin)
            raise

    def _encoded(self, value: object) -> bytes:
        """The value as JSON; half characters, such as paths have that are no UTF-8, are spelled."""
        try:
            return self._encoder.encode(value)
        except UnicodeEncodeError:
            return self._encoder.encode(_spelled(msgspec.to_builtins(value)))

    def _restore(self) -> None:
        """Writes the file anew where somebody has removed it; what it had is still there for who has it open."""
        place = Path(os.fsdecode(self._file.name))
        self.lost = True
        file = created(place)
        try:
            self._file.seek(0)
            shutil.copyfileobj(self._file, file)
        except OSError:
            file.close()
            place.unlink(missing_ok=True)
            raise
        self._file.close()
        self._file = file
        self.lost = False
        self.restored += 1

    def cut(self, length: int) -> None:
        """What lies behind is none of the file's, and what comes next goes there. Raises OSError."""
        self._file.truncate(length)
        self._file.seek(length)

    def close(self) -> None:
        """Nothing more comes, and others may have the file."""
        self._file.close()


def _spelled(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {_spelled(key): _spelled(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_spelled(item) for item in value]
    return value


def created(path: Path) -> io.FileIO:
    """A new file that this process keeps until it is closed. Raises OSError, also if it is there already."""
    file = io.FileIO(path, "x+")
    lock(file)
    return file
