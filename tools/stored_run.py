"""Reads a whole run file into memory, for the generators of pages and for tests."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from autoperf.core.errors import CaseFileError
from autoperf.core.outcome import Outcome
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import Machine, RunEnd, RunHeader


class StoredRun(NamedTuple):
    """The content of a run file; `end` is None if the run was cut off."""

    header: RunHeader
    machines: tuple[Machine, ...]
    outcomes: tuple[Outcome, ...]
    end: RunEnd | None


def read_run(path: Path) -> StoredRun:
    """The content of a run file. Raises CaseFileError, also for a line that can't be read."""
    with RunReader(path) as run:
        if run.unreadable:
            raise CaseFileError(run.notices[0])
        return StoredRun(run.header, run.machines, tuple(run), run.end)
