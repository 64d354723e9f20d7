"""The scratch folder of a run, values that wait in a file of it, and the removal of leftovers of killed runs."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from autoperf.core.errors import OutputError
from autoperf.core.files import is_locked, make_locked, open_regular

PREFIX = "autoperf-"
OWNER = "owner"
ELSEWHERE = "set TMPDIR to another folder"
MARK = b"autoperf scratch folder, version 1: removed by the next run once its own has ended\n"
"""The content of each owner file: a folder without it belongs to another program."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder for rendered files and logs; folders of killed runs are removed first.

    Raises OutputError if it can't be made.
    """
    try:
        remove_leftovers(Path(tempfile.gettempdir()))
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    except OSError as error:
        raise OutputError(f"can't make a scratch folder: {error.strerror}; {ELSEWHERE}") from error
    try:
        with _owned(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers(parent: Path) -> int:
    """Removes this user's scratch folders below `parent` whose owner is dead. Returns their number."""
    removed = 0
    for folder in parent.glob(f"{PREFIX}*"):
        # Other runs may start and end meanwhile; a folder without an owner may be new.
        with suppress(OSError):
            if _is_leftover(folder):
                shutil.rmtree(folder, ignore_errors=True)
                removed += not folder.exists()
    return removed


def _owned(folder: Path) -> io.FileIO:
    try:
        return make_locked(folder / OWNER, MARK)
    except OSError as error:
        raise OutputError(f"can't write {folder / OWNER}: {error.strerror}; {ELSEWHERE}") from error


def _is_leftover(folder: Path) -> bool:
    """Whether the folder is this user's scratch folder, by its mark, and not locked. Raises OSError."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        return False
    with io.FileIO(folder / OWNER, "r", opener=open_regular) as file:
        return file.read(len(MARK) + 1) == MARK and not is_locked(file)


T = TypeVar("T")


class Spool(Generic[T]):
    """Values of one kind in a file of NDJSON, in the order in which they were added."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        """The file is created with the first value."""
        self._path = path
        self._encoder = msgspec.json.Encoder()
        self._decoder = msgspec.json.Decoder(kind)

    def put(self, value: T) -> None:
        """Appends a value. Raises OutputError, for instance if the disk is full."""
        try:
            with self._path.open("ab") as file:
                file.write(self._encoder.encode(value) + b"\n")
        except OSError as error:
            raise OutputError(f"can't write {self._path}: {error.strerror}; {ELSEWHERE}") from error

    def __iter__(self) -> Iterator[T]:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            for line in file:
                yield self._decoder.decode(line)
