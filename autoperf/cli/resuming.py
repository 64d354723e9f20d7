"""`autoperf run --resume FILE`: the run of a file as the session that it was, with what it was asked for then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click
import msgspec

from autoperf.cli.given import given_options
from autoperf.cli.output import tell
from autoperf.cli.session import Session, exit_code, show_runs
from autoperf.core.errors import CaseFileError, UsageError
from autoperf.pipeline.resume import resume
from autoperf.results.reading import RunReader
from autoperf.results.runfile import RunEnd, check_output

_FREE = frozenset({"form", "resume", "output", "report", "columns", "sort"})
_GROUPS = ("selection", "recipe", "settings")


def go_on(path: Path, given: Session, context: click.Context) -> int:
    """Measure what the run of this file has left to do, and show all of it; the exit code.

    `given` is what the command line says; an option that is given and says something else raises UsageError.
    """
    if given.report:
        check_output(given.report)
    with ExitStack() as stack:
        found = resume(path, stack)
        tell(found.notices)
        asked = found.asked
        begun = replace(
            given,
            selection=asked.selection,
            recipe=asked.recipe,
            settings=asked.settings,
            cases=Path(asked.cases) if asked.cases else None,
            libraries=asked.mxnet,
            rules=tuple(map(Path, asked.rules)),
            resumption=found,
        )
        for option in _contradictions(given, begun, context):
            raise UsageError(
                f"{option} isn't what {path} was made with: leave it out to go on with that run, or start a new one"
            )
        if given.output and given.output.absolute() not in {one.absolute() for one in (path, *found.paths)}:
            raise UsageError(f"--resume {path} goes on in that file: leave --output out")
        if not found.complete:
            return begun.run()
    tell([f"{one} is complete: nothing is left to do" for one in found.paths])
    show_runs(found.paths, asked.labels or ("",), given.form, given.view, given.report)
    return exit_code(_end(path) for path in found.paths)


def _end(path: Path) -> RunEnd:
    """The last line of a complete run. Raises CaseFileError if it has gone meanwhile."""
    with RunReader(path) as run:
        if run.end is None:
            raise CaseFileError(f"{path} has no end any more: it was changed while it was read")
        return run.end


def _contradictions(given: Session, begun: Session, context: click.Context) -> Iterator[str]:
    """The options of the command line that ask for something else than the run did."""
    for parameter in given_options(context):
        name = parameter.name or ""
        if name not in _FREE and _plain(given, name) != _plain(begun, name):
            yield parameter.opts[0]


def _plain(session: Session, name: str) -> object:
    """What a session has for an option, as a value to compare."""
    holder = next((group for group in _GROUPS if hasattr(getattr(session, group), name)), None)
    value = getattr(getattr(session, holder) if holder else session, name)
    if isinstance(value, Path):
        return str(value.absolute())
    if isinstance(value, tuple):
        return [str(Path(one).absolute()) if Path(str(one)).exists() else str(one) for one in value]
    return msgspec.to_builtins(value)
