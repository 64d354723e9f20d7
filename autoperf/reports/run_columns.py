"""The columns of a run: a row is an outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

import msgspec

from autoperf.core.clocks import KERNEL, METRICS, PYTHON, WALL, Metric
from autoperf.core.outcome import PASSES, Difference, Outcome, Pass, PassName, Series
from autoperf.core.texts import count
from autoperf.core.work import CodeCount
from autoperf.counts.functions import shortened
from autoperf.reports import units
from autoperf.reports.columns import Column, Place, Value, fact, noted, numeric
from autoperf.reports.provenance import pass_letters
from autoperf.reports.totals import failure, figure, notes_of, peak
from autoperf.stats.correction import median

MAX_FUNCTIONS = 3
MAX_PATH = 25
UNCLEAR = "unclear"
WARNING_CODES = "warnings"


def front_end(run: Pass | None) -> Difference | None:
    """The microseconds that Python adds to the wall time of a pass; None where one of both wasn't timed.

    It is the difference in the run file; for earlier files, the difference of the medians, by both intervals.
    """
    if run and run.front_end_us:
        return run.front_end_us
    python, wall = (run.series(PYTHON), run.series(WALL)) if run else (None, None)
    if not (python and wall):
        return None
    difference = python.median - wall.median
    if python.low is None or python.high is None or wall.low is None or wall.high is None:
        return Difference(difference)
    return Difference(difference, python.low - wall.high, python.high - wall.low)


def front_end_text(run: Pass | None) -> str:
    """The cost as text: `unclear` where its 95% interval encloses zero, or where there is none."""
    cost = front_end(run)
    return UNCLEAR if cost and not cost.has_sign else units.duration(cost.median if cost else None)


def front_end_line(outcomes: Iterable[Outcome]) -> str:
    """The called functions, and the front end's overhead of a forward pass; empty if none was timed."""
    costs: list[float] = []
    functions: dict[str, None] = {}
    for outcome in outcomes:
        cost = front_end(outcome.forward)
        if outcome.forward and cost:
            costs.append(cost.median)
            if outcome.forward.python_function:
                functions[outcome.forward.python_function] = None
    if not costs:
        return ""
    listed = ", ".join(functions)
    if len(functions) > MAX_FUNCTIONS:
        listed = f"{count(len(functions), 'function')} of MXNet's Python package (--columns python_function)"
    added = f"; it adds {units.duration(median(sorted(costs)))} in the median of {count(len(costs), 'case')}"
    return f"python: the wall time through {listed}{added if len(costs) > 1 else ''}"


_INTERVAL = "95%: how far the 95% interval of the median reaches, to its farther side"
ROOFLINE = "roofline: the least time of a pass by the machine's bandwidth and peak, as a share of its time"
_FRONT_END = "front end: what Python adds to the wall time of the C API's call; unclear: its 95% interval encloses zero"
_FIRST_CALL = "first call: the wall time of the first call in a process, with fresh memory and kernels to compile"
_COMPILE = "compile: the time in which a pass was compiled from nothing; recompiles: how often it was compiled again"
_FAULTS = "faults: the page faults of a call, in the median; each takes a microsecond or two of its time"
_PATH = "path: oneDNN's kernel by its log; by counts also BLAS, MXNet's operator or libm; MXNet: its own loop, or BLAS"
_TAIL = "P90: how far the 90th percentile lies above the median of the kernel times"


def _set(value: Any) -> Any:
    return None if value is msgspec.UNSET else value


def _of_pass(pass_: PassName, value: Callable[[Pass], Any]) -> Callable[[Outcome], Any]:
    """A value of a pass by its outcome; None where the pass wasn't measured, or where it is unset."""
    return lambda outcome: _set(value(run)) if (run := outcome.passes.get(pass_)) else None


def _pass_column(
    pass_: PassName,
    name: str,
    value: Callable[[Outcome], Value],
    unit: str = "",
    *,
    header: str = "",
    place: Place = Place.REQUEST,
    **layout: Any,
) -> Column[Outcome]:
    words = header or name.replace("_", " ")
    return numeric(f"{pass_}_{name}", value, unit=unit, place=place, header=words, group=pass_, **layout)


def _clock_columns(pass_: PassName, clock: Metric) -> Iterator[Column[Outcome]]:
    series = _of_pass(pass_, lambda run: run.series(clock))

    def statistic(name: str) -> Callable[[Outcome], Value]:
        return lambda outcome: _set(getattr(found, name)) if (found := series(outcome)) else None

    # One function for all columns of the clock, which are shown together or not at all.
    present = statistic("median")

    def column(part: str, value: Callable[[Outcome], Value], unit: str = "") -> Column[Outcome]:
        name = f"{clock.name}_{part}"
        return _pass_column(pass_, name, value, unit, optional=clock.on_request, presence=present)

    def figures(*names: str) -> Iterator[Column[Outcome]]:
        return (column(name, statistic(name), clock.unit) for name in names)

    yield from figures("mean")
    yield _pass_column(
        pass_, clock.name, present, clock.unit, csv=f"{pass_}_{clock.name}_median{'_us' if clock.is_time else ''}",
        place=Place.FIGURE, optional=True, presence=present, always=not clock.on_request,
    )  # fmt: skip
    if clock == KERNEL:
        yield from _noise(pass_, series)
    yield from figures("p50", "p90", "p99", "min", "max", "std", "low", "high")
    if clock.is_time:
        yield from figures("uncorrected")
    yield column("count", statistic("count"))
    yield column("processes", lambda outcome: max(1, len(found.processes)) if (found := series(outcome)) else None)
    yield column("loops", statistic("loops"))
    if clock.is_time:
        yield from (column(name, statistic(name)) for name in ("slope", "speed", "steady", "retaken"))
    yield column(
        "warnings",
        lambda outcome: " ".join(warning.value for warning in found.warnings) if (found := series(outcome)) else None,
    )


def _noise(pass_: PassName, kernel: Callable[[Outcome], Series | None]) -> Iterator[Column[Outcome]]:
    ranked = _of_pass(pass_, figure)
    yield _pass_column(
        pass_, "interval", lambda outcome: units.reach(ranked(outcome)), "share", header="95%", csv="",
        text=lambda outcome: units.within(ranked(outcome)), place=Place.FIGURE, legend=_INTERVAL, optional=True,
    )  # fmt: skip
    yield _pass_column(
        pass_, "tail", lambda outcome: units.tail(kernel(outcome)), "share", header="P90", csv="",
        text=lambda outcome: units.spread(kernel(outcome)), place=Place.FIGURE, priority=4, legend=_TAIL,
        optional=True,
    )  # fmt: skip


def _parts(pass_: PassName) -> Iterator[Column[Outcome]]:
    def part(name: str, field: str, unit: str = "", **layout: Any) -> Column[Outcome]:
        return _pass_column(pass_, name, _of_pass(pass_, attrgetter(field)), unit, **layout)

    yield part("helpers", "helpers_us", "us")
    yield part("dispatch", "dispatch_us", "us")
    yield part("first_call", "first_us", "us", legend=_FIRST_CALL)
    yield part("compile", "compile_us", "us", place=Place.FIGURE, priority=3, optional=True, legend=_COMPILE)
    yield part("recompiles", "recompiles", optional=True, legend=_COMPILE)
    yield part("faults", "faults", legend=_FAULTS)


def _python(pass_: PassName) -> Iterator[Column[Outcome]]:
    def end(name: str) -> Callable[[Outcome], Value]:
        return _of_pass(pass_, lambda run: getattr(front_end(run), name, None))

    cost = end("median")
    yield _pass_column(
        pass_, "front_end", cost, "us", text=lambda outcome: front_end_text(outcome.passes.get(pass_)),
        place=Place.FIGURE, optional=True, legend=_FRONT_END,
    )  # fmt: skip
    for name in ("low", "high"):
        yield _pass_column(pass_, f"front_end_{name}", end(name), "us", optional=True, presence=cost)


def _code(pass_: PassName) -> Iterator[Column[Outcome]]:
    path = _of_pass(pass_, lambda run: run.path or None)
    functions = _of_pass(pass_, lambda run: _function_shares(run.code) if run.code else None)
    yield _pass_column(
        pass_, "path", path, text=lambda outcome: shortened(str(path(outcome) or units.NONE), MAX_PATH),
        priority=2, optional=True, right=False, legend=_PATH, room=MAX_PATH + 3,
    )  # fmt: skip
    yield _pass_column(pass_, "functions", functions, optional=True, right=False)


def _function_shares(code: CodeCount) -> str:
    """The largest functions with their shares: `UnaryOp::Compute<cpu, relu> 99.7%; ...`."""
    total = max(1, code.instructions)
    largest = code.functions[:MAX_FUNCTIONS]
    return units.one_line("; ".join(f"{shortened(each.name)} {each.instructions / total:.1%}" for each in largest))


def _throughput(pass_: PassName) -> Iterator[Column[Outcome]]:
    def column(name: str, header: str, field: str, room: int, **layout: Any) -> Column[Outcome]:
        value = _of_pass(pass_, lambda run: getattr(run.throughput, field) if run.throughput else None)
        return _pass_column(
            pass_, name, value, header=header, csv=f"{pass_}_{field}", place=Place.FIGURE, optional=True,
            always=True, room=room, **layout,
        )  # fmt: skip

    yield column("bandwidth", "GB/s", "gb_per_s", 8, priority=3)
    yield column("flops", "GFLOP/s", "gflop_per_s", 9, priority=3)
    priority = 1 + PASSES.index(pass_)
    yield column("roofline", "roofline", "roofline", 10, priority=priority, unit="share", legend=ROOFLINE)


def _calls() -> Iterator[Column[Outcome]]:
    """The number of times that the networks make a captured call, and the time of all these calls."""

    def calls(outcome: Outcome) -> int | None:
        return sum(outcome.calls.values()) if outcome.calls else None

    def total(pass_: PassName) -> Callable[[Outcome], Value]:
        def value(outcome: Outcome) -> float | None:
            series, number = figure(outcome.passes.get(pass_)), calls(outcome)
            return number * series.median if number and series else None

        return value

    yield Column("calls", "calls", calls, csv="calls", optional=True)
    for name in PASSES:
        yield _pass_column(name, "total", total(name), "us", optional=True)


def _bytes(pass_: PassName) -> Iterator[Column[Outcome]]:
    def amount(kind: str) -> Callable[[Outcome], Value]:
        return lambda outcome: getattr(amounts, kind) if (amounts := outcome.memory_of_pass(pass_)) else None

    for kind in ("peak", "output", "workspace"):
        yield _pass_column(pass_, kind, amount(kind), "bytes")


COLUMNS: tuple[Column[Outcome], ...] = (
    fact("case", lambda outcome: outcome.case),
    fact("operator", lambda outcome: outcome.operator, place=Place.LEAD),
    fact("category", lambda outcome: outcome.category),
    fact("profile", lambda outcome: outcome.profile, place=Place.LEAD),
    fact("status", lambda outcome: outcome.status.value),
    fact("reason", lambda outcome: outcome.reason),
    fact("inputs", units.describe_inputs, units.describe_case, place=Place.LEAD),
    fact("params", units.describe_params),
    *(column for pass_ in PASSES for clock in METRICS for column in _clock_columns(pass_, clock)),
    *(column for columns in (_parts, _python) for pass_ in PASSES for column in columns(pass_)),
    Column(
        "python_function", "python function", _of_pass("forward", lambda run: run.python_function or None),
        csv="python_function", optional=True, right=False, room=34,
    ),
    *(column for columns in (_code, _throughput) for pass_ in PASSES for column in columns(pass_)),
    *_calls(),
    *(column for pass_ in PASSES for column in _bytes(pass_)),
    Column("memory", "memory", peak, None, "peak", "bytes", place=Place.FIGURE),
    Column("seconds", "seconds", lambda outcome: outcome.seconds, csv="seconds"),
    # A run replaces the value, since its codes leave out what most of its cases have.
    Column(
        WARNING_CODES, "warnings", lambda outcome: pass_letters(*outcome.passes.values()), place=Place.FIGURE,
        optional=True, right=False,
    ),
    noted(notes_of),
    fact("result", lambda outcome: outcome.status.value, failure, place=Place.LEAD, header="status", csv=""),
)  # fmt: skip
"""All columns of a run, in the order of the CSV."""
