"""The summary of a search: what it timed, followed and dropped."""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.core.finding import Fit, Searched, SearchEnd
from autoperf.core.outcome import PassName
from autoperf.hunt.other_side import OtherSide
from autoperf.hunt.timings import InputTimings


class SearchSummary:
    """Counts what one operator's search compares, follows and drops, and states what became of it at any time."""

    def __init__(self, operator: str, timings: InputTimings, other_side: OtherSide | None = None) -> None:
        self.compared = self.suspects = self.dropped = 0
        self._operator, self._timings, self._other_side = operator, timings, other_side
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
            reason=self._reason(noun) if runs else self._refusal(noun),
        )

    def _refusal(self, noun: str) -> str:
        """Why the searched side ran nothing; empty if nothing was tried."""
        return f"no {noun} of it runs: {self._timings.refusal}" if self._timings.refused else ""

    def _reason(self, noun: str) -> str:
        """Why nothing could be compared, if the other side ran nothing."""
        if self._other_side is None or self._timings.other_runs or not self.compared:
            return ""
        refusal = self._timings.other_refusal or "it takes other inputs or parameters"
        return f"no {noun} of it runs on {self._other_side.words}: {refusal}"
