"""Progress of a run below the cell of a notebook."""

from __future__ import annotations

import html
import time
from typing import Any, Protocol

from autoperf.core.events import CaseFinished, Event, Notice
from autoperf.reports.plain_line import plain_line
from autoperf.reports.progress import Clock, RunProgress


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

    def handle(self, event: Event) -> None:
        """Update the bar by this event; notices have no place in it."""
        super().handle(event)
        if isinstance(event, Notice):
            return
        bar = self._display.HTML(self._bar())
        if self._handle is None:
            self._handle = self._display.display(bar, display_id=True)
        else:
            self._handle.update(bar)

    def _case_finished(self, event: CaseFinished) -> None:
        super()._case_finished(event)
        self._latest = plain_line(event.outcome)

    def _bar(self) -> str:
        words = html.escape(f"{self._position()}, {self._time_left()}")
        return (
            f'<progress value="{self._finished():.3f}" max="{self._all}"></progress> {words}'
            f"<br>{html.escape(self._latest)}"
        )
