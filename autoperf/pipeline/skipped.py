"""Outcomes for what was asked for and can't be run, so that nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.cases.build import Rejection
from autoperf.core.outcome import Outcome, Status
from autoperf.pipeline.generate import Prepared
from autoperf.rules.rule import DRAWN


def skipped(prepared: Prepared) -> Iterator[Outcome]:
    """One outcome for an operator without a rule, one for each canonical profile that inference rejected, and one for
    the draws that are missing; where a user's own rule is at fault, as failed."""
    target, built = prepared.target, prepared.built
    if target.reason:
        yield _outcome(prepared, "none", target.reason)
        return
    for rejection in built.rejections:
        if rejection.profile != DRAWN:
            yield _outcome(prepared, rejection.profile, rejection.reason, _status(rejection))
    if built.missing_draws:
        failed = next((one for one in built.rejections if one.profile == DRAWN and one.failed), None)
        if failed:
            yield _outcome(prepared, DRAWN, f"{built.missing_draws} draws are missing: {failed.reason}", Status.FAILED)
        else:
            yield _outcome(prepared, DRAWN, _shortage(prepared))


def _status(rejection: Rejection) -> Status:
    return Status.FAILED if rejection.failed else Status.SKIPPED


def _shortage(prepared: Prepared) -> str:
    built = prepared.built
    drawn = [rejection for rejection in built.rejections if rejection.profile == DRAWN]
    if not drawn:
        return f"{built.missing_draws} fewer drawn cases than asked for: the rule has no more distinct inputs"
    rejected = f"{len(drawn)} draws were rejected, first: {drawn[0].reason}"
    return f"{built.missing_draws} fewer drawn cases than asked for: {rejected}"


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
