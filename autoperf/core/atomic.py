"""Files that are written whole or not at all; devices and pipes are written to, and never replaced."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

_SPELLED = "backslashreplace"


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary file in the same folder; it replaces `path` when the block succeeds, and is removed otherwise.

    Of a link, the file that it leads to is replaced.
    Raises OSError, also for a device or a pipe, which a file must not replace.
    """
    if is_special(path):
        raise OSError(errno.EINVAL, "it is a device or a pipe", str(path))
    place = _place(path)
    temporary = place.with_name(f".autoperf-{secrets.token_hex(6)}.new")
    try:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        yield temporary
        temporary.replace(place)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_text(path: Path) -> Iterator[TextIO]:
    """The same as a UTF-8 file to write to; half a character is spelled. A device or a pipe is written to.

    Raises OSError, also for a named pipe without a reader.
    """
    if is_special(path):
        with os.fdopen(_open_special(path), "w", encoding="utf-8", errors=_SPELLED, newline="") as file:
            yield file
        return
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", errors=_SPELLED, newline="") as file:
        yield file


def write_atomic(path: Path, data: bytes | str) -> None:
    """Write a file so that a reader sees the old or the new one, never a part. Raises OSError."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(data.encode(errors=_SPELLED) if isinstance(data, str) else data)


def is_special(path: Path) -> bool:
    """Whether something stands there, or where a link leads to, that is neither a file nor a folder."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _place(path: Path) -> Path:
    """Where the file is or will be, of which this is the name or a link to it. Raises OSError for a link to itself."""
    with suppress(FileNotFoundError):
        path.stat()
    return Path(os.path.realpath(path))


def _open_special(path: Path) -> int:
    """Opens a pipe or a device for writing, without waiting for a reader; nothing is created or truncated."""
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    os.set_blocking(descriptor, True)
    return descriptor
