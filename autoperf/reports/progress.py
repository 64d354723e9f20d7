"""Shows how far a run is: a bar on a terminal, plain lines elsewhere, on a stream that is not the results' (stderr)."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, TextIO, TypeVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from autoperf.core.case import Case
from autoperf.core.outcome import Outcome, Status
from autoperf.reports.runs import plain_line
from autoperf.reports.summary import BROKEN, STATUS_STYLE, RunSummary, Tally
from autoperf.reports.timeleft import TimeLeft
from autoperf.reports.units import count, describe_case, one_line, span

Clock = Callable[[], float]
INTERVAL = 5.0
REFRESHES = 4
BAR_WIDTH = 20

P = TypeVar("P")
T = TypeVar("T", bound="TerminalProgress")


class Progress(Protocol):
    """What a run tells whoever watches it; a context manager that starts the display and ends it whatever happens."""

    def batch_started(self, operator: str, cases: int | None = None) -> None:
        """This operator is next, with so many cases."""

    def case_started(self, case: Case) -> None:
        """This case is in flight."""

    def case_done(self, outcome: Outcome) -> None:
        """A case has come to its end."""

    def finish(self) -> None:
        """The run is over, or broken off; can be called twice."""

    def __enter__(self: P) -> P:
        """The display itself, shown."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish."""


def progress_for(
    stream: TextIO,
    operators: int,
    left: Clock | None = None,
    *,
    terminal: bool | None = None,
    clock: Clock = time.monotonic,
) -> Progress:
    """The display that suits the stream, for a run over so many operators; `terminal` overrides the stream's word.

    `left` says how many seconds remain, if somebody knows.
    """
    console = Console(file=stream, force_terminal=terminal)
    if console.is_terminal and not console.is_dumb_terminal:
        return TerminalProgress(console, operators, clock=clock, left=left)
    return PlainProgress(stream, operators, clock=clock, left=left)


class _Watched:
    """What both displays keep: counts, the time left, and when the case in flight began.

    `left` says how many seconds remain, where somebody knows better than the cases that are done: a time budget.
    Then operators come in turn, again and again, and the bar is one of time.
    """

    def __init__(self, operators: int, clock: Clock, left: Clock | None) -> None:
        self._known_left = left
        self._begin = clock()
        self._clock = clock
        self._operators = operators
        self._begun = 0
        self._cases = 0
        self._tally = Tally()
        self._left = TimeLeft(operators)
        self._since = clock()

    def batch_started(self, operator: str, cases: int | None = None) -> None:  # noqa: ARG002 - a bar names it
        """This operator is next, with so many cases."""
        self._begun += 1
        if self._known_left is None:
            self._left.operator(cases)

    def finish(self) -> None:
        """Each display ends in its own way."""

    def __enter__(self: P) -> P:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()

    def _count(self, outcome: Outcome) -> None:
        """Take the outcome in; a case lasts from the end of the one before, so that what lies between counts too."""
        now = self._clock()
        if self._known_left is None:
            self._left.done(now - self._since)
        self._since = now
        self._cases += 1
        self._tally.add(outcome)

    def _time_left(self) -> str:
        return f"{span(self._seconds_left())} left"

    def _seconds_left(self) -> float:
        return self._known_left() if self._known_left else self._left.seconds(self._clock() - self._since)

    def _finished(self) -> float:
        """How much of the bar is full, in operators."""
        if self._known_left is None:
            return self._left.finished
        passed = self._clock() - self._begin
        return self._operators * passed / max(passed + self._known_left(), 1e-9)

    def _position(self) -> str:
        if self._known_left is not None:
            return f"{count(self._operators, 'operator')} in turn, {count(self._cases, 'case')}"
        return f"{self._begun}/{count(self._operators, 'operator')}, {count(self._cases, 'case')}"


class PlainProgress(_Watched):
    """Lines for a log: the first figure at once, then one every few seconds, and each case that broke."""

    def __init__(
        self,
        stream: TextIO,
        operators: int,
        *,
        clock: Clock = time.monotonic,
        interval: float = INTERVAL,
        left: Clock | None = None,
    ) -> None:
        super().__init__(operators, clock, left)
        self._stream = stream
        self._interval = interval
        self._spoken: float | None = None
        self._has_figure = False

    def case_started(self, case: Case) -> None:
        """Nothing: a log says what happened, not what is about to."""

    def case_done(self, outcome: Outcome) -> None:
        """Say so if the case broke, if it is the first or the first with a figure, or if it is time for a line."""
        self._count(outcome)
        now = self._clock()
        due = self._spoken is None or now - self._spoken >= self._interval
        first_figure = outcome.status is Status.MEASURED and not self._has_figure
        if due or first_figure:
            self._spoken = now
        self._has_figure |= first_figure
        if due or first_figure or outcome.status in BROKEN:
            self._stream.write(f"[{self._position()}, {self._time_left()}] {plain_line(outcome)}\n")
            self._stream.flush()


class TerminalProgress(_Watched):
    """A bar with counts and time left, the case in flight and the latest figure; gone when finished."""

    def __init__(
        self,
        console: Console,
        operators: int,
        *,
        clock: Clock = time.monotonic,
        refresh: bool = True,
        left: Clock | None = None,
    ) -> None:
        super().__init__(operators, clock, left)
        self._in_flight = Text("starting", style="dim")
        self._latest = Text()
        self._live = Live(
            self,
            console=console,
            auto_refresh=refresh,
            refresh_per_second=REFRESHES,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def batch_started(self, operator: str, cases: int | None = None) -> None:
        """Name it below the bar."""
        super().batch_started(operator, cases)
        self._in_flight = Text(one_line(operator), style="cyan")

    def case_started(self, case: Case) -> None:
        """Name it below the bar."""
        words = one_line(f"{case.profile} {describe_case(case)}")
        self._in_flight = Text.assemble((one_line(case.operator), "cyan"), f" {words}".rstrip())

    def case_done(self, outcome: Outcome) -> None:
        """Move the bar on, and show the figure below it."""
        self._count(outcome)
        style = "" if outcome.status is Status.MEASURED else STATUS_STYLE[outcome.status]
        self._latest = Text(plain_line(outcome), style=style)

    def finish(self) -> None:
        """Take the bar away; the results follow."""
        self._live.stop()

    def __enter__(self: T) -> T:
        self._live.start()
        return self

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield three lines, whatever the width: what doesn't fit ends in an ellipsis."""
        width = options.max_width
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_column()
        line.add_column(no_wrap=True, overflow="ellipsis")
        words = Text.assemble(self._position(), "  ", (self._time_left(), "cyan"), "  ")
        bar = ProgressBar(total=max(1, self._operators), completed=self._finished(), width=min(BAR_WIDTH, width // 4))
        line.add_row(bar, words + _troubles(self._tally.summary()))
        yield line
        yield _fitted(Text.assemble(("now   ", "dim"), self._in_flight), width)
        yield _fitted(Text.assemble(("last  ", "dim"), self._latest), width)


def _troubles(summary: RunSummary) -> Text:
    """The cases without a figure so far, in words and colour."""
    counts = [(status, getattr(summary, status.value)) for status in Status if status is not Status.MEASURED]
    parts = [Text(f"{number} {status.value}", style=STATUS_STYLE[status]) for status, number in counts if number]
    return Text(", ").join(parts)


def _fitted(line: Text, width: int) -> Text:
    line.truncate(width, overflow="ellipsis")
    return line
