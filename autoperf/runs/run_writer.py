"""Writes a run file, each outcome to the disk as soon as it is measured; opens the file of an interrupted run again."""

from __future__ import annotations

import datetime as dt
import io
import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.files import is_special
from autoperf.core.interrupts import interrupts_deferred
from autoperf.core.ndjson import begun, continued, opened_for_resume
from autoperf.core.outcome import INTERRUPTED, METHOD, Outcome, ResumeMark, Status
from autoperf.core.texts import count
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import Machine, RunEnd, RunHeader


@dataclass(frozen=True)
class ResumableRun:
    """A run file that can be resumed; it is open and locked.

    A RunWriter makes the first change. `length` is the number of bytes to keep, `cases` has the ids of the cases that
    are done, and `unfinished` the statuses of those whose measurement was interrupted, by their ids. `statuses` counts
    the outcomes of both, `seconds` is the total so far, `resumed` the number of resumes. With `has_replaced`, some
    lines have outcomes that a later one replaced. `notices` reports unreadable lines, whose cases have no outcome; the
    run is then incomplete.
    """

    path: Path
    file: io.FileIO
    header: RunHeader
    machines: tuple[Machine, ...]
    length: int
    cases: frozenset[str]
    statuses: Counter[Status]
    seconds: float
    resumed: int
    complete: bool
    unfinished: Mapping[str, Status] = field(default_factory=dict)
    has_replaced: bool = False
    notices: tuple[str, ...] = ()


class RunWriter:
    """Writes a locked run file, each line to the disk at once; removes it if the run fails before a measurement."""

    def __init__(
        self,
        path: Path,
        header: RunHeader,
        machine: Machine,
        *,
        resumed: ResumableRun | None = None,
        mark: ResumeMark | None = None,
    ) -> None:
        """Creates the file and writes its first lines; raises OutputError if that fails, or if the file exists.

        With `resumed` it goes on after the last complete outcome of that run, and the next outcome gets the mark.
        """
        self.path = path
        self.header = header
        self._machines = {each.id for each in resumed.machines} if resumed else {machine.id}
        self._resumed = resumed
        self._mark = mark
        self._counts: Counter[Status] = Counter(resumed.statuses if resumed else {})
        self._has_replaced = resumed is not None and resumed.has_replaced
        self._unfinished = dict(resumed.unfinished if resumed else {})
        self._ended = False
        if not resumed:
            check_output(path)
        try:
            # Header and machine in one piece: a file without a machine can't be read.
            self._lines = continued(resumed.file, resumed.length) if resumed else begun(path, header, machine)
        except OSError as error:
            raise OutputError(f"can't write {path}: {error.strerror}") from error
        self.add_machine(machine)

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._lines.close()
        # A file that couldn't be written on was said to keep its outcomes, skipped ones too.
        unneeded = 0 if isinstance(error, OutputError) else self._counts[Status.SKIPPED]
        is_kept = self._ended or self._resumed or self._counts.total() > unneeded
        if error is not None and not is_kept:
            self.path.unlink(missing_ok=True)

    @property
    def counts(self) -> Counter[Status]:
        """The number of outcomes in the file by status."""
        return Counter(self._counts)

    @property
    def restored(self) -> bool:
        """Whether the file was removed meanwhile and written again."""
        return self._lines.restored > 0

    def add_machine(self, machine: Machine) -> None:
        """Writes the record of a machine before its first outcome, unless the file has it. Raises OutputError."""
        if machine.id not in self._machines:
            self._append(machine)
            self._machines.add(machine.id)

    def add(self, outcome: Outcome, replaced: Status | None = None) -> None:
        """Writes an outcome; raises OutputError, for instance if the disk is full.

        With `replaced`, the status of the case's outcome of an earlier visit, it counts in the place of that one, whose
        line `finish` removes; an outcome whose measurement was interrupted before the run was resumed is replaced too.
        """
        replaced = self._unfinished.pop(outcome.case, replaced)
        if self._mark:
            outcome = msgspec.structs.replace(outcome, resumed=self._mark)
        # A line that isn't counted would make the file invalid.
        with interrupts_deferred():
            self._append(outcome)
            self._mark = None
            self._counts[outcome.status] += 1
            if replaced:
                self._counts[replaced] -= 1
                self._has_replaced = True

    def finish(self, seconds: float, complete: bool = True) -> RunEnd:
        """Writes and returns the end, with the counts and seconds over all sessions of the run."""
        counts = {status.value: self._counts[status] for status in Status}
        before = self._resumed
        end = RunEnd(
            asked=sum(counts.values()),
            seconds=seconds + (before.seconds if before else 0.0),
            complete=complete,
            resumed=before.resumed + 1 if before else 0,
            **counts,
        )
        with interrupts_deferred():
            try:
                self._append(end)
            except OutputError:
                # An incomplete run means the same without its last line, as a killed one.
                if complete or self._lines.lost:
                    raise
                return end
            self._ended = True
            if self._has_replaced:
                # Leaves one line of each case in the file, and those that mark a resume. A disk without space for the
                # shorter file keeps the longer one, which means the same.
                with suppress(OSError, CaseFileError):
                    with RunReader(self.path) as run:
                        replaced = run.replaced
                    self._lines.leave_out(replaced)
        return end

    def _append(self, *values: object) -> None:
        try:
            self._lines.append(*values)
        except OSError as error:
            number = sum(self._counts.values())
            if self._lines.lost:
                raise OutputError(
                    f"{self.path} was removed while the run went on, with its {count(number, 'outcome')}, and can't be "
                    f"written again: {error.strerror}"
                ) from error
            kept = count(number, "outcome is", "outcomes are")
            raise OutputError(f"can't write {self.path}: {error.strerror}; {kept} kept in it") from error


def default_path(folder: Path, stamp: str) -> Path:
    """An unused path for a run file in the folder, which is created. Raises OutputError if it can't be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"can't make the folder {folder} for run files: {error.strerror}") from error
    path, number = folder / f"{stamp}.ndjson", 1
    while path.exists():
        number += 1
        path = folder / f"{stamp}-{number}.ndjson"
    return path


def check_output(path: Path) -> None:
    """Raises OutputError for a path where no run file can be created; nothing is written."""
    problem = ""
    try:
        if not path.parent.is_dir():
            problem = f"the folder {path.parent} doesn't exist; make it first"
        elif path.is_dir():
            problem = "it is a folder; name a file in it"
        elif is_special(path):
            problem = "it is a device or a pipe; name a new file"
        elif path.exists():
            problem = "it exists already and isn't overwritten; remove it or name another file"
        elif not os.access(path.parent, os.W_OK | os.X_OK):
            problem = f"the folder {path.parent} isn't writable"
    except OSError as error:
        problem = error.strerror or str(error)
    if problem:
        raise OutputError(f"can't write {path}: {problem}")


def open_for_resume(path: Path) -> ResumableRun:
    """Opens and locks the file of a run, as `opened_for_resume` does. The file isn't changed yet."""
    with opened_for_resume(path, "run") as file, RunReader(path) as run:
        unfinished = dict(_unfinished(run))
        # Lines that can't be read are missing outcomes.
        complete = run.end is not None and run.end.complete and run.end.asked <= len(run) and not unfinished
        if run.header.method != METHOD and not complete:
            raise CaseFileError(
                f"{path} can't be resumed: it was measured by method {run.header.method}, and this autoperf measures "
                f"by method {METHOD}, which may give other times; begin a new run"
            )
        return ResumableRun(
            path=path,
            file=file,
            header=run.header,
            machines=run.machines,
            length=run.length,
            cases=run.cases - unfinished.keys(),
            unfinished=unfinished,
            statuses=Counter({Status(name): number for name, number in run.statuses.items()}),
            seconds=run.end.seconds if run.end else min(run.seconds, _elapsed(path, run.header)),
            resumed=run.resumed,
            complete=complete,
            has_replaced=bool(run.replaced),
            notices=run.notices if run.unreadable else (),
        )


def _elapsed(path: Path, header: RunHeader) -> float:
    """The seconds from the begin of a run to the last change of its file: cases beside each other take longer.

    Infinite where a clock that was wrong, or an archive, dates the change before the begin.
    """
    seconds = path.stat().st_mtime - dt.datetime.fromisoformat(header.started).timestamp()
    return seconds if seconds > 0 else math.inf


def _unfinished(run: RunReader) -> Iterator[tuple[str, Status]]:
    """The cases that an interrupt left without counts or without some of their processes, or that wait for a visit."""
    has_further_visits = run.end is None or not run.end.complete
    for position in range(len(run)):
        outcome = run.at(position, samples=False)
        notes = outcome.forward.notes if outcome.forward else ()
        waits = has_further_visits and outcome.waits is True
        if waits or any(note.endswith(f": {INTERRUPTED}") for note in notes):
            yield outcome.case, outcome.status
