"""`autoperf run --resume FILE`: resumes a run with the options stored in its run file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click
import msgspec

from autoperf.cli.arguments import given_options
from autoperf.cli.output import check_report, tell
from autoperf.cli.report_options import VIEW
from autoperf.cli.run_output import end_of, exit_code, measure
from autoperf.cli.stored_reports import Shown, show_runs
from autoperf.core.errors import UsageError
from autoperf.pipeline.resumed_run import ResumedRun, resume
from autoperf.pipeline.run_request import RunRequest
from autoperf.pipeline.stored_code import require_repeated

FREE = frozenset({*VIEW, "form", "opperf_form", "resume", "output", "report", "extensions", "quiet"})
"""Options that may differ from those of the run that is resumed."""
_GROUPS = ("selection", "recipe", "settings", "own")


def resume_run(path: Path, given: RunRequest, shown: Shown, context: click.Context) -> int:
    """Measures the remaining cases of this run file's run, and shows all results. Returns the exit code.

    `given` is the request of the command line. Raises UsageError if one of its options contradicts the run.
    """
    if shown.file:
        check_report(shown.file)
    with ExitStack() as stack:
        resumed = resume(path, stack)
        tell(resumed.notices)
        request = _request(given, resumed)
        for option in _contradictions(given, request, context):
            raise UsageError(
                f"{option} differs from the options of {path}: leave it out to resume that run, or start a new one"
            )
        own_paths = {file.absolute() for file in (path, *resumed.paths)}
        if given.output and given.output.absolute() not in own_paths:
            raise UsageError(f"--resume {path} appends to that file: leave out --run-file")
        if not resumed.complete:
            require_repeated("run", path, request.sources, given.sources)
            return measure(request, shown)
    tell(f"{file} is complete: nothing to resume" for file in resumed.paths)
    show_runs(resumed.paths, shown, resumed.options.labels or ("",))
    return exit_code(map(end_of, resumed.paths))


def _request(given: RunRequest, resumed: ResumedRun) -> RunRequest:
    """The request of the run that is resumed."""
    options = resumed.options
    return replace(
        given,
        selection=options.selection,
        recipe=options.recipe,
        settings=options.settings,
        cases=tuple(map(Path, options.cases)),
        own=options.own,
        libraries=options.mxnet,
        frameworks=options.frameworks,
        rules=tuple(map(Path, options.rules)),
        resumed=resumed,
    )


def _contradictions(given: RunRequest, request: RunRequest, context: click.Context) -> Iterator[str]:
    """The options of the command line whose values differ from those of the run."""
    for parameter in given_options(context):
        name = parameter.name or ""
        if name not in FREE and comparable(given, name) != comparable(request, name):
            yield parameter.opts[0]


def comparable(request: RunRequest, name: str) -> object:
    """The value of an option in a request, in a form that can be compared."""
    holder = next((group for group in _GROUPS if hasattr(getattr(request, group), name)), None)
    value = getattr(getattr(request, holder) if holder else request, name)
    if isinstance(value, Path):
        return str(value.absolute())
    if isinstance(value, tuple):
        return [str(Path(item).absolute()) if Path(str(item)).exists() else str(item) for item in value]
    return msgspec.to_builtins(value)
