"""The overhead of a call through MXNet's Python package over the C API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autoperf.core.clocks import PYTHON, WALL
from autoperf.core.outcome import Difference, Outcome, Pass
from autoperf.reports.units import count, duration
from autoperf.results.intervals import median

MAX_FUNCTIONS = 3
UNCLEAR = "unclear"


def front_end_cost(run: Pass | None) -> float | None:
    """Microseconds that Python adds to the wall time of a pass; None where one of both wasn't timed."""
    difference = _difference(run)
    return difference.median if difference else None


def front_end_interval(run: Pass | None) -> tuple[float | None, float | None]:
    """The ends of the 95% interval of that cost."""
    difference = _difference(run)
    return (difference.low, difference.high) if difference else (None, None)


def front_end_text(run: Pass | None) -> str:
    """The cost as text: `unclear` where its 95% interval encloses zero, or where there is none."""
    difference = _difference(run)
    if difference and not difference.has_sign:
        return UNCLEAR
    return duration(front_end_cost(run))


def _difference(run: Pass | None) -> Difference | None:
    """The difference in the run file; for earlier files, the difference of the medians, by both intervals."""
    if run and run.front_end_us:
        return run.front_end_us
    python, wall = (run.series(PYTHON), run.series(WALL)) if run else (None, None)
    if not (python and wall):
        return None
    difference = python.median - wall.median
    if python.low is None or python.high is None or wall.low is None or wall.high is None:
        return Difference(difference)
    return Difference(difference, python.low - wall.high, python.high - wall.low)


def front_end_line(outcomes: Iterable[Outcome]) -> str:
    """The called functions, and the front end's overhead of a forward pass; empty if none was timed."""
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
