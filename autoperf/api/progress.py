"""A run that was started from Python, with progress on standard error or in a notebook."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

from autoperf.api.results import RunResults
from autoperf.cli.arguments import command_line
from autoperf.cli.output import NoticeSink, notices
from autoperf.cli.quiet import NoDisplay
from autoperf.core.events import NullSink, Sinks
from autoperf.core.interrupts import interrupts_resent
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.run_session import RunMode, RunSession
from autoperf.reports.display import Display
from autoperf.reports.progress import NotebookProgress, progress_for
from autoperf.reports.units import count

COMMAND = "measure"
"""The command in the headers of run files that were made from Python."""


def run_with_progress(request: RunRequest, *, shown: bool) -> RunResults:
    """Measures a request of one release. Raises AutoperfError, and KeyboardInterrupt if it was interrupted.

    With `shown`, progress and notices go to standard error, or below the cell of a notebook.
    """
    mode = RunMode(COMMAND)
    with interrupts_resent(), progress_display() if shown else NoDisplay() as progress:
        sink = Sinks(progress, NoticeSink()) if shown else NullSink()
        finished = RunSession(request, sink, command_line(), mode).run()
    (side,) = finished.sides
    if not finished.complete:
        raise KeyboardInterrupt(f"{count(finished.kept, 'outcome')} kept in {side.path}; autoperf.load reads the file")
    return RunResults(side.path)


def progress_display() -> Display:
    """A bar below the cell in a notebook, else the display of the command line."""
    display = notebook_display()
    return NotebookProgress(display) if display else progress_for(notices())


def notebook_display() -> Any:
    """IPython's `display` module within a notebook's kernel; None anywhere else."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    with contextlib.suppress(ImportError):
        from IPython import display  # noqa: PLC0415 - only a notebook has it

        return display
    return None
