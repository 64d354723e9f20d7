"""Opens the run file of an interrupted or killed run for resume."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from autoperf.core.errors import CaseFileError
from autoperf.core.method import METHOD
from autoperf.core.outcome import INTERRUPTED, NO_SAMPLES, Outcome, Status
from autoperf.results.ndjson_writer import opened_for_resume
from autoperf.results.run_reader import RunReader
from autoperf.results.run_writer import ResumableRun
from autoperf.results.runfile import VERSION


def open_for_resume(path: Path) -> ResumableRun:
    """Opens and locks the file of a run that has ended or was cut off. The file isn't changed yet.

    Raises CaseFileError for another file, OutputError if it can't be written, or if the run is still running.
    """
    with opened_for_resume(path, "run") as file, RunReader(path) as run:
        return _resumable(path, file, run)


def _resumable(path: Path, file: io.FileIO, run: RunReader) -> ResumableRun:
    unfinished = frozenset(_unfinished(run))
    # Lines that can't be read are missing outcomes.
    complete = run.end is not None and run.end.complete and run.end.asked <= len(run) and not unfinished
    if run.header.version != VERSION and not complete:
        raise CaseFileError(
            f"{path} can't be resumed: it has version {run.header.version} of the format, and this autoperf "
            f"continues version {VERSION}; resume it with the autoperf that began it"
        )
    if run.header.method != METHOD and not complete:
        raise CaseFileError(
            f"{path} can't be resumed: it was measured by method {run.header.method}, and this autoperf measures by "
            f"method {METHOD}, which may give other times; begin a new run"
        )
    return ResumableRun(
        path=path,
        file=file,
        header=run.header,
        machines=run.machines,
        length=run.length,
        cases=run.cases - unfinished,
        unfinished=unfinished,
        statuses=Counter({Status(name): number for name, number in run.statuses.items()}),
        seconds=run.end.seconds if run.end else run.seconds,
        resumed=run.resumed,
        complete=complete,
        has_replaced=bool(run.replaced),
        notices=run.notices if run.unreadable else (),
    )


def _unfinished(run: RunReader) -> Iterator[str]:
    """The cases that only some of their processes measured: the run was interrupted, or had further visits to make."""
    numbers = (run.header.settings.get(name) for name in ("visits", "processes"))
    visits, processes = (number if isinstance(number, int) else 1 for number in numbers)
    has_further_visits = run.end is None or not run.end.complete
    for position in range(len(run)):
        outcome = run.at(position, samples=False)
        notes = outcome.forward.notes if outcome.forward else ()
        missing = [note for note in notes if NO_SAMPLES in note]
        waits = has_further_visits and (outcome.visit or 1) < visits and 0 < _timed(outcome) < processes
        if missing[0].endswith(INTERRUPTED) if missing else waits:
            yield outcome.case


def _timed(outcome: Outcome) -> int:
    """The number of processes that have timed a case."""
    series = [series for run in outcome.passes.values() for series in run.metrics.values()]
    return max((len(each.processes) or 1 for each in series), default=0)
