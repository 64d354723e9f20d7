"""What a call costs more through MXNet's Python package than through the C API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autoperf.core.clocks import PYTHON, WALL
from autoperf.core.outcome import Outcome, Pass, Series
from autoperf.reports.units import count, duration
from autoperf.results.intervals import median

MAX_FUNCTIONS = 3
UNCLEAR = "unclear"


def front_end_cost(run: Pass | None) -> float | None:
    """Microseconds that Python adds to the wall time of a pass; None where one of both wasn't timed."""
    python, wall = (run.series(PYTHON), run.series(WALL)) if run else (None, None)
    return python.median - wall.median if python and wall else None


def front_end_text(run: Pass | None) -> str:
    """The cost for a person: `unclear` where the 95% intervals of both wall times overlap."""
    python, wall = (run.series(PYTHON), run.series(WALL)) if run else (None, None)
    if python and wall and _overlap(python, wall):
        return UNCLEAR
    return duration(front_end_cost(run))


def _overlap(first: Series, second: Series) -> bool:
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return False
    return first.low <= second.high and second.low <= first.high


def front_end_line(outcomes: Iterable[Outcome]) -> str:
    """Which functions were called, and what the front end adds to a forward pass; empty if none was timed."""
    costs: list[float] = []
    functions: dict[str, None] = {}
    for outcome in outcomes:
        cost = front_end_cost(outcome.forward)
        if outcome.forward and cost is not None:
            costs.append(cost)
            functions.update(dict.fromkeys(_function(outcome.forward)))
    if not costs:
        return ""
    added = f"; it adds {duration(median(sorted(costs)))} in the median of {count(len(costs), 'case')}"
    return f"python: the wall time through {_listed(list(functions))}{added if len(costs) > 1 else ''}"


def _function(run: Pass) -> Iterator[str]:
    if run.python_function:
        yield run.python_function


def _listed(functions: list[str]) -> str:
    if len(functions) <= MAX_FUNCTIONS:
        return ", ".join(functions)
    return f"{count(len(functions), 'function')} of MXNet's Python package (--columns python_function)"
