"""Common parts of the progress displays of runs and hunts, and the estimated time left of a run."""

from __future__ import annotations

import bisect
import math
import statistics
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import TextIO, TypeVar

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from autoperf.core.events import Event

INTERVAL = 5.0
"""Seconds between two lines in a log."""
REFRESHES = 4
BAR_WIDTH = 20

D = TypeVar("D")


class Display(ABC):
    """Shows events; a context manager that always removes the display."""

    @abstractmethod
    def handle(self, event: Event) -> None:
        """Show this event. The display begins when the run or hunt starts, and ends when it finishes."""

    def __enter__(self: D) -> D:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finish()

    @abstractmethod
    def _finish(self) -> None:
        """Remove the display; can be called twice."""


def live_console(stream: TextIO, terminal: bool | None) -> Console | None:
    """The console of a stream whose lines can be drawn again; None for others. `terminal` overrides detection."""
    console = Console(file=stream, force_terminal=terminal)
    return console if console.is_terminal and not console.is_dumb_terminal else None


def live(shown: RenderableType, console: Console, *, refresh: bool) -> Live:
    """The lines at the foot of a terminal, gone when stopped; without `refresh` only a test renders them."""
    return Live(
        shown,
        console=console,
        auto_refresh=refresh,
        refresh_per_second=REFRESHES,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def bar_line(completed: float, total: float, words: Text | str, width: int) -> Table:
    """A bar, and the words beside it on one line."""
    line = Table.grid(padding=(0, 1, 0, 0))
    line.add_column()
    line.add_column(no_wrap=True, overflow="ellipsis")
    line.add_row(ProgressBar(total=total, completed=completed, width=min(BAR_WIDTH, width // 4)), words)
    return line


def fitted(line: Text, width: int) -> Text:
    """The line, which ends in an ellipsis if it is too long."""
    line.truncate(width, overflow="ellipsis")
    return line


PRIOR_SECONDS = 0.5
PRIOR_SAMPLES = 3
PRIOR_CASES = 4
TOLERANCE = 4.0
RECENT_OPERATORS = 6


class TimeLeft:
    """The mean seconds a case, times the cases that are expected still to come.

    Cases are made operator by operator, so their number is known for the operator in flight and expected for later
    ones: the mean of those before. The mean seconds start from a prior, as if three cases had taken half a second each,
    so that the first case, which may have waited for a worker to start, does not decide alone. A case counts for at
    most max(4 median, prior) * sqrt(n) of n cases: one that hung does not spoil the estimate, and slow cases that keep
    coming count in full (a mean truncated at a bound that grows with sqrt(n) still converges to the mean).

    A machine may become busier: the mean is shifted by how much longer the cases of the last RECENT_OPERATORS operators
    took than those of all, as far as that exceeds its standard error. Operators are compared and not cases, since the
    cases of an operator end together, in its last round.
    """

    def __init__(self, operators: int) -> None:
        self._operators = operators
        self._operators_started = 0
        self._cases_before = 0
        self._operator_cases = 0
        self._operator_expected: float = 0
        self._seconds = [PRIOR_SECONDS] * PRIOR_SAMPLES
        self._mean = PRIOR_SECONDS
        self._operator_seconds = 0.0
        self._means: list[float] = []
        """The seconds a case of each finished operator, in their order."""
        self._shift = 0.0

    @property
    def finished(self) -> float:
        """The number of finished operators, with the fraction of the current operator."""
        if self._operators_started == 0:
            return 0.0
        return (
            self._operators_started
            - 1
            + (min(1.0, self._operator_cases / self._operator_expected) if self._operator_expected else 1.0)
        )

    def operator(self, cases: int | None = None) -> None:
        """Start an operator with this number of cases; None: the mean of the operators before."""
        if self._operator_cases:
            self._means.append(self._operator_seconds / self._operator_cases)
            self._shift = _recent_shift(self._means)
        self._operator_seconds = 0.0
        self._cases_before += self._operator_cases
        self._operator_expected = self._cases_each() if cases is None else cases
        self._operator_cases = 0
        self._operators_started += 1

    def done(self, seconds: float) -> None:
        """Count a case that took this number of seconds."""
        self._operator_cases += 1
        self._operator_seconds += max(0.0, seconds)
        bisect.insort(self._seconds, max(0.0, seconds))
        self._mean = _truncated_mean(self._seconds)

    def seconds(self, in_flight: float = 0.0) -> float:
        """The seconds left, at least 0; the current case has used `in_flight` seconds."""
        current = max(0.0, self._operator_expected - self._operator_cases)
        later = max(0, self._operators - self._operators_started) * self._cases_each()
        mean = max(0.0, self._mean + self._shift)
        return max(0.0, mean * (current + later) - min(in_flight, mean))

    def _cases_each(self) -> float:
        """The mean number of cases of an operator, the current operator with its expected number."""
        if self._operators_started == 0:
            return PRIOR_CASES
        return (self._cases_before + max(self._operator_cases, self._operator_expected)) / self._operators_started


def _truncated_mean(ascending: list[float]) -> float:
    cases = len(ascending)
    bound = max(TOLERANCE * ascending[cases // 2], PRIOR_SECONDS) * math.sqrt(cases)
    within = bisect.bisect_right(ascending, bound)
    return (sum(ascending[:within]) + bound * (cases - within)) / cases


def _recent_shift(means: Sequence[float]) -> float:
    """The excess of the mean seconds a case of recent operators over all, shrunk by its standard error.

    The means are bounded alike, so that an operator with a case that hung is no change.
    """
    recent = means[-RECENT_OPERATORS:]
    bound = TOLERANCE * max(statistics.median(recent), statistics.median(means))
    bounded, bounded_recent = ([min(mean, bound) for mean in each] for each in (means, recent))
    shift = statistics.fmean(bounded_recent) - statistics.fmean(bounded)
    if not shift:
        return 0.0
    error = statistics.variance(bounded_recent) / len(recent)
    return shift * shift**2 / (shift**2 + error)
