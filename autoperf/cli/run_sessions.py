"""Sessions of `autoperf run` and `autoperf compare`, with progress and notices on standard error."""

from __future__ import annotations

from autoperf.cli.invocation import command_line
from autoperf.cli.output import notices
from autoperf.cli.run_output import RunView, show_finished
from autoperf.cli.sinks import NoticeSink
from autoperf.core.events import Sinks
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.run_session import FinishedRun, RunMode, RunSession
from autoperf.reports.progress import progress_for


def measure(request: RunRequest, shown: RunView) -> int:
    """Measure what is asked for, and show it; the exit code."""
    shown.check(len(request.libraries), request.output)
    finished = session(request, RunMode())
    return show_finished(finished, shown, named=request.output is not None or request.resumed is not None)


def session(request: RunRequest, mode: RunMode) -> FinishedRun:
    """Measure what is asked for; what happens is shown meanwhile."""
    with progress_for(notices()) as progress:
        return RunSession(request, Sinks(progress, NoticeSink()), command_line(), mode).run()
