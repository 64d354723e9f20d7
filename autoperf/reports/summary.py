"""The summary of a run: counts by status, the slowest cases, and reasons for missing figures."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable

import msgspec

from autoperf.core.outcome import Outcome, Pass, Series, Status
from autoperf.reports.units import count, one_line

STATUS_STYLE = {
    Status.MEASURED: "green",
    Status.SKIPPED: "yellow",
    Status.FAILED: "red",
    Status.CRASHED: "red",
    Status.TIMEOUT: "red",
}
BROKEN = (Status.FAILED, Status.CRASHED, Status.TIMEOUT)


class RunSummary(msgspec.Struct, frozen=True):
    """Case counts by status; `asked` is their sum, and `seconds` the total time."""

    asked: int
    measured: int
    skipped: int
    failed: int
    crashed: int
    timeout: int
    not_reached: int
    operators: int
    seconds: float

    def sentence(self) -> str:
        """The counts as an addition: `24 cases = 20 measured + 2 skipped + 1 failed + 1 crashed + 0 timeout`."""
        parts = [f"{getattr(self, status.value)} {status.value}" for status in Status]
        if self.not_reached:
            parts.append(f"{self.not_reached} not reached")
        return f"{count(self.asked, 'case')} = {' + '.join(parts)}"


class StatusCounts:
    """Counts outcomes one by one, without keeping them."""

    def __init__(self) -> None:
        self._counts: Counter[Status] = Counter()
        self._operators: set[str] = set()
        self._seconds = 0.0

    def add(self, outcome: Outcome) -> Outcome:
        """Count this outcome and return it."""
        self._counts[outcome.status] += 1
        self._operators.add(outcome.operator)
        self._seconds += outcome.seconds
        return outcome

    def summary(self, asked: int | None = None) -> RunSummary:
        """The counts so far; `asked` is the number of planned cases, if the run may have ended early."""
        counted = self._counts.total()
        return RunSummary(
            **{status.value: self._counts[status] for status in Status},
            asked=max(counted, asked or 0),
            not_reached=max(0, (asked or 0) - counted),
            operators=len(self._operators),
            seconds=self._seconds,
        )


def summarise(outcomes: Iterable[Outcome], asked: int | None = None) -> RunSummary:
    """The counts of these outcomes."""
    tally = StatusCounts()
    for outcome in outcomes:
        tally.add(outcome)
    return tally.summary(asked)


def verdict(outcome: Outcome) -> str:
    """The status and its reason: `failed: MXNet's words`."""
    reason = one_line(outcome.reason)
    return f"{outcome.status.value}: {reason}" if reason else outcome.status.value


def figure(run: Pass | None) -> Series | None:
    """The series that ranks a pass; None without one."""
    return run.ranking_series() if run else None


def slowest(outcomes: Iterable[Outcome], limit: int) -> list[Outcome]:
    """The `limit` cases whose forward median is largest, slowest first."""
    ranked = ((-series.median, outcome) for outcome in outcomes if (series := figure(outcome.forward)) is not None)
    return [outcome for _, outcome in heapq.nsmallest(limit, ranked, key=lambda pair: (pair[0], pair[1].case))]


def reasons(outcomes: Iterable[Outcome]) -> list[tuple[Status, str, Counter[str]]]:
    """Outcomes without a figure: operators by status and reason, the most frequent reason first."""
    groups: dict[tuple[Status, str], Counter[str]] = {}
    for outcome in outcomes:
        if outcome.status is not Status.MEASURED:
            groups.setdefault((outcome.status, one_line(outcome.reason)), Counter())[outcome.operator] += 1
    order = list(Status)
    ranked = sorted(groups.items(), key=lambda item: (order.index(item[0][0]), -item[1].total(), item[0][1]))
    return [(status, reason, operators) for (status, reason), operators in ranked]


def peak(outcome: Outcome) -> int | None:
    """The larger of both passes' peaks, in bytes above the baseline."""
    memory = outcome.memory
    peaks = [] if memory is None else [usage.peak for usage in (memory.forward, memory.backward) if usage is not None]
    return max(peaks, default=None)
