"""Common parts of the progress displays of runs and hunts."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, TextIO, TypeVar

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


class Display(Protocol):
    """Shows events; a context manager that always removes the display."""

    def handle(self, event: Event) -> None:
        """Show this event. The display begins when the run or hunt starts, and ends when it finishes."""

    def __enter__(self: D) -> D:
        """Return the display, still empty."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the display."""


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
