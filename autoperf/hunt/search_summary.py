"""The summary of a search: what it timed, followed and dropped."""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.core.finding import Fit, Searched, SearchEnd
from autoperf.core.outcome import PassName
from autoperf.hunt.timings import InputTimings


class SearchSummary:
    """Counts the suspects of one operator's search, and states what became of it at any time."""

    def __init__(self, operator: str, timings: InputTimings) -> None:
        self.suspects = self.dropped = 0
        self._operator, self._timings = operator, timings
        self._begin = timings.clock()

    def searched(
        self,
        ended: SearchEnd,
        *,
        runs: bool,
        noun: str,
        largest: int = 0,
        fits: Mapping[PassName, Fit] | None = None,
    ) -> Searched:
        """The summary so far; where nothing of it `runs`, each `noun` was refused."""
        timings = self._timings
        return Searched(
            operator=self._operator,
            tried=timings.tried,
            refused=timings.refused,
            suspects=self.suspects,
            dropped=self.dropped,
            seconds=timings.clock() - self._begin,
            largest=largest,
            fits=dict(fits or {}),
            ended=ended,
            reason=f"no {noun} of it runs: {timings.refusal}" if timings.refused and not runs else "",
        )
