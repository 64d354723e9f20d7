"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A new file beside this one, which takes its place if the block ends well, and is removed otherwise.

    Until then a reader sees the old file, or none. Raises OSError.
    """
    beside = path.with_name(f".autoperf-{secrets.token_hex(6)}.new")
    try:
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        yield beside
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_text(path: Path) -> Iterator[TextIO]:
    """The same as a UTF-8 file to write to; half a character is spelled. Raises OSError."""
    with atomic_path(path) as beside, beside.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        yield file


def write_whole(path: Path, data: bytes | str) -> None:
    """Write a file so that a reader sees the old or the new one, never a part. Raises OSError."""
    with atomic_path(path) as beside:
        beside.write_bytes(data.encode(errors="backslashreplace") if isinstance(data, str) else data)
