"""Opens the run file of an interrupted or killed run for resume."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.inputs import check_input
from autoperf.core.locks import lock
from autoperf.core.outcome import Status
from autoperf.results.run_reader import RunReader
from autoperf.results.run_writer import ResumableRun
from autoperf.results.runfile import RESUMABLE


def open_for_resume(path: Path) -> ResumableRun:
    """Opens and locks the file of a run that has ended or was cut off. The file isn't changed yet.

    Raises CaseFileError for another file, OutputError if it can't be written, or if the run is still running.
    """
    if path.exists():
        check_input(path)
    file = _open_locked(path)
    try:
        with RunReader(path) as run:
            return _resumable(path, file, run)
    except BaseException:
        file.close()
        raise


def _open_locked(path: Path) -> io.FileIO:
    try:
        file = io.FileIO(path, "r+")
    except OSError as error:
        raise OutputError(f"can't resume {path}: {error.strerror}") from error
    if not lock(file):
        file.close()
        raise OutputError(f"can't resume {path}: its run is still running; wait until it ends")
    return file


def _resumable(path: Path, file: io.FileIO, run: RunReader) -> ResumableRun:
    if run.header.version not in RESUMABLE:
        raise CaseFileError(
            f"{path} can't be resumed: it has version {run.header.version} of the format, and this autoperf "
            f"continues versions {' and '.join(map(str, RESUMABLE))}; resume it with the autoperf that began it"
        )
    statuses = Counter({Status(name): number for name, number in run.statuses.items()})
    seconds = run.end.seconds if run.end else run.seconds
    complete = run.end is not None and run.end.complete and not _lacks_outcomes(run)
    notices = run.notices if run.unreadable else ()
    return ResumableRun(
        path=path,
        file=file,
        header=run.header,
        length=run.length,
        cases=run.outcomes_by_case(),
        statuses=statuses,
        seconds=seconds,
        resumed=run.resumed,
        complete=complete,
        has_replaced=bool(run.replaced),
        notices=notices,
    )


def _lacks_outcomes(run: RunReader) -> bool:
    """Whether the run had outcomes that can't be read."""
    return run.end is not None and run.end.asked > run.total
