"""Files that a process keeps for itself as long as it lives, however it ends: Linux gives the lock back."""

from __future__ import annotations

import fcntl
import io
from pathlib import Path


def lock(file: io.FileIO) -> bool:
    """Keeps the file for this process until it is closed; False if another one keeps it already."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks: who works on it is told apart by whoever starts them.
        return True
    return True


def make_locked(path: Path, content: bytes = b"") -> io.FileIO:
    """Makes the file and keeps it; nobody sees it unlocked, or without this content. Raises OSError."""
    beside = path.with_name(f".{path.name}.new")
    file = io.FileIO(beside, "w+")
    try:
        lock(file)
        file.write(content)
        beside.rename(path)
    except BaseException:
        file.close()
        raise
    return file


def is_kept(path: Path) -> bool:
    """Whether a living process keeps the file; asking disturbs nobody else who asks. Raises OSError."""
    with io.FileIO(path, "r") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
