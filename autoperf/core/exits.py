"""The exit codes of every command."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """An exit code."""

    FINE = 0
    FINDING = 1
    USER_MISTAKE = 2
    INTERRUPTED = 130
