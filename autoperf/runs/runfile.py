"""The run file: NDJSON with a header, each machine, and a line for each outcome; and the provenance of a run."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

import msgspec

from autoperf.core.errors import CaseFileError
from autoperf.core.ndjson import check_header, decode_line
from autoperf.core.outcome import FIRST, Outcome
from autoperf.runs.environment import Machine, common_value

VERSION = 5
METHOD_FACT = "method of measuring"


class RunHeader(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="run"):
    """The first line: versions, and the options that repeat the run.

    `method` is the version of the measuring method; other versions may give other results. `mxnet` is the version of
    MXNet, or of another `framework`. Two files with the same `in_turn` are the two sides of an interleaved comparison.
    """

    version: int = VERSION
    method: int = FIRST
    autoperf: str
    mxnet: str
    seed: int | None
    started: str
    command: tuple[str, ...]
    options: dict[str, Any]
    in_turn: str | msgspec.UnsetType = msgspec.UNSET
    framework: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def release(self) -> str:
        """The version, after the name of a framework that isn't MXNet: `1.9.1`, `NumPy 2.1`."""
        return f"{self.framework} {self.mxnet}" if self.framework else self.mxnet

    @property
    def settings(self) -> dict[str, Any]:
        """The settings among its options, whose form isn't checked here."""
        settings = self.options.get("settings")
        return settings if isinstance(settings, dict) else {}


class RunEnd(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="end"):
    """The last line: `asked` outcomes by status, over all sessions; `complete` unless interrupted; its resumes."""

    asked: int
    measured: int = 0
    skipped: int = 0
    failed: int = 0
    crashed: int = 0
    timeout: int = 0
    seconds: float
    complete: bool = True
    resumed: int = 0


_ENTRIES: Any = Machine | Outcome | RunEnd


def value_of_side(values: tuple[str, ...], labels: Sequence[str], label: str) -> tuple[str, ...]:
    """The value of the side with this label, of one for each side or one for all; none of none."""
    if len(values) < 2:
        return values
    return tuple(value for value, other in zip(values, labels, strict=False) if other == label)


def first_line(path: Path, line: bytes) -> RunHeader:
    """The header of a run file. Raises CaseFileError for another file or version."""
    check_header(path, line, "run", VERSION, "read it with the autoperf that wrote it")
    header = decode_line(path, 1, line, RunHeader)
    try:
        dt.datetime.fromisoformat(header.started).timestamp()
    except (ValueError, OverflowError) as error:
        raise CaseFileError(
            f"{path}, line 1: invalid started {header.started!r}: expected a time such as 2026-01-31T12:00:00+00:00"
        ) from error
    return header


def entry_of(path: Path, number: int, line: bytes) -> Machine | Outcome | RunEnd:
    """A further line of a run file. Raises CaseFileError."""
    entry: Machine | Outcome | RunEnd = decode_line(path, number, line, _ENTRIES)
    return entry


class Provenance(msgspec.Struct, frozen=True):
    """The origin of a run's measurements, in plain values.

    `release` is the version of MXNet, or another framework with its version. `build` is the path of its library,
    `revision` the git revision of the folder in which autoperf ran. `threads` are those of the framework. `date` is UTC
    in ISO 8601. `autoperf` is its version. A text about several machines has the values of all; `threads` is None if
    they differ or are unknown.
    """

    release: str
    build: str
    revision: str | None
    machine: str
    processor: str
    threads: int | None
    date: str
    autoperf: str
    seed: int | None
    command: str


def provenance_of(header: RunHeader, machines: Sequence[Machine]) -> Provenance:
    """The provenance of what these machines measured in the run; of one outcome, give its machine alone."""
    every = [machine.environment for machine in machines]
    threads = common_value(each.mxnet.get("threads") for each in every)
    return Provenance(
        release=header.release,
        build=common_value(str(each.mxnet.get("library") or "") for each in every),
        revision=common_value(each.git for each in every if each.git) or None,
        machine=common_value(each.machine for each in every),
        processor=common_value(each.processor.model for each in every),
        threads=threads if isinstance(threads, int) else None,
        date=header.started,
        autoperf=header.autoperf,
        seed=header.seed,
        command=command_line(header.command),
    )


def command_line(words: tuple[str, ...]) -> str:
    """The words as typed in a shell, the program without its folder."""
    if not words:
        return ""
    program, *arguments = words
    name = PurePath(program).name
    return shlex.join(["autoperf" if name == "__main__.py" else name, *arguments])
