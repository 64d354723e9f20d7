"""Outcomes of requested cases that can't be made, so that every request is accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from autoperf.cases.build import Rejection
from autoperf.core.outcome import Outcome, Status
from autoperf.pipeline.suite_generation import Prepared
from autoperf.rules.rule import DRAWN


def skipped_outcomes(prepared: Prepared) -> Iterator[Outcome]:
    """One outcome for an operator without a rule, for each rejected canonical profile, and for missing draws.

    They are skipped, or failed if a user's own rule is at fault.
    """
    target, built = prepared.target, prepared.built
    if target.reason:
        yield _outcome(prepared, "none", target.reason)
        return
    for rejection in built.rejections:
        if rejection.profile != DRAWN:
            yield _outcome(prepared, rejection.profile, rejection.reason, _status(rejection))
    if built.missing_draws:
        failed = next((item for item in built.rejections if item.profile == DRAWN and item.failed), None)
        if failed:
            yield _outcome(prepared, DRAWN, f"{built.missing_draws} draws are missing: {failed.reason}", Status.FAILED)
        else:
            yield _outcome(prepared, DRAWN, _shortage(prepared))


def numbered(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """These outcomes of one operator, with ids of their own: a profile that several dtypes refuse gets numbers."""
    seen: Counter[str] = Counter()
    for outcome in outcomes:
        seen[outcome.case] += 1
        number = seen[outcome.case]
        yield outcome if number == 1 else msgspec.structs.replace(outcome, case=f"{outcome.case}-{number}")


def _status(rejection: Rejection) -> Status:
    return Status.FAILED if rejection.failed else Status.SKIPPED


def _shortage(prepared: Prepared) -> str:
    built = prepared.built
    drawn = [rejection for rejection in built.rejections if rejection.profile == DRAWN]
    if not drawn:
        return f"{built.missing_draws} fewer drawn cases than requested: the rule has no more distinct inputs"
    rejected = f"{len(drawn)} draws were rejected, first: {drawn[0].reason}"
    return f"{built.missing_draws} fewer drawn cases than requested: {rejected}"


def _outcome(prepared: Prepared, profile: str, reason: str, status: Status = Status.SKIPPED) -> Outcome:
    target = prepared.target
    return Outcome(
        case=f"{target.operator.name}/{profile}",
        operator=target.operator.name,
        category=target.category,
        profile=profile,
        status=status,
        reason=reason,
    )
