"""Pairs the figures of two runs by case, and lists unmatched ones."""

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
_FiguresByKey = dict[tuple[PassName, Clock], Figure]


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of both sides."""

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
    base: RunReader, new: RunReader, options: ComparisonOptions, describe: Describe
) -> Iterator[Pair | Unmatched]:
    """The pairs of each case in the order of NEW, then the cases of BASE alone.

    Only one case is in memory at a time. Raises CaseFileError for samples that don't fit their processes.
    """
    for outcome in new:
        yield from _pairs_of_case(base, new, outcome, options, describe)
    for outcome in base:
        if outcome.case not in new:
            yield _unmatched(outcome, "new", ABSENT)


def _pairs_of_case(
    base: RunReader, new: RunReader, new_outcome: Outcome, options: ComparisonOptions, describe: Describe
) -> Iterator[Pair | Unmatched]:
    if new_outcome.case not in base:
        yield _unmatched(new_outcome, "base", ABSENT)
        return
    base_outcome = base.outcome(new_outcome.case)
    unmeasured: dict[Side, Outcome] = {}
    if base_outcome.status is not Status.MEASURED:
        unmeasured["base"] = base_outcome
    if new_outcome.status is not Status.MEASURED:
        unmeasured["new"] = new_outcome
    # In an interleaved comparison only the side that failed has the reason.
    unmeasured = {
        side: outcome for side, outcome in unmeasured.items() if not outcome.reason.startswith(NOT_TIMED)
    } or unmeasured
    if unmeasured:
        side: Side = "both" if len(unmeasured) > 1 else next(iter(unmeasured))
        yield _unmatched(new_outcome, side, "; ".join(dict.fromkeys(map(_status_text, unmeasured.values()))))
        return
    yield from _paired_figures(
        _figures_by_key(base, base_outcome, options), _figures_by_key(new, new_outcome, options), new_outcome, describe
    )


def _paired_figures(
    base_figures: _FiguresByKey, new_figures: _FiguresByKey, outcome: Outcome, describe: Describe
) -> Iterator[Pair | Unmatched]:
    inputs = describe(outcome)
    for pass_, clock in dict.fromkeys([*base_figures, *new_figures]):
        key = (pass_, clock)
        if key in base_figures and key in new_figures:
            yield Pair(
                case=outcome.case,
                operator=outcome.operator,
                category=outcome.category,
                profile=outcome.profile,
                inputs=inputs,
                pass_=pass_,
                clock=clock,
                base=base_figures[key],
                new=new_figures[key],
            )
        else:
            side: Side = "new" if key in base_figures else "base"
            yield _unmatched(outcome, side, f"no {pass_} {clock.title}", pass_, clock)


def _figures_by_key(reader: RunReader, outcome: Outcome, options: ComparisonOptions) -> _FiguresByKey:
    try:
        return {(pass_, clock): figure for pass_, clock, figure in figures(outcome, options.passes, options.clocks)}
    except ValueError as error:
        raise CaseFileError(f"{reader.path}, case {outcome.case}: {error}") from error


def _status_text(outcome: Outcome) -> str:
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
