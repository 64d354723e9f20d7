"""Pairs the figures of two runs by case, and lists what has no partner."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from autoperf.analysis.comparison import ComparisonOptions, Side, Unmatched
from autoperf.analysis.figures import Figure, figures
from autoperf.core.clocks import Clock
from autoperf.core.errors import CaseFileError
from autoperf.core.outcome import NOT_TIMED, Outcome, PassName, Status
from autoperf.results.run_reader import RunReader

ABSENT = "absent"
Describe = Callable[[Outcome], str]
_Found = dict[tuple[PassName, Clock], Figure]


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """A figure that both sides have."""

    case: str
    operator: str
    category: str
    profile: str
    inputs: str
    pass_: PassName
    clock: Clock
    base: Figure
    new: Figure


def pairs(
    base: RunReader, new: RunReader, question: ComparisonOptions, describe: Describe
) -> Iterator[Pair | Unmatched]:
    """What both runs have of each case, in the order of NEW, then what is in BASE alone.

    One case at a time is in memory. Raises CaseFileError for samples that don't fit their processes.
    """
    for outcome in new:
        yield from _both(base, new, outcome, question, describe)
    for outcome in base:
        if outcome.case not in new:
            yield _unmatched(outcome, "new", ABSENT)


def _both(
    base: RunReader, new: RunReader, now: Outcome, question: ComparisonOptions, describe: Describe
) -> Iterator[Pair | Unmatched]:
    if now.case not in base:
        yield _unmatched(now, "base", ABSENT)
        return
    was = base.outcome(now.case)
    without: dict[Side, Outcome] = {}
    if was.status is not Status.MEASURED:
        without["base"] = was
    if now.status is not Status.MEASURED:
        without["new"] = now
    # Of two sides that were measured in turn, the one that lacks the case has the reason.
    without = {side: one for side, one in without.items() if not one.reason.startswith(NOT_TIMED)} or without
    if without:
        side: Side = "both" if len(without) > 1 else next(iter(without))
        yield _unmatched(now, side, "; ".join(dict.fromkeys(map(_ended, without.values()))))
        return
    yield from _figures(_found(base, was, question), _found(new, now, question), now, describe)


def _figures(was: _Found, now: _Found, outcome: Outcome, describe: Describe) -> Iterator[Pair | Unmatched]:
    inputs = describe(outcome)
    for pass_, clock in dict.fromkeys([*was, *now]):
        key = (pass_, clock)
        if key in was and key in now:
            yield Pair(
                case=outcome.case,
                operator=outcome.operator,
                category=outcome.category,
                profile=outcome.profile,
                inputs=inputs,
                pass_=pass_,
                clock=clock,
                base=was[key],
                new=now[key],
            )
        else:
            side: Side = "new" if key in was else "base"
            yield _unmatched(outcome, side, f"no {pass_} {clock.title}", pass_, clock)


def _found(reader: RunReader, outcome: Outcome, question: ComparisonOptions) -> _Found:
    try:
        return {(pass_, clock): figure for pass_, clock, figure in figures(outcome, question.passes, question.clocks)}
    except ValueError as error:
        raise CaseFileError(f"{reader.path}, case {outcome.case}: {error}") from error


def _ended(outcome: Outcome) -> str:
    return f"{outcome.status.value}: {outcome.reason}" if outcome.reason else outcome.status.value


def _unmatched(
    outcome: Outcome, missing: Side, reason: str, pass_: PassName | None = None, clock: Clock | None = None
) -> Unmatched:
    return Unmatched(
        case=outcome.case,
        operator=outcome.operator,
        missing=missing,
        reason=reason,
        pass_=pass_,
        clock=clock.name if clock else None,
    )
