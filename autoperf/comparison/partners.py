"""Which cases of two runs are one: those of the same id, and those of one function of `np` under two names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from autoperf.core.outcome import Outcome, Status
from autoperf.registry.spellings import function_of
from autoperf.reports.layout import grouped
from autoperf.runs.run_reader import RunReader

Describe = Callable[[Outcome], str]
FunctionCall = tuple[str, str, str]
"""A function, a profile and the text of the inputs."""


def function_call(outcome: Outcome, describe: Describe) -> FunctionCall:
    """Equal for the calls of one function that a release registers as `_np_max` and another as `_npi_max`."""
    function = function_of(outcome.operator)
    return function, outcome.profile, describe(outcome) if function != outcome.operator else outcome.case


def partners(base: RunReader, new: RunReader, describe: Describe) -> dict[str, str]:
    """The id of the same case in base for each id in new that has one.

    Measured cases of one function under two names are the same if each side has one of them.
    """
    in_base, in_new = (
        grouped(_of_functions(run, run.cases - other.cases), lambda outcome: function_call(outcome, describe))
        for run, other in ((base, new), (new, base))
    )
    found = {case: case for case in new.cases & base.cases}
    for call, (outcome, *more) in in_new.items():
        others = in_base.get(call, [])
        if len(others) == 1 and not more:
            found[outcome.case] = others[0].case
    return found


def _of_functions(run: RunReader, cases: Collection[str]) -> Iterator[Outcome]:
    """The measured cases among these whose operator implements a function of another name."""
    for case in cases:
        operator = case.partition("/")[0]
        if function_of(operator) != operator:
            outcome = run.outcome(case, samples=False)
            if outcome.status is Status.MEASURED:
                yield outcome
