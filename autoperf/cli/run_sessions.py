"""Sessions of `autoperf run` and `autoperf compare`, with progress and notices on standard error."""

from __future__ import annotations

from autoperf.cli.arguments import command_line
from autoperf.cli.output import NoticeSink, notices
from autoperf.cli.quiet import NoDisplay, is_quiet
from autoperf.cli.run_output import RunView, show_finished
from autoperf.core.events import Sinks
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.run_session import FinishedRun, RunMode, RunSession
from autoperf.reports.progress import progress_for


def measure(request: RunRequest, shown: RunView) -> int:
    """Measures the cases of a request, and shows the results. Returns the exit code."""
    shown.check(len(request.libraries), request.output)
    finished = run_session(request, RunMode())
    is_named = request.output is not None or request.resumed is not None
    return show_finished(finished, shown, request.sources, named=is_named)


def run_session(request: RunRequest, mode: RunMode) -> FinishedRun:
    """Measures the cases of a request, with progress and notices on standard error."""
    with NoDisplay() if is_quiet() else progress_for(notices()) as progress:
        return RunSession(request, Sinks(progress, NoticeSink()), command_line(), mode).run()
