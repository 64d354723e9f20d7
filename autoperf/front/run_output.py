"""Runs the session of `autoperf run` or a hunt, here or on a cluster, and shows its results and exit code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from autoperf.core.errors import CaseFileError, Exit, UsageError
from autoperf.core.events import Sink, Sinks
from autoperf.core.texts import count
from autoperf.front.output import notices, session_sink, tell
from autoperf.front.stored_reports import Shown, show_runs
from autoperf.front.streams import command_line, is_quiet
from autoperf.measurement.resumed_run import RunOptions, StoredSources, resume_command
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.run_session import FinishedRun, RunEndedError, RunMode, RunSession
from autoperf.reports.progress import progress_for
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import RunEnd

if TYPE_CHECKING:
    from autoperf.hunt.session import FinishedHunt, HuntSession


def measure(request: RunRequest, shown: Shown, cluster: str | None = None) -> int:
    """Measures a request, here or on a cluster, and shows the results so far; the exit code. Raises AutoperfError."""
    shown.check(len(request.libraries_of_sides))
    ended: RunEndedError | None = None
    try:
        finished = run_session(replace(request, reports=shown.files), RunMode(), cluster)
    except RunEndedError as error:
        ended, finished = error, error.run
    sides = finished.sides
    if request.output is not None or request.resumed is not None:
        tell(f"results: {f'{side.framework} {side.label}: ' if len(sides) > 1 else ''}{side.path}" for side in sides)
    if not finished.complete:
        tell_interrupted(finished, request.sources)
    show_runs([side.path for side in sides], shown, [side.label for side in sides])
    if ended:
        raise ended
    return exit_code(side.end for side in sides) if finished.complete else Exit.INTERRUPTED


def run_session(request: RunRequest, mode: RunMode, cluster: str | None = None, *also: Sink) -> FinishedRun:
    """Measures the cases of a request, with progress and notices on standard error; `also` are further sinks."""
    with session_sink(None if is_quiet() else progress_for(notices())) as sink:
        return session_of(request, Sinks(sink, *also), mode, cluster).run()


def session_of(request: RunRequest, sink: Sink, mode: RunMode, cluster: str | None) -> RunSession:
    """The session of a request, on this machine or on a cluster."""
    session = RunSession(request, sink, command_line(), mode)
    if not cluster:
        return session
    from autoperf.fleet.client import on_cluster

    return on_cluster(session, cluster)


def request_of(options: RunOptions) -> RunRequest:
    """The request that has these options, which stand in the header of a run file."""
    return RunRequest(
        options.selection,
        options.recipe,
        options.settings,
        tuple(map(Path, options.cases)),
        libraries=options.mxnet,
        rules=tuple(map(Path, options.rules)),
        own=options.own,
        frameworks=options.frameworks,
    )


def tell_interrupted(run: FinishedRun, sources: StoredSources) -> None:
    """Tells how much an interrupted run has, and the command that resumes it."""
    resume = resume_command("run", run.sides[0].path, sources)
    tell([f"interrupted, {count(run.kept, 'case')} kept; resume with `{resume}`"])


def exit_code(ends: Iterable[RunEnd]) -> int:
    """The exit code of a complete run: a finding if a case failed, or if a release measured nothing."""
    broken = any(end.failed or end.crashed or end.timeout or not end.measured for end in ends)
    return Exit.FINDING if broken else Exit.FINE


def end_of(path: Path) -> RunEnd:
    """The last line of a complete run file. Raises CaseFileError if it is missing."""
    with RunReader(path) as run:
        if run.end is None:
            raise CaseFileError(f"{path}: the last line is missing; the file was changed while it was read")
        return run.end


def checked_cluster(value: str | None) -> str | None:
    """The value. Raises UsageError if it names no cluster, or if Dask isn't installed."""
    if value is not None:
        import_cluster()
        from autoperf.fleet.clusters import check_cluster

        check_cluster(value)
    return value


def import_cluster() -> None:
    """Imports Dask. Raises UsageError if it isn't installed."""
    try:
        import autoperf.fleet.clusters  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"a cluster needs Dask: {error}; `pip install '.[cluster]'` in the folder of the source installs it"
        ) from error


def run_here_or_on(cluster: str | None, session: HuntSession) -> FinishedHunt:
    """Runs the hunt, on this machine or on a cluster. Raises AutoperfError."""
    if not cluster:
        return session.run()
    from autoperf.fleet.clusters import hunt_on

    return hunt_on(cluster, session)
