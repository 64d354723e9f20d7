"""The progress of a run below the cell of a notebook."""

from __future__ import annotations

from typing import Any

from autoperf.core.events import CaseFinished, Notice, OperatorStarted, RunFinished, RunStarted
from autoperf.reports.progress import NotebookProgress
from tests.values import outcome, passed, steady


class Cell:
    """What stands below a cell, as IPython's `display` module puts it there."""

    HTML = str

    def __init__(self) -> None:
        self.shown: list[str] = []

    def display(self, text: str, *, display_id: bool) -> Cell:
        assert display_id
        self.shown.append(text)
        return self

    def update(self, text: str) -> None:
        self.shown[-1] = text


def progress_after(*events: Any) -> list[str]:
    cell = Cell()
    with NotebookProgress(cell, clock=lambda: 0.0) as progress:
        for event in events:
            progress.handle(event)
    return cell.shown


def test_one_bar_is_updated() -> None:
    finished = CaseFinished(0, outcome(1, passed(steady(10.0))))
    (bar,) = progress_after(RunStarted(2), OperatorStarted("exp", 1), finished, OperatorStarted("log", 1))
    assert bar.startswith('<progress value="1.000" max="2"></progress> ')
    assert "forward 10.0 us" in bar
    (bar,) = progress_after(RunStarted(1), OperatorStarted("exp", 1), finished, RunFinished())
    assert "0 s left" in bar


def test_a_call_that_is_refused_shows_no_bar() -> None:
    assert progress_after() == progress_after(Notice("this machine is busy")) == []
