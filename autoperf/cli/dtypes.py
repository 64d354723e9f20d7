"""Which dtypes operators take, as `discover` finds it out: how far it is stands on standard error."""

from __future__ import annotations

import time
from collections.abc import Sequence

from autoperf.cli.output import notices
from autoperf.pipeline.dtypes import Answers, remembered
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Target
from autoperf.reports.units import count

INTERVAL = 5.0


def dtype_answers(release: Release, chosen: Sequence[Target], *, ask: bool) -> Answers:
    """What is known of these operators; what isn't is tried if that was asked for, or if there is one operator only."""
    if ask or len(chosen) == 1:
        from autoperf.pipeline.dtype_trials import find_out

        return find_out(release, chosen, _Counter().tell)
    return remembered(release.library, chosen)


class _Counter:
    """Says every few seconds how many operators were tried."""

    def __init__(self) -> None:
        self._due = time.monotonic() + INTERVAL

    def tell(self, done: int, asked: int) -> None:
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + INTERVAL
            notices().write(f"dtypes: {done} of {count(asked, 'operator')} tried\n")
