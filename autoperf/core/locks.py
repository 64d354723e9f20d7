"""Files that a process keeps for itself as long as it lives, however it ends: Linux gives the lock back."""

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
    with ExitStack() as stack:
        with atomic_path(path) as beside:
            file = stack.enter_context(io.FileIO(beside, "r+"))
            lock(file)
            file.write(content)
        stack.pop_all()
    return file


def is_kept(path: Path) -> bool:
    """Whether a living process keeps the file; asking disturbs nobody else who asks. Raises OSError."""
    with io.FileIO(path, "r", opener=open_regular) as file:
        return is_locked(file)


def is_locked(file: io.FileIO) -> bool:
    """Whether another process keeps the open file. Raises OSError."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def open_regular(path: str, flags: int) -> int:
    """Opens a regular file of this user's, not by a link, and waits for nobody. Raises OSError for anything else."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is no regular file of this user's", path)
