"""Processors as Linux lists them: 1, 2-3, 0,2."""

from __future__ import annotations

import re

from autoperf.core.errors import UsageError


def parse_processors(text: str) -> tuple[int, ...]:
    """The numbers in order; none for `any`. Raises UsageError for anything else."""
    if text == "any":
        return ()
    chosen: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,4})(?:-(\d{1,4}))?\s*", part, re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise UsageError(f"invalid processors {text!r}: expected 1, 2-3, 0,2 or any")
        chosen.update(range(first, last + 1))
    return tuple(sorted(chosen))
