"""The scratch folder of a run, which goes with it; and what killed runs have left of theirs."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from autoperf.core.errors import OutputError
from autoperf.core.locks import is_locked, make_locked, open_regular

PREFIX = "autoperf-"
OWNER = "owner"
MARK = b"autoperf scratch folder, version 1: removed by the next run once its own has ended\n"
"""The content of each owner file: a folder without it isn't ours."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder for rendered files and logs; folders whose owner was killed are removed before.

    Raises OutputError if it can't be made.
    """
    try:
        remove_leftovers(Path(tempfile.gettempdir()))
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    except OSError as error:
        raise OutputError(f"can't make a scratch folder: {error.strerror}; TMPDIR names another place") from error
    try:
        with _owned(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers(place: Path) -> int:
    """Removes this user's scratch folders in this place whose owner is dead; how many there were."""
    removed = 0
    for folder in place.glob(f"{PREFIX}*"):
        # Others may come and go meanwhile; a folder without an owner may be about to get one.
        with suppress(OSError):
            if _is_leftover(folder):
                shutil.rmtree(folder, ignore_errors=True)
                removed += not folder.exists()
    return removed


def _owned(folder: Path) -> io.FileIO:
    try:
        return make_locked(folder / OWNER, MARK)
    except OSError as error:
        raise OutputError(f"can't write {folder / OWNER}: {error.strerror}; TMPDIR names another place") from error


def _is_leftover(folder: Path) -> bool:
    """Whether the folder is a scratch folder of this user's, by its mark, and nobody keeps it. Raises OSError."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        return False
    with io.FileIO(folder / OWNER, "r", opener=open_regular) as file:
        return file.read(len(MARK) + 1) == MARK and not is_locked(file)
