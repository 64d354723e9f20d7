"""Batches: an operator's jobs on each side, and the outcomes that need no measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgspec

from autoperf.cases.handwritten import USER_PROFILE
from autoperf.core.case import Case
from autoperf.core.outcome import Outcome
from autoperf.executor.batches import Job
from autoperf.executor.settings import Settings
from autoperf.executor.suite import LoadedCase, LoadedSuite
from autoperf.executor.suite_reader import read_suite
from autoperf.generator.render import RenderedFile, write


@dataclass(frozen=True)
class Batch:
    """The jobs of one operator, and the outcomes that need no measurement."""

    operator: str
    jobs: tuple[Job, ...]
    skipped: tuple[Outcome, ...] = ()

    @property
    def size(self) -> int:
        """The number of outcomes that the batch yields."""
        return len(self.jobs) + len(self.skipped)


OperatorBatches: TypeAlias = tuple[Batch, ...]
"""The same cases of one operator on each side; each is queued, or skipped with a reason."""


def read_batch(
    path: Path, scratch: Path, settings: Settings, check: Callable[[LoadedSuite], None] | None = None
) -> Batch:
    """The cases of a Python file, read within the limits of a case.

    A case without a profile has the name of its function. `check` validates the cases first. Raises CaseFileError.
    """
    suite = read_suite(path, scratch, settings.timeout, settings.bytes_allowed)
    if check:
        check(suite)
    jobs = tuple(Job(str(path), loaded.function, _named_case(loaded)) for loaded in suite.cases)
    return Batch(suite.header.operator, jobs)


def _named_case(loaded: LoadedCase) -> Case:
    if loaded.case.profile != USER_PROFILE:
        return loaded.case
    return msgspec.structs.replace(loaded.case, profile=loaded.function)


def jobs_of(cases: Iterable[Case], rendered: RenderedFile | None, folder: Path) -> tuple[Job, ...]:
    """A job for each case of a rendered file, which is written below `folder`; none without a file."""
    if rendered is None:
        return ()
    path = str(write(rendered, folder))
    return tuple(Job(path, rendered.functions[case.id], case) for case in cases)
