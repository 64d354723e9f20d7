"""Other runs of this user on this machine at the same time: they take each other's processor, and both should know."""

from __future__ import annotations

import io
import os
import platform
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from autoperf.core.locks import is_path_locked, make_locked

LONGEST = 120


class ConcurrentRun(msgspec.Struct, frozen=True):
    """A run: its process, the machine, its command line, and when it began (UTC, ISO 8601)."""

    pid: int
    machine: str
    command: tuple[str, ...]
    started: str

    def describe(self) -> str:
        """`process 123 since 2024-01-01T00:00:00+00:00: autoperf run`."""
        words = shlex.join(self.command)
        shown = words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
        return f"process {self.pid} since {self.started}: {shown}"


class ConcurrentRuns:
    """Makes this run known in a folder while it goes on, and knows of the others; a context manager.

    Each run keeps a file there. Its first line is the run itself; whoever begins later adds a line of its own, so that
    each knows of all that were there at the same time. Files of runs that are dead are removed. Where the folder can't
    be used, a run knows of no others.
    """

    def __init__(self, folder: Path, command: Sequence[str], started: str) -> None:
        self.own = ConcurrentRun(os.getpid(), platform.node(), tuple(command), started)
        self.earlier: tuple[ConcurrentRun, ...] = ()
        self._folder = folder
        self._file: io.FileIO | None = None

    def __enter__(self) -> ConcurrentRuns:
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = make_locked(self._path, _line(self.own))
            self.earlier = tuple(self._greet())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            self._file.close()

    @property
    def later(self) -> tuple[ConcurrentRun, ...]:
        """The runs that have begun since this one did, ended or not."""
        if self._file is None:
            return ()
        with suppress(OSError):
            self._file.seek(0)
            return tuple(one for one in _read(self._file.readall()) if one not in (self.own, *self.earlier))
        return ()

    @property
    def _path(self) -> Path:
        return self._folder / f"{self.own.machine}-{self.own.pid}.ndjson"

    def _greet(self) -> Iterator[ConcurrentRun]:
        """The other runs, each of which is told of this one."""
        for path in sorted(self._folder.glob(f"{self.own.machine}-*.ndjson")):
            if path == self._path:
                continue
            with suppress(OSError):
                if not is_path_locked(path):
                    path.unlink(missing_ok=True)
                    continue
                found = _read(path.read_bytes())
                with path.open("ab") as file:
                    file.write(_line(self.own))
                yield from found[:1]


def notices_at_start(others: Iterable[ConcurrentRun]) -> Iterator[str]:
    """What a run says at its beginning of those that go on."""
    for one in others:
        yield f"another run goes on on this machine, and each disturbs the other's figures: {one.describe()}"


def notices_at_end(others: Iterable[ConcurrentRun]) -> Iterator[str]:
    """What a run says at its end of those that have begun meanwhile."""
    for one in others:
        yield f"another run began on this machine meanwhile, and may have disturbed figures: {one.describe()}"


def _line(run: ConcurrentRun) -> bytes:
    return msgspec.json.encode(run) + b"\n"


def _read(text: bytes) -> list[ConcurrentRun]:
    """The runs of a file; a line that is being written is left out."""
    found = []
    for line in text.splitlines(keepends=True):
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            if line.endswith(b"\n"):
                found.append(msgspec.json.decode(line, type=ConcurrentRun))
    return found
