"""The run file: NDJSON with a header, a line for each outcome as soon as it is there, and an end."""

from __future__ import annotations

import io
import math
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from autoperf.core.atomic import is_special
from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.ndjson import check_header, decode_line, read_lines
from autoperf.core.outcome import Outcome, ResumeMark, Status
from autoperf.results.environment import Environment
from autoperf.results.ndjson_writer import NdjsonWriter, created

VERSION = 1


class RunHeader(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="run"):
    """The first line: what somebody else needs to repeat the run, and to judge it.

    Two files with the same `in_turn` are the two sides of one comparison, measured in turn.
    """

    version: int = VERSION
    autoperf: str
    mxnet: str
    seed: int | None
    started: str
    command: tuple[str, ...]
    options: dict[str, Any]
    environment: Environment
    in_turn: str | msgspec.UnsetType = msgspec.UNSET


class RunEnd(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="end"):
    """The last line: how many cases came to which end; they add up to `asked`. `complete` unless it was interrupted.

    `resumed` is how often the run was taken up again after it had been cut off; its `seconds` count, not those between.
    """

    asked: int
    measured: int = 0
    skipped: int = 0
    failed: int = 0
    crashed: int = 0
    timeout: int = 0
    seconds: float
    complete: bool = True
    resumed: int = 0


class Run(msgspec.Struct, frozen=True):
    """A run file that was read; `end` is None if the run was cut off."""

    header: RunHeader
    outcomes: tuple[Outcome, ...]
    end: RunEnd | None


@dataclass(frozen=True)
class ResumableRun:
    """A run file that can be gone on with, open and locked, so that nobody else does.

    Nothing of it is changed before a RunWriter takes it. `length` is how many of its bytes stay, `cases` counts its
    outcomes by their cases' ids, `seconds` is what the run has taken so far, and `resumed` how often it was taken up.
    `notices` tells of lines that can't be read, whose cases have no outcome; with such lines no run is complete.
    """

    path: Path
    file: io.FileIO
    header: RunHeader
    length: int
    cases: Counter[str]
    statuses: Counter[Status]
    seconds: float
    resumed: int
    complete: bool
    notices: tuple[str, ...] = ()


class RunWriter:
    """Writes a run file line by line; what it has written is on disk, whatever happens next.

    A context manager. If the run fails before anything was measured, it leaves no file behind. Nobody else can take the
    file up while it is open.
    """

    def __init__(
        self, path: Path, header: RunHeader, *, begun: ResumableRun | None = None, mark: ResumeMark | None = None
    ) -> None:
        """Opens the file and writes the header; raises OutputError if that can't be done, or if the file is there.

        `begun` is a run to go on with instead: what its file has behind the last whole outcome is cut off, and the
        next outcome gets the mark.
        """
        self.path = path
        self.header = header
        self._begun = begun
        self._mark = mark
        self._counts: Counter[Status] = Counter(begun.statuses if begun else {})
        self._ended = False
        if begun:
            self._lines = NdjsonWriter(begun.file)
            self._lines.cut(begun.length)
            return
        check_output(path)
        self._lines = _created(path)
        try:
            self._line(header)
        except OutputError:
            self._discard()
            raise

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and not self._ended and not self._begun and not self._counts[Status.MEASURED]:
            self._discard()
        else:
            self._lines.close()

    @property
    def counts(self) -> Counter[Status]:
        """How many outcomes the file has, by their status."""
        return Counter(self._counts)

    @property
    def restored(self) -> bool:
        """Whether somebody has removed the file meanwhile, so that it was written again."""
        return self._lines.restored > 0

    def add(self, outcome: Outcome) -> None:
        """Writes an outcome; raises OutputError, for instance if the disk is full.

        One that couldn't be read back is written as failed, with the reason.
        """
        outcome = _readable(outcome)
        if self._mark:
            outcome = msgspec.structs.replace(outcome, resumed=self._mark)
        self._line(outcome)
        self._mark = None
        self._counts[outcome.status] += 1

    def finish(self, seconds: float, complete: bool = True) -> RunEnd:
        """Writes and returns the last line, with the counts; of a run that was taken up, the whole of it counts."""
        counts = {status.value: self._counts[status] for status in Status}
        before = self._begun
        end = RunEnd(
            asked=sum(counts.values()),
            seconds=seconds + (before.seconds if before else 0.0),
            complete=complete,
            resumed=before.resumed + 1 if before else 0,
            **counts,
        )
        self._line(end)
        self._ended = True
        return end

    def _line(self, value: object) -> None:
        try:
            self._lines.append(value)
        except OSError as error:
            kept = sum(self._counts.values())
            if self._lines.lost:
                raise OutputError(
                    f"{self.path} was removed while the run went on, with its {kept} outcomes, and can't be written "
                    f"again: {error.strerror}"
                ) from error
            raise OutputError(f"can't write {self.path}: {error.strerror}; {kept} outcomes are kept in it") from error

    def _discard(self) -> None:
        self._lines.close()
        self.path.unlink(missing_ok=True)


def _readable(outcome: Outcome) -> Outcome:
    """The outcome, if a run file's reader takes it; else that it failed."""
    try:
        msgspec.convert(msgspec.to_builtins(outcome), Outcome)
        if not math.isfinite(outcome.seconds):
            raise ValueError(f"invalid seconds {outcome.seconds}: expected a finite number")
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        names = (outcome.case, outcome.operator, outcome.category, outcome.profile)
        case, operator, category, profile = (str(name) for name in names)
        reason = f"its outcome can't be written: {error}"
        return Outcome(
            case=case, operator=operator, category=category, profile=profile, status=Status.FAILED, reason=reason
        )
    return outcome


def _created(path: Path) -> NdjsonWriter:
    try:
        return NdjsonWriter(created(path))
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error


def default_path(folder: Path, stamp: str) -> Path:
    """A path for a run file that isn't there yet; makes the folder. Raises OutputError if it can't be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"can't make the folder {folder} for run files: {error.strerror}") from error
    path, number = folder / f"{stamp}.ndjson", 1
    while path.exists():
        number += 1
        path = folder / f"{stamp}-{number}.ndjson"
    return path


def read_run(path: Path) -> Run:
    """A whole run file. Raises CaseFileError that names the line and what is wrong with it."""
    header: RunHeader | None = None
    end: RunEnd | None = None
    outcomes: list[Outcome] = []
    for number, line in read_lines(path):
        if header is None:
            header = _header(path, line)
        elif end is not None:
            raise CaseFileError(f"{path}, line {number}: the run ends in line {number - 1}, but the file goes on")
        else:
            entry = _entry(path, number, line)
            if isinstance(entry, RunEnd):
                end = _checked(path, number, entry, outcomes)
            else:
                outcomes.append(entry)
    if header is None:
        raise CaseFileError(f"{path} is empty, so it is no run file")
    return Run(header, tuple(outcomes), end)


def check_output(path: Path) -> None:
    """Raises OutputError for a path where no run file can be made; nothing is written."""
    problem = _problem(path)
    if problem:
        raise OutputError(f"can't write {path}: {problem}")


def _problem(path: Path) -> str:
    try:
        if not path.parent.is_dir():
            return f"the folder {path.parent} doesn't exist; make it first"
        if path.is_dir():
            return "it is a folder; name a file in it"
        if is_special(path):
            return "it is a device or a pipe; name a new file"
        if path.exists():
            return "it exists already and isn't overwritten; remove it or name another file"
    except OSError as error:
        return error.strerror or str(error)
    return "" if os.access(path.parent, os.W_OK | os.X_OK) else f"the folder {path.parent} isn't yours to write in"


def _header(path: Path, line: bytes) -> RunHeader:
    check_header(path, line, "run", VERSION, "read it with the autoperf that wrote it")
    return decode_line(path, 1, line, RunHeader)


def _entry(path: Path, number: int, line: bytes) -> Outcome | RunEnd:
    return decode_line(path, number, line, Outcome | RunEnd)  # type: ignore[arg-type] # msgspec takes unions as types


def _checked(path: Path, number: int, end: RunEnd, outcomes: list[Outcome]) -> RunEnd:
    if end.asked != len(outcomes):
        raise CaseFileError(
            f"{path}, line {number}: the run says {end.asked} outcomes, but the file has {len(outcomes)}: "
            "lines are missing"
        )
    return end
