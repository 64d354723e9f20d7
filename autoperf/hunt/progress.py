"""Progress of a hunt on stderr: budget, inputs tried, the best candidate, and each finding at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from autoperf.core import events
from autoperf.core.finding import Finding
from autoperf.core.texts import count
from autoperf.hunt.findings import finding_line
from autoperf.hunt.stored import finding_key
from autoperf.reports.progress import INTERVAL, Display, bar_line, fitted, live, live_console
from autoperf.reports.units import one_line, span

Clock = Callable[[], float]
# From this share of the budget on, the display names the stage that the hunt waits for.
NEARLY = 0.9


def hunt_progress_for(stream: TextIO, *, terminal: bool | None = None, clock: Clock = time.monotonic) -> Display:
    """The display that suits the stream; `terminal` overrides detection."""
    console = live_console(stream, terminal)
    return TerminalHuntProgress(console, clock=clock) if console else PlainHuntProgress(stream, clock=clock)


class _HuntState(Display):
    """The state of both displays: the budget, its use at the last event, the inputs tried, and the best candidate."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._begin = clock, clock()
        self._operator, self._best = "starting", ""
        self._elapsed = self._budget = 0.0
        self._tried = 0
        self._measuring_kernels = False
        self._found: set[Hashable] = set()

    def handle(self, event: events.Event) -> None:
        match event:
            case events.HuntStarted():
                self._start()
            case events.BudgetStarted():
                self._budget, self._begin = event.budget, self._clock() - event.used
            case events.OperatorStarted():
                self._operator, self._best = event.operator, ""
            case events.InputTried() | events.PairTimed():
                self._tried += isinstance(event, events.InputTried)
                self._update()
            case events.BestChanged():
                self._best = event.words
                self._update()
            case events.KernelsStarted():
                self._measuring_kernels = True
                self._update()
            case events.FindingConfirmed():
                self._measuring_kernels = False
                # Of a known one the family or the other pass was found since.
                if (key := finding_key(event.finding)) not in self._found:
                    self._found.add(key)
                    self._add(event.finding)
            case events.HuntFinished():
                self._finish()

    def _start(self) -> None:
        """Begin the display."""

    def _update(self) -> None:
        self._elapsed = self._clock() - self._begin

    def _now(self) -> str:
        return ", ".join(filter(None, (one_line(self._operator), self._stage())))

    def _stage(self) -> str:
        """The stage that delays the end of the budget; empty before that."""
        if self._elapsed < NEARLY * self._budget or not self._budget:
            return ""
        used_up = self._elapsed > self._budget
        stage = "measuring the kernels of a finding" if self._measuring_kernels else "confirming" if used_up else ""
        return f"budget used up, {stage}" if used_up else stage

    def _add(self, finding: Finding) -> None:
        """Show a new finding."""

    def _finish(self) -> None:
        """Plain lines stay."""

    def _used(self) -> str:
        return f"{span(self._elapsed)} of {span(self._budget)}, {count(self._tried, 'input')}"


class PlainHuntProgress(_HuntState):
    """Lines for a log: at once, every few seconds, and for each better candidate or finding."""

    def __init__(self, stream: TextIO, *, clock: Clock = time.monotonic, interval: float = INTERVAL) -> None:
        super().__init__(clock)
        self._stream, self._interval = stream, interval
        self._written_at: float | None = None
        self._written = "", ""

    def _update(self) -> None:
        """Write a line if the interval has passed, or if the best candidate or the stage changed."""
        super()._update()
        now, changing = self._clock(), (self._best, self._stage())
        if self._written_at is not None and now - self._written_at < self._interval and changing == self._written:
            return
        self._written_at, self._written = now, changing
        line = f"[{self._used()}] {self._now()}"
        self._write(f"{line}: best so far {one_line(self._best)}" if self._best else line)

    def _add(self, finding: Finding) -> None:
        self._write(f"found {finding_line(finding)}")

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


class TerminalHuntProgress(_HuntState):
    """A bar of the budget with counts, the operator and the best so far; gone when finished. Findings stay above it."""

    def __init__(self, console: Console, *, clock: Clock = time.monotonic, refresh: bool = True) -> None:
        super().__init__(clock)
        self._console = console
        self._live = live(self, console, refresh=refresh)

    def _start(self) -> None:
        self._live.start()

    def _add(self, finding: Finding) -> None:
        self._console.print(Text.assemble(("found ", "bold red"), finding_line(finding)))

    def _finish(self) -> None:
        self._live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield three lines at any width; a line that does not fit ends in an ellipsis."""
        width = options.max_width
        counts = f"{self._used()}, {count(len(self._found), 'finding')}"
        yield bar_line(self._elapsed, max(self._budget, self._elapsed, 1e-9), counts, width)
        yield fitted(Text.assemble(("now   ", "dim"), (self._now(), "cyan")), width)
        yield fitted(Text.assemble(("best  ", "dim"), one_line(self._best) or "nothing stands out yet"), width)
