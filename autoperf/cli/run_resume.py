"""`autoperf run --resume FILE`: the run of a file, with what it was asked for then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click
import msgspec

from autoperf.cli.given import given_options
from autoperf.cli.output import check_report, tell
from autoperf.cli.run_output import RunView, end_of, exit_code, show_runs
from autoperf.cli.run_sessions import measure
from autoperf.core.errors import UsageError
from autoperf.pipeline.resume import ResumedRun, resume
from autoperf.pipeline.run_request import RunRequest

_FREE = frozenset({"form", "resume", "output", "report", "columns", "sort"})
_GROUPS = ("selection", "recipe", "settings")


def resume_run(path: Path, given: RunRequest, shown: RunView, context: click.Context) -> int:
    """Measure what the run of this file has left to do, and show all of it; the exit code.

    `given` is what the command line says; an option that is given and says something else raises UsageError.
    """
    if shown.file:
        check_report(shown.file)
    with ExitStack() as stack:
        resumed = resume(path, stack)
        tell(resumed.notices)
        request = _request(given, resumed)
        for option in _contradictions(given, request, context):
            raise UsageError(
                f"{option} isn't what {path} was made with: leave it out to go on with that run, or start a new one"
            )
        if given.output and given.output.absolute() not in {one.absolute() for one in (path, *resumed.paths)}:
            raise UsageError(f"--resume {path} goes on in that file: leave --output out")
        if not resumed.complete:
            return measure(request, shown)
    tell([f"{one} is complete: nothing is left to do" for one in resumed.paths])
    show_runs(resumed.paths, resumed.options.labels or ("",), shown)
    return exit_code(map(end_of, resumed.paths))


def _request(given: RunRequest, resumed: ResumedRun) -> RunRequest:
    """What the run was asked for."""
    options = resumed.options
    return replace(
        given,
        selection=options.selection,
        recipe=options.recipe,
        settings=options.settings,
        cases=Path(options.cases) if options.cases else None,
        libraries=options.mxnet,
        rules=tuple(map(Path, options.rules)),
        resumed=resumed,
    )


def _contradictions(given: RunRequest, request: RunRequest, context: click.Context) -> Iterator[str]:
    """The options of the command line that ask for something else than the run did."""
    for parameter in given_options(context):
        name = parameter.name or ""
        if name not in _FREE and _plain(given, name) != _plain(request, name):
            yield parameter.opts[0]


def _plain(request: RunRequest, name: str) -> object:
    """What a request has for an option, as a value to compare."""
    holder = next((group for group in _GROUPS if hasattr(getattr(request, group), name)), None)
    value = getattr(getattr(request, holder) if holder else request, name)
    if isinstance(value, Path):
        return str(value.absolute())
    if isinstance(value, tuple):
        return [str(Path(one).absolute()) if Path(str(one)).exists() else str(one) for one in value]
    return msgspec.to_builtins(value)
