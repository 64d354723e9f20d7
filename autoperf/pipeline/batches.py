"""Batches: an operator's jobs on each side, and the outcomes that need no measurement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from autoperf.cases.handwritten import USER_PROFILE
from autoperf.core.case import Case
from autoperf.core.outcome import Outcome
from autoperf.executor.batches import Job
from autoperf.executor.suite import LoadedCase


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


def named_case(loaded: LoadedCase) -> Case:
    """The case of a Python file, with its function's name as its profile if it states none."""
    if loaded.case.profile != USER_PROFILE:
        return loaded.case
    return msgspec.structs.replace(loaded.case, profile=loaded.function)
