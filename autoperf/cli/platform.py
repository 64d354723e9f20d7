"""What the interpreter must be before anything is imported that needs it."""

from __future__ import annotations

from autoperf.core.errors import UsageError

OLDEST, NEWEST = (3, 10), (3, 12)


def check_python(version: tuple[int, ...]) -> None:
    """Raises UsageError for a Python that MXNet's wheels don't run on."""
    if not OLDEST <= tuple(version[:2]) <= NEWEST:
        found = ".".join(map(str, version[:2]))
        raise UsageError(f"Python {found} is not supported; use Python 3.10, 3.11 or 3.12")
