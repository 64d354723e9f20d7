"""The run file: NDJSON with a header that lets somebody repeat the run, one line an outcome, and the counts last."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import msgspec

from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.outcome import Outcome, Status

VERSION = 1


class RunHeader(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="run"):
    """The first line. `options` are those of the command line by name; `started` is an ISO 8601 time in UTC."""

    version: int = VERSION
    autoperf: str
    mxnet: str
    seed: int | None
    started: str
    command: tuple[str, ...]
    options: dict[str, Any]
    environment: dict[str, Any]


class RunEnd(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="end"):
    """The last line: cases asked for, and by what became of them. `complete` is false after Ctrl-C."""

    asked: int
    measured: int
    skipped: int
    failed: int
    crashed: int
    timeout: int
    seconds: float
    complete: bool = True


class RunFile(msgspec.Struct, frozen=True):
    """A run file that was read. `end` is None where the run was cut off."""

    header: RunHeader
    outcomes: tuple[Outcome, ...]
    end: RunEnd | None


class RunWriter:
    """Writes a run file line by line; what is written is on its way to the disk before the next case begins.

    Raises OutputError, before anything is measured, if the file exists, its folder doesn't, or it can't be written;
    and while measuring if the disk is full: then the error says what is kept.
    """

    def __init__(self, path: Path, header: RunHeader) -> None:
        self.path = path
        self.counts: Counter[Status] = Counter()
        self._file = _create(path)
        self._write(header)

    def add(self, outcome: Outcome) -> None:
        """Append one outcome."""
        self._write(outcome)
        self.counts[outcome.status] += 1

    def finish(self, seconds: float, complete: bool = True) -> RunEnd:
        """Append the counts; what they are."""
        end = RunEnd(
            asked=self.counts.total(),
            **{status.value: self.counts[status] for status in Status},
            seconds=round(seconds, 3),
            complete=complete,
        )
        self._write(end)
        return end

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, line: msgspec.Struct) -> None:
        # One unbuffered write a line: a line is either there as a whole or, on a full disk, cut off and recognised.
        data = msgspec.json.encode(line) + b"\n"
        try:
            written = self._file.write(data)
        except OSError as error:
            raise self._full(error.strerror or str(error)) from error
        if written != len(data):
            raise self._full("the disk is full")

    def _full(self, why: str) -> OutputError:
        return OutputError(f"can't write {self.path}: {why}; the {self.counts.total()} outcomes before are kept there")


def _create(path: Path) -> BinaryIO:
    if not path.absolute().parent.is_dir():
        raise OutputError(f"the folder {path.absolute().parent} doesn't exist; make it first")
    if path.is_dir():
        raise OutputError(f"{path} is a folder; give a file")
    if path.exists() and path.is_file() and path.stat().st_size:
        raise OutputError(f"{path} exists already; give another file, or remove it")
    try:
        return path.open("wb", buffering=0)
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error


def read_run(path: Path) -> RunFile:
    """A whole run file. Raises CaseFileError with the line that is wrong."""
    lines = iter_run(path)
    header = next(lines)
    outcomes: list[Outcome] = []
    end: RunEnd | None = None
    for line in lines:
        if isinstance(line, Outcome):
            outcomes.append(line)
        elif isinstance(line, RunEnd):
            end = line
    if not isinstance(header, RunHeader):
        raise CaseFileError(f"{path} is no run file: its first line is no header")
    return RunFile(header, tuple(outcomes), end)


def iter_run(path: Path) -> Iterator[RunHeader | Outcome | RunEnd]:
    """The lines of a run file one by one, the header first. A last line that was cut off by a crash is left out."""
    try:
        with path.open("rb") as file:
            yield _header(path, file.readline())
            for number, line in enumerate(file, 2):
                if not line.endswith(b"\n"):
                    return
                yield _line(path, number, line)
    except OSError as error:
        raise CaseFileError(f"can't read the run file {path}: {error.strerror or error}") from error


def _header(path: Path, line: bytes) -> RunHeader:
    try:
        first = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CaseFileError(f"{path} is no run file: line 1: {error}") from error
    kind = first.get("type") if isinstance(first, dict) else None
    if kind != "run":
        raise CaseFileError(f"{path} is no run file: its first line has type {kind!r}, not 'run'")
    if first.get("version") != VERSION:
        raise CaseFileError(
            f"{path} has version {first.get('version')!r} of the run format; this autoperf reads version {VERSION}"
        )
    try:
        return msgspec.convert(first, RunHeader)
    except msgspec.ValidationError as error:
        raise CaseFileError(f"{path}, line 1: {error}") from error


_DECODER = msgspec.json.Decoder(Outcome | RunEnd)


def _line(path: Path, number: int, line: bytes) -> Outcome | RunEnd:
    try:
        decoded: Outcome | RunEnd = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CaseFileError(f"{path}, line {number}: {error}") from error
    return decoded


def default_path(folder: Path, stamp: str) -> Path:
    """Where a run goes that was given no file: `FOLDER/STAMP.ndjson`, numbered if that exists."""
    folder.mkdir(parents=True, exist_ok=True)
    candidates = (folder / f"{stamp}{suffix}.ndjson" for suffix in ("", *(f"-{n}" for n in range(2, os.getpid() + 3))))
    return next(path for path in candidates if not path.exists())
