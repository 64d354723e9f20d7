"""Appends JSON documents to a locked file, each as one complete line or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from autoperf.core.errors import OutputError
from autoperf.core.files import atomic_path, check_input, lock


class NdjsonWriter:
    """An NDJSON file that is being written, each line at once.

    A file that was removed is written again with the next line; `restored` counts this, and `lost` is true if it
    failed. A line that a full disk cuts off is removed, so that the file ends with a complete line.
    """

    def __init__(self, file: io.FileIO) -> None:
        """Appends at the file's position."""
        self.restored = 0
        self.lost = False
        self._file = file
        self._encoder = msgspec.json.Encoder()

    def append(self, *values: object) -> None:
        """Appends a line for each value, or none. Raises OSError."""
        if not os.fstat(self._file.fileno()).st_nlink:
            self._restore()
        begin = self._file.tell()
        data = memoryview(b"".join(self._encoded(value) + b"\n" for value in values))
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError:
            with contextlib.suppress(OSError):
                self.cut(begin)
            raise

    def _encoded(self, value: object) -> bytes:
        """The value as JSON; lone surrogates, as in paths that aren't UTF-8, are escaped."""
        try:
            return self._encoder.encode(value)
        except UnicodeEncodeError:
            return self._encoder.encode(_escaped(msgspec.to_builtins(value)))

    def _restore(self) -> None:
        """Writes a removed file again, from the open descriptor."""
        path = Path(os.fsdecode(self._file.name))
        self.lost = True
        file = created(path)
        try:
            self._file.seek(0)
            shutil.copyfileobj(self._file, file)
        except OSError:
            file.close()
            path.unlink(missing_ok=True)
            raise
        self._file.close()
        self._file = file
        self.lost = False
        self.restored += 1

    def cut(self, length: int) -> None:
        """Truncates the file, and appends there. Raises OSError."""
        self._file.truncate(length)
        self._file.seek(length)

    def leave_out(self, lines: Container[int]) -> None:
        """Replaces the file by one without the lines that begin there. Raises OSError; then it stays as it is."""
        path = Path(os.fsdecode(self._file.name))
        if not os.path.samestat(os.fstat(self._file.fileno()), path.stat()):
            raise OSError(errno.ESTALE, "another file is in its place", str(path))
        with atomic_path(path) as temporary, temporary.open("wb") as kept, path.open("rb") as written:
            begin = 0
            for line in written:
                if begin not in lines:
                    kept.write(line)
                begin += len(line)

    def close(self) -> None:
        """Closes and unlocks the file."""
        self._file.close()


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {_escaped(key): _escaped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(item) for item in value]
    return value


def begun(path: Path, *values: object) -> NdjsonWriter:
    """Writes a line for each value to a new file, which is locked. Raises OSError, and then leaves no new file."""
    writer = NdjsonWriter(created(path))
    try:
        writer.append(*values)
    except OSError:
        writer.close()
        path.unlink(missing_ok=True)
        raise
    return writer


def continued(file: io.FileIO, length: int) -> NdjsonWriter:
    """Appends to an open file after its first `length` bytes. Raises OSError."""
    writer = NdjsonWriter(file)
    writer.cut(length)
    return writer


def created(path: Path) -> io.FileIO:
    """A new file, locked until it is closed. Raises OSError, also if it exists."""
    file = io.FileIO(path, "x+")
    lock(file)
    return file


@contextmanager
def opened_for_resume(path: Path, kind: str) -> Iterator[io.FileIO]:
    """The locked file of a run or a hunt (`kind`) that has ended or was cut off; it stays open unless the block raises.

    Raises CaseFileError for a path that can't be read, OutputError if it can't be written or is still being written.
    """
    if path.exists():
        check_input(path)
    try:
        file = io.FileIO(path, "r+")
    except OSError as error:
        raise OutputError(f"can't resume {path}: {error.strerror}") from error
    try:
        if not lock(file):
            raise OutputError(f"can't resume {path}: its {kind} is still running; wait until it ends")
        yield file
    except BaseException:
        file.close()
        raise
