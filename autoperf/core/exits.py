"""The exit codes of every command."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """An exit code."""

    FINE = 0
    FINDING = 1
    USER_MISTAKE = 2
    INTERRUPTED = 130
    """By Ctrl-C; `of_signal` has the code of another signal."""


def of_signal(number: int | None) -> int:
    """The exit code of a command that a signal ended, as a shell reports it: 130 for Ctrl-C, 143 for SIGTERM."""
    return Exit.INTERRUPTED if number is None else 128 + number
