"""Other runs of this user on this machine at the same time, which disturb each other's measurements."""

from __future__ import annotations

import datetime as dt
import io
import os
import platform
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from autoperf.core.coverage import Check, Health
from autoperf.core.events import Notice, Sink
from autoperf.core.files import is_path_locked, make_locked
from autoperf.core.machine import is_busy
from autoperf.core.paths import cache_folder
from autoperf.measurement.conditions import present_load
from autoperf.measurement.placement import usable_processors
from autoperf.reports.units import count

MAX_COMMAND_LENGTH = 120


class ConcurrentRun(msgspec.Struct, frozen=True):
    """A run: its process id, the machine, its command line, and its start time (UTC, ISO 8601)."""

    pid: int
    machine: str
    command: tuple[str, ...]
    started: str

    def describe(self) -> str:
        """`process 123 since 2024-01-01T00:00:00+00:00: autoperf run`."""
        command = shlex.join(self.command)
        if len(command) > MAX_COMMAND_LENGTH:
            command = command[: MAX_COMMAND_LENGTH - 1] + "…"
        return f"process {self.pid} since {self.started}: {command}"


class ConcurrentRuns:
    """Registers this run in a folder while it lasts, and lists the other runs; a context manager.

    Each run keeps a locked file there. Its first line is the run itself; each run that starts later appends a line, so
    that both know of each other. Files of dead runs are removed. If the folder can't be used, no other runs are listed.
    """

    def __init__(self, folder: Path, command: Sequence[str], started: str) -> None:
        self.current = ConcurrentRun(os.getpid(), platform.node(), tuple(command), started)
        self.earlier: tuple[ConcurrentRun, ...] = ()
        self._folder = folder
        self._file: io.FileIO | None = None

    def __enter__(self) -> ConcurrentRuns:
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = make_locked(self._path, _line(self.current))
            self.earlier = tuple(self._announce())
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._file:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            self._file.close()

    @property
    def later(self) -> tuple[ConcurrentRun, ...]:
        """The runs that have started since this one, whether they have ended or not."""
        if self._file is None:
            return ()
        with suppress(OSError):
            self._file.seek(0)
            runs = _read(self._file.readall())
            return tuple(run for run in runs if run not in (self.current, *self.earlier))
        return ()

    @property
    def _path(self) -> Path:
        return self._folder / f"{self.current.machine}-{self.current.pid}.ndjson"

    def _announce(self) -> Iterator[ConcurrentRun]:
        """Adds this run to the file of each other run, and yields the other runs."""
        for path in sorted(self._folder.glob(f"{self.current.machine}-*.ndjson")):
            if path == self._path:
                continue
            with suppress(OSError):
                if not is_path_locked(path):
                    path.unlink(missing_ok=True)
                    continue
                runs = _read(path.read_bytes())
                with path.open("ab") as file:
                    file.write(_line(self.current))
                yield from runs[:1]


def _line(run: ConcurrentRun) -> bytes:
    return msgspec.json.encode(run) + b"\n"


def _read(text: bytes) -> list[ConcurrentRun]:
    """The runs of a file, without a line that is still being written."""
    runs = []
    for line in text.splitlines(keepends=True):
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            if line.endswith(b"\n"):
                runs.append(msgspec.json.decode(line, type=ConcurrentRun))
    return runs


@contextmanager
def shared_machine(command: tuple[str, ...], sink: Sink) -> Iterator[ConcurrentRuns]:
    """Registers the command with concurrent runs for the block, and at its end reports those that have started."""
    with ConcurrentRuns(cache_folder() / "running", command, now()) as others:
        yield others
        started = "another run started on this machine during this one and may have disturbed its measurements"
        notify(sink, _in_one_line(started, others.later))


def notify_machine_use(others: ConcurrentRuns, sink: Sink) -> None:
    """Emits notices of a busy machine and of concurrent runs."""
    notify(sink, disturbances(others))


def disturbances(others: ConcurrentRuns, fellows: Sequence[str] = ()) -> Iterator[str]:
    """Disturbances of measurements here: load and concurrent runs, but not `fellows`, whose processors are others."""
    runs = [other for other in others.earlier if other.command != tuple(fellows)]
    check = load_check(present_load(), len(usable_processors()))
    if check.advice and len(runs) == len(others.earlier):
        yield f"this machine is busy: {check.finding}; {check.advice}"
    yield from _in_one_line("another run is active on this machine, and each disturbs the other's measurements", runs)


def _in_one_line(words: str, runs: Sequence[ConcurrentRun]) -> Iterator[str]:
    """The words with the first run, and how many more there are; nothing without runs."""
    if runs:
        more = f", and {count(len(runs) - 1, 'more run')}" if len(runs) > 1 else ""
        yield f"{words}: {runs[0].describe()}{more}"


def notify(sink: Sink, lines: Iterable[str]) -> None:
    """Emits a notice for each line."""
    for line in lines:
        sink.handle(Notice(line))


def now() -> str:
    """The current time, in UTC and ISO 8601."""
    return dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds")


def load_check(load: float, processors: int) -> Check:
    """Another process on a processor that MXNet uses affects all measurements."""
    finding = f"other programs use {load:.1f} of {count(processors, 'processor')}"
    if is_busy(load, processors):
        return Check(
            "load", Health.WARNING, finding, "stop other programs (`top` lists them), or expect wide intervals"
        )
    return Check("load", Health.OK, finding)
