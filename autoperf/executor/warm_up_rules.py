"""Rules that end the warm-up of a case: by count, or once it is in its settled state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from autoperf.executor.attribution import Boundaries
from autoperf.executor.fresh_memory import has_settled

RUN = 5
SETTLED = 0.05
MIN_CALLS = 3


class WarmUpRule(Protocol):
    """Decides when a warm-up ends."""

    def enough(self, calls: Sequence[Boundaries], elapsed: float) -> bool:
        """Whether to stop after these calls, `elapsed` seconds into the warm-up."""


class ExactCalls(msgspec.Struct, frozen=True):
    """Stops after the number of calls that the user has set."""

    count: int

    def enough(self, calls: Sequence[Boundaries], elapsed: float) -> bool:  # noqa: ARG002 - the protocol's signature
        """Whether there are `count` calls."""
        return len(calls) >= self.count


class SettledState(msgspec.Struct, frozen=True):
    """Stops once calls take no fresh memory that they won't take for good, and times no longer fall.

    Times have settled when the median of the last five isn't more than 5% below the median of the five before, or after
    `seconds`: they fall slowly, while the first calls that reuse memory are several times as fast. At least three calls
    are made. `limit` seconds end the warm-up in any case: a slow operator gets a shorter one rather than no samples.
    """

    seconds: float
    limit: float = float("inf")

    def enough(self, calls: Sequence[Boundaries], elapsed: float) -> bool:
        """Whether the state has settled, or the time limit is reached."""
        if calls and elapsed >= self.limit:
            return True
        if len(calls) < MIN_CALLS or not has_settled(calls):
            return False
        return elapsed >= self.seconds or has_steady_times([call.forward + call.backward for call in calls])


def has_steady_times(samples: Sequence[int], run: int = RUN, share: float = SETTLED) -> bool:
    """Whether the median of the last `run` samples is at most `share` below the median of the `run` before."""
    if len(samples) < 2 * run:
        return False
    before, last = sorted(samples[-2 * run : -run]), sorted(samples[-run:])
    return last[run // 2] >= (1 - share) * before[run // 2]
