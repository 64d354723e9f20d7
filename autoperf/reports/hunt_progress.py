"""Shows how far a hunt is: budget, inputs tried, the best so far; each finding at once, on a stream that is stderr."""

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

from autoperf.core.finding import Finding
from autoperf.reports.hunt import finding_line
from autoperf.reports.units import count, one_line, span

Clock = Callable[[], float]
INTERVAL = 5.0
REFRESHES = 4
BAR_WIDTH = 20

P = TypeVar("P")
T = TypeVar("T", bound="TerminalHuntProgress")


class HuntProgress(Protocol):
    """What a hunt tells whoever watches it; a context manager that starts the display and ends it whatever happens."""

    def update(self, operator: str, elapsed: float, budget: float, tried: int, best: str) -> None:
        """This operator is searched; so many of the budget's seconds are used, and so many inputs tried in all.

        `best` is what stands out most so far, in words; empty if nothing does.
        """

    def found(self, finding: Finding) -> None:
        """This is confirmed."""

    def finish(self) -> None:
        """The hunt is over, or broken off; can be called twice."""

    def __enter__(self: P) -> P:
        """The display itself, shown."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish."""


def hunt_progress_for(stream: TextIO, *, terminal: bool | None = None, clock: Clock = time.monotonic) -> HuntProgress:
    """The display that suits the stream; `terminal` overrides the stream's word."""
    console = Console(file=stream, force_terminal=terminal)
    if console.is_terminal and not console.is_dumb_terminal:
        return TerminalHuntProgress(console)
    return PlainHuntProgress(stream, clock=clock)


class PlainHuntProgress:
    """Lines for a log: one at once, one every few seconds, and one for whatever stands out more, or is found."""

    def __init__(self, stream: TextIO, *, clock: Clock = time.monotonic, interval: float = INTERVAL) -> None:
        self._stream = stream
        self._clock = clock
        self._interval = interval
        self._spoken: float | None = None
        self._best = ""

    def update(self, operator: str, elapsed: float, budget: float, tried: int, best: str) -> None:
        """Say so if it is time, or if the best so far is another than what was said last."""
        now = self._clock()
        if self._spoken is not None and now - self._spoken < self._interval and best == self._best:
            return
        self._spoken, self._best = now, best
        line = f"[{_used(elapsed, budget)}, {count(tried, 'input')}] {one_line(operator)}"
        self._write(f"{line}: best so far {one_line(best)}" if best else line)

    def found(self, finding: Finding) -> None:
        """Say so."""
        self._write(f"found {finding_line(finding)}")

    def finish(self) -> None:
        """Nothing: what was said stays."""

    def __enter__(self: P) -> P:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


class TerminalHuntProgress:
    """A bar of the budget with counts, the operator and the best so far; gone when finished. Findings stay above it."""

    def __init__(self, console: Console, *, refresh: bool = True) -> None:
        self._console = console
        self._operator = "starting"
        self._elapsed = 0.0
        self._budget = 0.0
        self._tried = 0
        self._found = 0
        self._best = ""
        self._live = Live(
            self,
            console=console,
            auto_refresh=refresh,
            refresh_per_second=REFRESHES,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def update(self, operator: str, elapsed: float, budget: float, tried: int, best: str) -> None:
        """Move the bar on."""
        self._operator, self._elapsed, self._budget = operator, elapsed, budget
        self._tried, self._best = tried, best

    def found(self, finding: Finding) -> None:
        """Count it, and print it above the bar."""
        self._found += 1
        self._console.print(Text.assemble(("found ", "bold red"), finding_line(finding)))

    def finish(self) -> None:
        """Take the bar away; the results follow."""
        self._live.stop()

    def __enter__(self: T) -> T:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield three lines, whatever the width: what doesn't fit ends in an ellipsis."""
        width = options.max_width
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_column()
        line.add_column(no_wrap=True, overflow="ellipsis")
        counts = f"{_used(self._elapsed, self._budget)}, {count(self._tried, 'input')}, {count(self._found, 'finding')}"
        total = max(self._budget, self._elapsed, 1e-9)
        line.add_row(ProgressBar(total=total, completed=self._elapsed, width=min(BAR_WIDTH, width // 4)), counts)
        yield line
        yield _fitted(Text.assemble(("now   ", "dim"), (one_line(self._operator), "cyan")), width)
        yield _fitted(Text.assemble(("best  ", "dim"), one_line(self._best) or "nothing stands out yet"), width)


def _used(elapsed: float, budget: float) -> str:
    return f"{span(elapsed)} of {span(budget)}"


def _fitted(line: Text, width: int) -> Text:
    line.truncate(width, overflow="ellipsis")
    return line
