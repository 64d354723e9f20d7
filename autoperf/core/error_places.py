"""Where in a user's file an exception was raised: the innermost line of the file in its traceback."""

from __future__ import annotations

import os
from collections.abc import Container
from pathlib import Path
from traceback import FrameSummary, extract_tb


def innermost_place(error: BaseException, files: Container[str]) -> FrameSummary | None:
    """The innermost frame of these files in the traceback; None if there is none."""
    frames = extract_tb(error.__traceback__)
    return next((frame for frame in reversed(frames) if frame.filename in files), None)


def innermost_line(error: BaseException, file: Path) -> int | None:
    """The innermost line of a file in the traceback, or the line of a syntax error in it; None if there is none."""
    names = (str(file), os.path.abspath(file))  # noqa: PTH100 - as importlib makes it, which Path.absolute() isn't
    if isinstance(error, SyntaxError) and error.filename in names:
        return error.lineno
    place = innermost_place(error, names)
    return place.lineno if place else None
