"""Opens the files that a user names as input: regular files, and pipes that a shell substitutes for a command."""

from __future__ import annotations

import os
import re
import select
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO

from autoperf.core.errors import CaseFileError

MAX_BYTES = 2**36
MAX_PIPE_BYTES = 2**32
MAX_WHOLE_BYTES = 2**28
"""Of a file that is read in one piece."""
PIPE_SECONDS = 60.0
_CHUNK = 2**16
# A shell names the pipe of `<(command)` so; of other pipes, nobody knows who writes them, or whether anybody does.
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_STANDARD_INPUT = "/dev/stdin"
_KINDS = {
    stat.S_IFDIR: "Is a directory",
    stat.S_IFIFO: "it is a named pipe",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
}


def open_input(path: Path, *, max_bytes: int = MAX_BYTES, seconds: float = PIPE_SECONDS) -> BinaryIO:
    """The file, open to be read. Raises CaseFileError for what is no regular file, or has more than `max_bytes`.

    The pipe of a process substitution (`<(command)`) is read to its end and kept as a temporary file under the same
    path, so that it can be read again; its writer may pause for so many `seconds`.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise CaseFileError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        if _is_regular(path, descriptor, max_bytes, seconds):
            os.set_blocking(descriptor, True)
            return os.fdopen(descriptor, "rb")
    except OSError as error:
        os.close(descriptor)
        raise CaseFileError(f"can't read {path}: {error.strerror}") from error
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return open_input(path, max_bytes=max_bytes)


def read_input(path: Path, *, max_bytes: int = MAX_WHOLE_BYTES) -> bytes:
    """All that is in the file. Raises CaseFileError as `open_input` does."""
    with open_input(path, max_bytes=max_bytes) as file:
        try:
            return file.read()
        except OSError as error:
            raise CaseFileError(f"can't read {path}: {error.strerror}") from error


def check_input(path: Path, *, max_bytes: int = MAX_BYTES) -> None:
    """Raises CaseFileError for a path that `open_input` can't open."""
    open_input(path, max_bytes=max_bytes).close()


def _is_regular(path: Path, descriptor: int, max_bytes: int, seconds: float) -> bool:
    """Whether it is a regular file; False for a pipe, in whose place a file is now. Raises CaseFileError otherwise."""
    status = os.fstat(descriptor)
    kind = stat.S_IFMT(status.st_mode)
    place = _descriptor(path)
    if kind == stat.S_IFIFO and place is not None:
        _keep(path, descriptor, place, min(max_bytes, MAX_PIPE_BYTES), seconds)
        return False
    if kind != stat.S_IFREG:
        hint = "" if kind == stat.S_IFDIR else "; give a regular file"
        raise CaseFileError(f"can't read {path}: {_KINDS.get(kind, 'it is no regular file')}{hint}")
    if status.st_size > max_bytes:
        raise CaseFileError(f"can't read {path}: it has {status.st_size:,} bytes, and {max_bytes:,} are the limit")
    return True


def _descriptor(path: Path) -> int | None:
    """Which of this process's descriptors the path names."""
    if str(path) == _STANDARD_INPUT:
        return 0
    named = _DESCRIPTOR.fullmatch(str(path))
    return int(named[1]) if named else None


def _keep(path: Path, pipe: int, place: int, max_bytes: int, seconds: float) -> None:
    """Put a file with the pipe's content in the place of its descriptor."""
    with tempfile.TemporaryFile() as kept:
        size = 0
        while chunk := _next_chunk(path, pipe, seconds):
            size += len(chunk)
            if size > max_bytes:
                raise CaseFileError(f"can't read {path}: the pipe has more than the limit of {max_bytes:,} bytes")
            kept.write(chunk)
        kept.flush()
        os.dup2(kept.fileno(), place, inheritable=False)


def _next_chunk(path: Path, pipe: int, seconds: float) -> bytes:
    """What comes next; empty at the end."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    if not poll.poll(seconds * 1000):
        raise CaseFileError(f"can't read {path}: nothing came through the pipe for {seconds:g} s")
    return os.read(pipe, _CHUNK)
