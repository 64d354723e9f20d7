"""How long a run still takes, judged from the cases that are done."""

from __future__ import annotations

import bisect
import math

PRIOR_SECONDS = 0.5
PRIOR_SAMPLES = 3
PRIOR_CASES = 4
TOLERANCE = 4.0


class TimeLeft:
    """The mean seconds a case, times the cases that are expected still to come.

    Cases are made operator by operator, so their number is known for the operator in flight and expected for later
    ones: the mean of those before. The mean seconds start from a prior, as if three cases had taken half a second each,
    so that the first case, which may have waited for a worker to start, does not speak for all. A case counts for at
    most max(4 median, prior) * sqrt(n) of n cases: one that hung does not spoil the estimate, and slow cases that keep
    coming count in full (a mean truncated at a bound that grows with sqrt(n) still converges to the mean).
    """

    def __init__(self, operators: int) -> None:
        self._operators = operators
        self._begun = 0
        self._before = 0
        self._here = 0
        self._expected_here: float = 0
        self._seconds = [PRIOR_SECONDS] * PRIOR_SAMPLES
        self._mean = PRIOR_SECONDS

    @property
    def finished(self) -> float:
        """How many operators are done, the one in flight in parts."""
        if self._begun == 0:
            return 0.0
        return self._begun - 1 + (min(1.0, self._here / self._expected_here) if self._expected_here else 1.0)

    def operator(self, cases: int | None = None) -> None:
        """An operator with so many cases has begun; None: as many as the operators before had."""
        self._before += self._here
        self._expected_here = self._cases_each() if cases is None else cases
        self._here = 0
        self._begun += 1

    def done(self, seconds: float) -> None:
        """A case is done, after this long."""
        self._here += 1
        bisect.insort(self._seconds, max(0.0, seconds))
        self._mean = _truncated_mean(self._seconds)

    def seconds(self, in_flight: float = 0.0) -> float:
        """The seconds that are left, of which the case in flight has used `in_flight`; never below zero."""
        here = max(0.0, self._expected_here - self._here)
        later = max(0, self._operators - self._begun) * self._cases_each()
        return max(0.0, self._mean * (here + later) - min(in_flight, self._mean))

    def _cases_each(self) -> float:
        """Cases an operator so far, the one in flight with what is expected of it."""
        if self._begun == 0:
            return PRIOR_CASES
        return (self._before + max(self._here, self._expected_here)) / self._begun


def _truncated_mean(ascending: list[float]) -> float:
    cases = len(ascending)
    bound = max(TOLERANCE * ascending[cases // 2], PRIOR_SECONDS) * math.sqrt(cases)
    within = bisect.bisect_right(ascending, bound)
    return (sum(ascending[:within]) + bound * (cases - within)) / cases
