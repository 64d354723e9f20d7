"""File locks that Linux releases when their process ends."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import stat
from contextlib import ExitStack
from pathlib import Path

from autoperf.core.atomic import atomic_path


def lock(file: io.FileIO) -> bool:
    """Locks the file until it is closed; False if another process holds the lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # The file system has no locks: its users must not share the file.
        return True
    return True


def make_locked(path: Path, content: bytes = b"") -> io.FileIO:
    """Creates a locked file with this content, atomically. Raises OSError."""
    with ExitStack() as stack:
        with atomic_path(path) as temporary:
            file = stack.enter_context(io.FileIO(temporary, "r+"))
            lock(file)
            file.write(content)
        stack.pop_all()
    return file


def is_path_locked(path: Path) -> bool:
    """Whether a live process holds the file's lock. Concurrent checks don't conflict. Raises OSError."""
    with io.FileIO(path, "r", opener=open_regular) as file:
        return is_locked(file)


def is_locked(file: io.FileIO) -> bool:
    """Whether another process holds the open file's lock. Raises OSError."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def open_regular(path: str, flags: int) -> int:
    """Opens a regular file of this user without following links or blocking. Raises OSError for anything else."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a regular file of this user", path)
