"""Opens a user's input files: regular files and the pipes of process substitutions."""

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
"""The limit for a file that is read in one piece."""
PIPE_SECONDS = 60.0
_CHUNK = 2**16
# The path of the pipe of `<(command)`. Other pipes may have no writer, and would block.
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
    """The file, open for reading. Raises CaseFileError if it isn't a regular file or has more than `max_bytes`.

    The pipe of a process substitution (`<(command)`) is read to its end and replaced by a temporary file under the
    same path, so that it can be read again; its writer may pause for at most `seconds`.
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
    """The file's whole content. Raises CaseFileError as `open_input` does."""
    with open_input(path, max_bytes=max_bytes) as file:
        try:
            return file.read()
        except OSError as error:
            raise CaseFileError(f"can't read {path}: {error.strerror}") from error


def check_input(path: Path, *, max_bytes: int = MAX_BYTES) -> None:
    """Raises CaseFileError for a path that `open_input` can't open."""
    open_input(path, max_bytes=max_bytes).close()


def _is_regular(path: Path, descriptor: int, max_bytes: int, seconds: float) -> bool:
    """Whether it is a regular file; False for a pipe, which a file has replaced. Raises CaseFileError otherwise."""
    status = os.fstat(descriptor)
    kind = stat.S_IFMT(status.st_mode)
    target = _descriptor(path)
    if kind == stat.S_IFIFO and target is not None:
        _replace_pipe(path, descriptor, target, min(max_bytes, MAX_PIPE_BYTES), seconds)
        return False
    if kind != stat.S_IFREG:
        hint = "" if kind == stat.S_IFDIR else "; give a regular file"
        raise CaseFileError(f"can't read {path}: {_KINDS.get(kind, 'not a regular file')}{hint}")
    if status.st_size > max_bytes:
        raise CaseFileError(f"can't read {path}: it has {status.st_size:,} bytes, but the limit is {max_bytes:,}")
    return True


def _descriptor(path: Path) -> int | None:
    """The number of this process's descriptor that the path names, or None."""
    if str(path) == _STANDARD_INPUT:
        return 0
    match = _DESCRIPTOR.fullmatch(str(path))
    return int(match[1]) if match else None


def _replace_pipe(path: Path, pipe: int, target: int, max_bytes: int, seconds: float) -> None:
    """Replace the pipe's descriptor by a file with its content."""
    with tempfile.TemporaryFile() as file:
        size = 0
        while chunk := _next_chunk(path, pipe, seconds):
            size += len(chunk)
            if size > max_bytes:
                raise CaseFileError(f"can't read {path}: the pipe has more than the limit of {max_bytes:,} bytes")
            file.write(chunk)
        file.flush()
        os.dup2(file.fileno(), target, inheritable=False)


def _next_chunk(path: Path, pipe: int, seconds: float) -> bytes:
    """The next bytes; empty at the end."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    if not poll.poll(seconds * 1000):
        raise CaseFileError(f"can't read {path}: the pipe had no data for {seconds:g} s")
    return os.read(pipe, _CHUNK)
