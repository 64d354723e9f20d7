"""Progress displays of runs: a bar on a terminal or in a notebook, plain lines elsewhere, and the time left."""

from __future__ import annotations

import bisect
import html
import math
import statistics
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Protocol, TextIO, TypeVar

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from autoperf.core import events
from autoperf.core.outcome import BROKEN, Status
from autoperf.core.texts import count
from autoperf.reports.totals import STATUS_STYLE, StatusCounts, plain_line
from autoperf.reports.units import describe_case, one_line, profile_label, span

INTERVAL = 5.0
"""Seconds between two lines in a log."""
REFRESHES = 4
BAR_WIDTH = 20

D = TypeVar("D")


class Display(ABC):
    """Shows events; a context manager that always removes the display."""

    @abstractmethod
    def handle(self, event: events.Event) -> None:
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
        current = min(1.0, self._operator_cases / self._operator_expected) if self._operator_expected else 1.0
        return self._operators_started - 1 + current

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
        cases = len(self._seconds)
        bound = max(TOLERANCE * self._seconds[cases // 2], PRIOR_SECONDS) * math.sqrt(cases)
        within = bisect.bisect_right(self._seconds, bound)
        self._mean = (sum(self._seconds[:within]) + bound * (cases - within)) / cases

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


Clock = Callable[[], float]


def progress_for(stream: TextIO, *, terminal: bool | None = None, clock: Clock = time.monotonic) -> Display:
    """The display that suits the stream; `terminal` overrides detection."""
    console = live_console(stream, terminal)
    return TerminalProgress(console, clock=clock) if console else PlainProgress(stream, clock=clock)


class RunProgress(Display):
    """The state of all displays: counts, the time left, and the start of the case in flight.

    With a time budget, the seconds that remain replace the estimate, and the bar shows time: operators take turns.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._begun = 0
        self._cases = 0
        self._tally = StatusCounts()
        self._fleet: events.FleetMeasured | None = None
        self._expect(events.RunStarted(0))

    def _expect(self, event: events.RunStarted) -> None:
        self._operators = event.operators
        self._visits = event.visits
        self._known_left = event.left
        self._left = TimeLeft(event.operators * event.visits)
        self._begin = self._since = self._clock()

    def handle(self, event: events.Event) -> None:
        """Update the state by this event."""
        match event:
            case events.RunStarted():
                self._expect(event)
            case events.OperatorStarted():
                self._begun += 1
                if self._known_left is None:
                    self._left.operator(event.cases)
            case events.CaseFinished():
                # Its time runs from the end of the previous case, so that time between cases counts.
                now = self._clock()
                if self._known_left is None:
                    self._left.done(now - self._since)
                self._since = now
                if event.replaced is None:
                    self._cases += 1
                    self._tally.add(event.outcome)
            case events.FleetMeasured():
                self._fleet = event
            case events.RunFinished():
                self._finish()

    def _finish(self) -> None:
        """Plain lines stay."""

    def _time_left(self) -> str:
        left = self._known_left() if self._known_left else self._left.seconds(self._clock() - self._since)
        return f"{span(left)} left"

    def _finished(self) -> float:
        """The filled part of the bar, in operators."""
        if self._known_left is None:
            return self._left.finished
        passed = self._clock() - self._begin
        return self._operators * passed / max(passed + self._known_left(), 1e-9)

    @property
    def _all(self) -> int:
        """The whole bar, in operators, each as often as the run comes to it."""
        return max(1, self._operators * self._visits)

    def _position(self) -> str:
        operators, cases = count(self._operators, "operator"), count(self._cases, "case")
        place = f"{self._begun}/{operators}, {cases}"
        if self._known_left is not None:
            place = f"{operators} in turn, {cases}"
        elif 0 < self._operators < self._begun:
            visit, operator = divmod(self._begun - 1, self._operators)
            place = f"visit {visit + 1}: {operator + 1}/{operators}"
        return f"{place}, {count(self._fleet.machines, 'machine')}" if self._fleet else place

    def _shares(self) -> str:
        cases = self._fleet.cases if self._fleet else {}
        ordered = sorted(cases.items(), key=lambda item: (-item[1], item[0]))
        return ", ".join(f"{name} {number / sum(cases.values()):.0%}" for name, number in ordered)


class PlainProgress(RunProgress):
    """Lines for a log: the first figure at once, then one every few seconds, and each failed case."""

    def __init__(self, stream: TextIO, *, clock: Clock = time.monotonic, interval: float = INTERVAL) -> None:
        super().__init__(clock)
        self._stream = stream
        self._interval = interval
        self._written_at: float | None = None
        self._has_figure = False

    def handle(self, event: events.Event) -> None:
        """Write a line if a case failed, is the first or the first with a figure, or the interval has passed."""
        super().handle(event)
        if not isinstance(event, events.CaseFinished):
            return
        outcome, now = event.outcome, self._clock()
        due = self._written_at is None or now - self._written_at >= self._interval
        first_figure = outcome.status is Status.MEASURED and not self._has_figure
        if due or first_figure:
            self._written_at = now
        self._has_figure |= first_figure
        if due or first_figure or outcome.status in BROKEN:
            self._stream.write(f"[{self._position()}, {self._time_left()}] {plain_line(outcome)}\n")
            self._stream.flush()


class TerminalProgress(RunProgress):
    """A bar with counts and time left, the case in flight and the latest figure; gone when finished."""

    def __init__(self, console: Console, *, clock: Clock = time.monotonic, refresh: bool = True) -> None:
        super().__init__(clock)
        self._in_flight = Text("starting", style="dim")
        self._latest = Text()
        self._live = live(self, console, refresh=refresh)

    def handle(self, event: events.Event) -> None:
        """Update the lines by this event."""
        super().handle(event)
        match event:
            case events.RunStarted():
                self._live.start()
            case events.OperatorStarted():
                self._in_flight = Text(one_line(event.operator), style="cyan")
            case events.CaseStarted():
                case = event.case
                words = f"{profile_label(case.profile)} {one_line(describe_case(case))}"
                self._in_flight = Text.assemble((one_line(case.operator), "cyan"), f" {words}".rstrip())
            case events.CaseFinished():
                status = event.outcome.status
                style = "" if status is Status.MEASURED else STATUS_STYLE[status]
                self._latest = Text(plain_line(event.outcome), style=style)

    def _finish(self) -> None:
        self._live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield three lines at any width, and one of machines; a line that does not fit ends in an ellipsis."""
        width = options.max_width
        words = Text.assemble(self._position(), "  ", (self._time_left(), "cyan"), "  ")
        summary = self._tally.summary()
        counts = [(status, getattr(summary, status.value)) for status in Status if status is not Status.MEASURED]
        failures = [Text(f"{number} {status.value}", style=STATUS_STYLE[status]) for status, number in counts if number]
        words += Text(", ").join(failures)
        yield bar_line(self._finished(), self._all, words, width)
        yield fitted(Text.assemble(("now   ", "dim"), self._in_flight), width)
        yield fitted(Text.assemble(("last  ", "dim"), self._latest), width)
        if self._fleet:
            yield fitted(Text.assemble(("on    ", "dim"), self._shares()), width)


class NotebookDisplay(Protocol):
    """The part of IPython's `display` module that is used."""

    HTML: Any

    def display(self, *shown: Any, display_id: bool) -> Any:
        """Shows something, and returns a handle that can update it."""


class NotebookProgress(RunProgress):
    """A bar with counts and the time left, and the latest figure; it stays when the run is finished."""

    def __init__(self, display: NotebookDisplay, *, clock: Clock = time.monotonic) -> None:
        super().__init__(clock)
        self._display = display
        self._latest = ""
        # Shown with the first event: a call that is refused leaves nothing below the cell.
        self._handle: Any = None

    def handle(self, event: events.Event) -> None:
        """Update the bar by this event; notices have no place in it."""
        super().handle(event)
        if isinstance(event, events.CaseFinished):
            self._latest = plain_line(event.outcome)
        if isinstance(event, events.Notice):
            return
        words = html.escape(f"{self._position()}, {self._time_left()}")
        bar = self._display.HTML(
            f'<progress value="{self._finished():.3f}" max="{self._all}"></progress> {words}'
            f"<br>{html.escape(self._latest)}"
        )
        if self._handle is None:
            self._handle = self._display.display(bar, display_id=True)
        else:
            self._handle.update(bar)
