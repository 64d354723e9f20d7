"""Adds runs to a history beside other processes that do, and keeps those that wait for them.

A run that waits is a file in a folder beside the history. A machine that shares the folder alone may put run files
there too (copied under another suffix first, then renamed). Each command that opens the history adds them. A file stays
until its run is stored.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from autoperf.core.errors import AutoperfError, OutputError
from autoperf.core.files import NDJSON, atomic_path
from autoperf.core.texts import count
from autoperf.history.database import LockedError
from autoperf.history.store import History
from autoperf.runs.run_reader import RunReader

_CONTROL = f".control{NDJSON}"


def add_runs(database: Path, runs: Sequence[Path], control: Path | None) -> Iterator[str]:
    """Adds each run, and those that wait; yields what became of each. Raises what reading and adding do.

    While another process has the history open for a minute, runs are put beside it and added later.
    """
    with ExitStack() as stack:
        beside = stack.enter_context(RunReader(control)) if control else None
        opened: History | None = None
        for path in runs:
            with RunReader(path) as run:
                try:
                    # After the first run: one that can't be read leaves no empty history behind.
                    opened = opened or stack.enter_context(History(database, write=True))
                except LockedError:
                    yield f"{path}: waits in {put(database, run, beside)}, since another process has the history open"
                    continue
                added = opened.add(run, beside)
                yield from run.notices
            yield f"{path}: " + (f"run {added.run}, {count(added.results, 'case')}" if added else "there already")
        if opened:
            yield from take_in(opened)


def incoming(history: Path) -> Path:
    """The folder of the runs that wait: `history.duckdb.incoming`."""
    # Not `with_name`, which raises for a path without a name, such as a folder's `.`.
    return history.parent / f"{history.name}.incoming"


def put(history: Path, run: RunReader, control: RunReader | None = None) -> Path:
    """Copies a run, and its control before it, to the runs that wait. Raises OutputError."""
    folder = incoming(history)
    name = hashlib.sha256(run.identity).hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for each, suffix in ((control, _CONTROL), (run, NDJSON)):
            if each:
                with atomic_path(folder / f"{name}{suffix}") as temporary:
                    shutil.copyfile(each.path, temporary)
    except OSError as error:
        raise OutputError(f"can't write {folder}: {error.strerror}") from error
    return folder / f"{name}{NDJSON}"


def waiting(history: Path) -> list[Path]:
    """The run files that wait, without their controls."""
    return [path for path in sorted(incoming(history).glob(f"*{NDJSON}")) if not path.name.endswith(_CONTROL)]


def take_in(history: History) -> Iterator[str]:
    """Adds the runs that wait, and removes their files; a notice for each, also for one that can't be read."""
    for path in waiting(history.path):
        control = path.with_name(f"{path.stem}{_CONTROL}")
        try:
            with ExitStack() as stack:
                run = stack.enter_context(RunReader(path))
                beside = stack.enter_context(RunReader(control)) if control.exists() else None
                added = history.add(run, beside)
        except AutoperfError as error:
            yield f"{path} waits, and can't be added: {error}"
            continue
        for each in (path, control):
            each.unlink(missing_ok=True)
        yield f"{path.name}: run {added.run}, which waited" if added else f"{path.name} waited, and is there already"


@contextmanager
def reading(history: Path, tell: Callable[[list[str]], None]) -> Iterator[History]:
    """An open history, to which the runs that wait have been added; `tell` gets notices of them."""
    if number := len(waiting(history)):
        try:
            with History(history, write=True) as opened:
                tell(list(take_in(opened)))
        except OutputError as error:
            tell([f"{count(number, 'run')} {'waits' if number == 1 else 'wait'} in {incoming(history)}: {error}"])
    with History(history) as opened:
        yield opened
