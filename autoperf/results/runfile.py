"""The run file: NDJSON with a header, a line for each outcome as soon as it is measured, and an end."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Any

import msgspec

from autoperf.core.errors import CaseFileError
from autoperf.core.method import FIRST
from autoperf.core.ndjson import check_header, decode_line, read_lines
from autoperf.core.outcome import Outcome
from autoperf.core.probe import Reference
from autoperf.core.roofline import Roofline
from autoperf.results.environment import Environment

VERSION = 4
READABLE = (1, 2, 3, 4)
"""Version 1 has no readings of the probe; in versions 1 and 2 the key of warnings is `doubts`; visits are new in 4."""
RESUMABLE = (2, 3, 4)
_OLDER_KEY = re.compile(rb'"doubts"(?=\s*:)')


class RunHeader(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="run"):
    """The first line: what is needed to repeat the run and to interpret it.

    `method` is the version of the method by which figures are measured, from which other figures may follow.
    Two files with the same `in_turn` are the two sides of an interleaved comparison. Figures are at the speed of
    `reference`. `roofline` is the machine's, if it was known.
    """

    version: int = VERSION
    method: int = FIRST
    autoperf: str
    mxnet: str
    seed: int | None
    started: str
    command: tuple[str, ...]
    options: dict[str, Any]
    environment: Environment
    in_turn: str | msgspec.UnsetType = msgspec.UNSET
    reference: Reference | msgspec.UnsetType = msgspec.UNSET
    roofline: Roofline | msgspec.UnsetType = msgspec.UNSET

    @property
    def current(self) -> RunHeader:
        """The header of a file that is written anew from the outcomes of this one."""
        return msgspec.structs.replace(self, version=VERSION)


class RunEnd(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="end"):
    """The last line: outcomes by status, which add up to `asked`. `complete` is false if the run was interrupted.

    `resumed` is how often the run was resumed; `seconds` is the total over its sessions.
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
    """The content of a run file; `end` is None if the run was cut off."""

    header: RunHeader
    outcomes: tuple[Outcome, ...]
    end: RunEnd | None


def read_run(path: Path) -> Run:
    """Reads a whole run file; of a repeated case, the last outcome counts, in the place of the first.

    Raises CaseFileError with the line and the problem.
    """
    header: RunHeader | None = None
    end: RunEnd | None = None
    outcomes: list[Outcome] = []
    positions: dict[str, int] = {}
    repeated = 0
    for number, line in read_lines(path):
        if header is None:
            header = header_of(path, line)
        elif end is not None:
            raise CaseFileError(f"{path}, line {number}: unexpected line after the end in line {number - 1}")
        else:
            entry = entry_of(path, number, line)
            if isinstance(entry, RunEnd):
                end = _checked_end(path, number, entry, len(outcomes), repeated)
            elif entry.case in positions:
                repeated += entry.visit is msgspec.UNSET
                outcomes[positions[entry.case]] = entry
            else:
                positions[entry.case] = len(outcomes)
                outcomes.append(entry)
    if header is None:
        raise CaseFileError(f"invalid run file {path}: expected a header line, but the file is empty")
    return Run(header, tuple(outcomes), end)


def header_of(path: Path, line: bytes) -> RunHeader:
    """The first line of a run file. Raises CaseFileError for another file or version."""
    check_header(path, line, "run", READABLE, "read it with the autoperf that wrote it")
    header = decode_line(path, 1, line, RunHeader)
    try:
        dt.datetime.fromisoformat(header.started).timestamp()
    except (ValueError, OverflowError) as error:
        raise CaseFileError(
            f"{path}, line 1: invalid started {header.started!r}: expected a time such as 2026-01-31T12:00:00+00:00"
        ) from error
    return header


def entry_of(path: Path, number: int, line: bytes) -> Outcome | RunEnd:
    """A further line of a run file, of any readable version. Raises CaseFileError."""
    # Quotes within a string are escaped in JSON, so this changes keys only.
    current = _OLDER_KEY.sub(b'"warnings"', line)
    return decode_line(path, number, current, Outcome | RunEnd)  # type: ignore[arg-type] # msgspec takes unions


def _checked_end(path: Path, number: int, end: RunEnd, cases: int, repeated: int) -> RunEnd:
    """The end of a run with so many cases. Raises CaseFileError if it states another number."""
    if not cases <= end.asked <= cases + repeated:
        cause = "lines are missing" if cases < end.asked else "lines were added to it"
        raise CaseFileError(
            f"{path}, line {number}: the run says {end.asked} outcomes, but the file has {cases}: {cause}"
        )
    return end
