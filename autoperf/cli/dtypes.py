"""The dtypes that operators accept, as `discover` shows them, with progress on standard error."""

from __future__ import annotations

import time
from collections.abc import Sequence

from autoperf.cli.output import notices
from autoperf.pipeline.dtypes import Answers, cached_answers
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Target
from autoperf.reports.units import count

INTERVAL = 5.0


def dtype_answers(release: Release, chosen: Sequence[Target], *, ask: bool) -> Answers:
    """The cached answers for these operators; missing ones are tested if `ask` is set, or for a single operator."""
    if ask or len(chosen) == 1:
        from autoperf.pipeline.dtype_trials import try_dtypes

        return try_dtypes(release, chosen, _DtypeProgress().update)
    return cached_answers(release.library, chosen)


class _DtypeProgress:
    """Prints the number of tested operators every few seconds."""

    def __init__(self) -> None:
        self._due = time.monotonic() + INTERVAL

    def update(self, done: int, total: int) -> None:
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + INTERVAL
            notices().write(f"dtypes: {done} of {count(total, 'operator')} tested\n")
