"""Takes up a run file where a run that was killed or interrupted has left it."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

from autoperf.core.errors import OutputError
from autoperf.core.inputs import check_input
from autoperf.core.locks import lock
from autoperf.core.outcome import Status
from autoperf.results.run_reader import RunReader
from autoperf.results.runfile import ResumableRun


def open_for_resume(path: Path) -> ResumableRun:
    """Opens and locks the file of a run that has ended, complete or cut off. The file isn't changed yet.

    Raises CaseFileError if it is no run file, OutputError if it can't be written, or if the run still goes on.
    """
    if path.exists():
        check_input(path)
    file = _opened(path)
    try:
        with RunReader(path) as run:
            return _begun(path, file, run)
    except BaseException:
        file.close()
        raise


def _opened(path: Path) -> io.FileIO:
    try:
        file = io.FileIO(path, "r+")
    except OSError as error:
        raise OutputError(f"can't resume {path}: {error.strerror}") from error
    if not lock(file):
        file.close()
        raise OutputError(f"the run that writes {path} still goes on; only one that has ended can be resumed")
    return file


def _begun(path: Path, file: io.FileIO, run: RunReader) -> ResumableRun:
    statuses = Counter({Status(name): number for name, number in run.statuses.items()})
    seconds = run.end.seconds if run.end else run.seconds
    complete = run.end is not None and run.end.complete and not _missing(run)
    notices = run.notices if run.unreadable else ()
    return ResumableRun(
        path, file, run.header, run.length, run.times(), statuses, seconds, run.resumed, complete, notices
    )


def _missing(run: RunReader) -> bool:
    """Whether the run had outcomes that can't be read any more."""
    return run.end is not None and run.end.asked > run.total
