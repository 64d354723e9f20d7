"""Atomic file writes: a reader sees the old file or the new one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary file in the same folder; it replaces `path` when the block succeeds, and is removed otherwise.

    Raises OSError.
    """
    temporary = path.with_name(f".autoperf-{secrets.token_hex(6)}.new")
    try:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        yield temporary
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_text(path: Path) -> Iterator[TextIO]:
    """The same as an open UTF-8 file; lone surrogates are written as escapes. Raises OSError."""
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file,
    ):
        yield file


def write_atomic(path: Path, data: bytes | str) -> None:
    """Write the whole file atomically. Raises OSError."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(data.encode(errors="backslashreplace") if isinstance(data, str) else data)
