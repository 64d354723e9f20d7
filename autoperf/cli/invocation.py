"""The command line as it was written."""

from __future__ import annotations

import os
import sys


def command_line() -> tuple[str, ...]:
    """The words of this command, spelled so that they can be written."""
    return tuple(os.fsencode(word).decode(errors="backslashreplace") for word in sys.argv)
