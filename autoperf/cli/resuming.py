"""`autoperf run --resume FILE`: the run of a file as the session that it was, with what it was asked for then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click
import msgspec
from click.core import ParameterSource

from autoperf.cli.output import tell
from autoperf.cli.session import Session, show_runs
from autoperf.core.errors import UsageError
from autoperf.pipeline.resume import resume

_FREE = frozenset({"form", "resume", "columns", "sort"})
_GROUPS = ("selection", "recipe", "settings")


def go_on(path: Path, given: Session, context: click.Context) -> int:
    """Measure what the run of this file has left to do, and show all of it; the exit code.

    `given` is what the command line says; an option that is given and says something else raises UsageError.
    """
    with ExitStack() as stack:
        found = resume(path, stack)
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
    show_runs(found.paths, asked.labels or ("",), given.form, given.view)
    return 0


def _contradictions(given: Session, begun: Session, context: click.Context) -> Iterator[str]:
    """The options of the command line that ask for something else than the run did."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in _FREE or name == "output" or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        if _plain(given, name) != _plain(begun, name):
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
