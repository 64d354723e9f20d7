"""Batches: an operator's jobs on each side, and the outcomes that need no measurement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import msgspec

from autoperf.cases.build import BuildResult, Rejection
from autoperf.cases.handwritten import USER_PROFILE
from autoperf.cases.selection import Target
from autoperf.cases.suite import LoadedCase
from autoperf.core.case import Case
from autoperf.core.outcome import Outcome, Status
from autoperf.measurement.batches import Job
from autoperf.rules.rule import DRAWN


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

Identify: TypeAlias = Callable[[Case], object]
"""The key that cases of two sides share if they are measured together."""


def by_id(case: Case) -> object:
    """The key of cases that are the same on both sides."""
    return case.id


def by_key(jobs: Iterable[Job], identify: Identify) -> dict[object, Job]:
    """The jobs of a side by their keys; of several with the same key, each by its number among them too."""
    seen: Counter[object] = Counter()
    keyed: dict[object, Job] = {}
    for job in jobs:
        key = identify(job.case)
        keyed[key, seen[key]] = job
        seen[key] += 1
    return keyed


def named_case(loaded: LoadedCase) -> Case:
    """The case of a Python file, with its function's name as its profile if it states none."""
    if loaded.case.profile != USER_PROFILE:
        return loaded.case
    return msgspec.structs.replace(loaded.case, profile=loaded.function)


NO_MORE_INPUTS = "the rule has no more distinct inputs"


def skipped_outcomes(target: Target, built: BuildResult) -> Iterator[Outcome]:
    """One outcome for an operator without a rule, for each rejected canonical profile, and for missing draws.

    They are skipped, or failed if a user's own rule is at fault.
    """
    name, category = target.operator.name, target.category
    if target.reason:
        yield skipped(name, category, Rejection(name, "none", target.reason))
        return
    for rejection in built.rejections:
        if rejection.profile != DRAWN:
            yield skipped(name, category, rejection)
    if built.missing_draws:
        yield skipped(name, category, _shortage(name, built))


def skipped(operator: str, category: str, rejection: Rejection) -> Outcome:
    """The outcome of a case that can't be made."""
    return Outcome(
        case=f"{operator}/{rejection.profile}",
        operator=operator,
        category=category,
        profile=rejection.profile,
        status=Status.FAILED if rejection.failed else Status.SKIPPED,
        reason=rejection.reason,
        refused_dtype=rejection.dtype or msgspec.UNSET,
    )


def numbered(outcomes: Iterable[Outcome], seen: Counter[str] | None = None) -> Iterator[Outcome]:
    """Outcomes with distinct ids: a profile that several dtypes refuse gets numbers.

    `seen` counts the ids of earlier ones.
    """
    seen = Counter() if seen is None else seen
    for outcome in outcomes:
        seen[outcome.case] += 1
        number = seen[outcome.case]
        yield outcome if number == 1 else msgspec.structs.replace(outcome, case=f"{outcome.case}-{number}")


def _shortage(operator: str, built: BuildResult) -> Rejection:
    """The reason for missing draws."""
    drawn = [rejection for rejection in built.rejections if rejection.profile == DRAWN]
    failed = next((rejection for rejection in drawn if rejection.failed), None)
    if failed:
        return replace(failed, reason=f"{built.missing_draws} draws are missing: {failed.reason}")
    cause = f"{len(drawn)} draws were rejected, first: {drawn[0].reason}" if drawn else NO_MORE_INPUTS
    reason = f"{built.missing_draws} fewer drawn cases than requested: {cause}"
    return Rejection(operator, DRAWN, reason, dtype=drawn[0].dtype if drawn else "")
