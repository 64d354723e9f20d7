"""The columns of a run: a row is an outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from autoperf.core.clocks import KERNEL, METRICS, PYTHON, WALL, Metric
from autoperf.core.outcome import PASSES, Difference, Outcome, Pass, PassName, Series
from autoperf.core.work import CodeCount
from autoperf.counts.functions import shortened
from autoperf.reports import units
from autoperf.reports.columns import Column, Place, Value, fact, noted
from autoperf.reports.provenance import pass_letters
from autoperf.reports.totals import failure, figure, notes_of, peak
from autoperf.stats.intervals import median

MAX_FUNCTIONS = 3
MAX_PATH = 25
"""The characters of a path on a terminal."""
UNCLEAR = "unclear"
WARNING_CODES = "warnings"
"""The column of warning codes."""


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
    return units.duration(front_end_cost(run))


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
    added = f"; it adds {units.duration(median(sorted(costs)))} in the median of {units.count(len(costs), 'case')}"
    return f"python: the wall time through {_listed(list(functions))}{added if len(costs) > 1 else ''}"


def _function(run: Pass) -> Iterator[str]:
    if run.python_function:
        yield run.python_function


def _listed(functions: list[str]) -> str:
    if len(functions) <= MAX_FUNCTIONS:
        return ", ".join(functions)
    return f"{units.count(len(functions), 'function')} of MXNet's Python package (--columns python_function)"


_INTERVAL = "95%: how far the 95% interval of the median reaches, to its farther side"
ROOFLINE = "roofline: the least time of a pass by the machine's bandwidth and peak, as a share of its time"
_FRONT_END = "front end: what Python adds to the wall time of the C API's call; unclear: its 95% interval encloses zero"
_FIRST_CALL = "first call: the wall time of the first call in a process, with fresh memory and kernels to compile"
_COMPILE = "compile: the time in which a pass was compiled from nothing; recompiles: how often it was compiled again"
_FAULTS = "faults: the page faults of a call, in the median; each takes a microsecond or two of its time"
_PATH = "path: oneDNN's kernel by its log; by counts also BLAS, MXNet's operator or libm; MXNet: its own loop, or BLAS"
_TAIL = "P90: how far the 90th percentile lies above the median of the kernel times"


def _facts() -> Iterator[Column[Outcome]]:
    yield fact("case", lambda outcome: outcome.case)
    yield fact("operator", lambda outcome: outcome.operator, place=Place.LEAD)
    yield fact("category", lambda outcome: outcome.category)
    yield fact("profile", lambda outcome: outcome.profile, place=Place.LEAD)
    yield fact("status", lambda outcome: outcome.status.value)
    yield fact("reason", lambda outcome: outcome.reason)
    yield fact("inputs", units.describe_inputs, units.describe_case, place=Place.LEAD)
    yield fact("params", units.describe_params)


class _ClockColumns:
    """The columns of one clock in one pass."""

    def __init__(self, pass_: PassName, clock: Metric) -> None:
        self._pass, self._clock = pass_, clock
        self._name = f"{pass_}_{clock.name}"
        # One function for all columns of the clock, which are shown together or not at all.
        self._present = self._statistic("median")

    def columns(self) -> Iterator[Column[Outcome]]:
        """All columns of the clock, in the order of the CSV."""
        yield self._figure("mean")
        yield self._median()
        if self._clock == KERNEL:
            yield from _noise(self._pass, self._series)
        yield from map(self._figure, ("p50", "p90", "p99", "min", "max", "std", "low", "high"))
        if self._clock.is_time:
            yield self._figure("uncorrected")
        yield from self._circumstances()
        yield self._column("warnings", lambda outcome: _warning_names(self._series(outcome)))

    def _median(self) -> Column[Outcome]:
        """The figure that tables show, by the name of the clock."""
        clock, csv = self._clock, f"{self._name}_median{self._clock.csv_suffix}"
        return Column(
            self._name, clock.name, self._present, None, self._pass, clock.unit, csv, Place.FIGURE,
            optional=True, presence=self._present, always=not clock.on_request,
        )  # fmt: skip

    def _figure(self, name: str) -> Column[Outcome]:
        return self._column(name, self._statistic(name), self._clock.unit, self._clock.csv_suffix)

    def _circumstances(self) -> Iterator[Column[Outcome]]:
        yield self._column("count", self._statistic("count"))
        yield self._column("processes", self._processes)
        yield self._column("loops", self._statistic("loops"))
        if self._clock.is_time:
            yield from (self._column(name, self._statistic(name)) for name in ("slope", "speed", "steady", "retaken"))

    def _column(
        self, part: str, value: Callable[[Outcome], Value], unit: str = "", csv_suffix: str = ""
    ) -> Column[Outcome]:
        name = f"{self._name}_{part}"
        return Column(
            name, f"{self._clock.name} {part}", value, None, self._pass, unit, f"{name}{csv_suffix}",
            optional=self._clock.on_request, presence=self._present,
        )  # fmt: skip

    def _statistic(self, name: str) -> Callable[[Outcome], Value]:
        return lambda outcome: _set(getattr(series, name)) if (series := self._series(outcome)) else None

    def _processes(self, outcome: Outcome) -> Value:
        series = self._series(outcome)
        return max(1, len(series.processes)) if series else None

    def _series(self, outcome: Outcome) -> Series | None:
        timed = outcome.passes.get(self._pass)
        return timed.series(self._clock) if timed else None


def _set(value: Any) -> Value:
    return None if value is msgspec.UNSET else value


def _noise(pass_: PassName, kernel: Callable[[Outcome], Series | None]) -> Iterator[Column[Outcome]]:
    """The relative width of the 95% interval, and of P90 above the median."""
    yield Column(
        f"{pass_}_interval", "95%", lambda outcome: units.reach(figure(outcome.passes.get(pass_))),
        lambda outcome: units.within(figure(outcome.passes.get(pass_))), pass_, "share", place=Place.FIGURE,
        legend=_INTERVAL, optional=True, always=True,
    )  # fmt: skip
    yield Column(
        f"{pass_}_tail", "P90", lambda outcome: units.tail(kernel(outcome)),
        lambda outcome: units.spread(kernel(outcome)), pass_, "share", place=Place.FIGURE, priority=4, legend=_TAIL,
        optional=True, always=True,
    )  # fmt: skip


def _parts(pass_: PassName) -> Iterator[Column[Outcome]]:
    def part(name: str) -> Callable[[Outcome], Value]:
        return lambda outcome: _set(getattr(run, name)) if (run := outcome.passes.get(pass_)) else None

    for name in ("helpers", "dispatch"):
        yield Column(f"{pass_}_{name}", name, part(f"{name}_us"), None, pass_, "us", f"{pass_}_{name}_us")
    yield Column(
        f"{pass_}_first_call", "first call", part("first_us"), None, pass_, "us", f"{pass_}_first_call_us",
        legend=_FIRST_CALL,
    )  # fmt: skip
    yield Column(
        f"{pass_}_compile", "compile", part("compile_us"), None, pass_, "us", f"{pass_}_compile_us", Place.FIGURE,
        priority=3, optional=True, legend=_COMPILE,
    )  # fmt: skip
    yield Column(
        f"{pass_}_recompiles", "recompiles", part("recompiles"), None, pass_, csv=f"{pass_}_recompiles", optional=True,
        legend=_COMPILE,
    )  # fmt: skip
    yield Column(f"{pass_}_faults", "faults", part("faults"), None, pass_, csv=f"{pass_}_faults", legend=_FAULTS)


def _python(pass_: PassName) -> Iterator[Column[Outcome]]:
    """The overhead of MXNet's Python package, and its interval."""

    def cost(outcome: Outcome) -> Value:
        return front_end_cost(outcome.passes.get(pass_))

    yield Column(
        f"{pass_}_front_end", "front end", cost, lambda outcome: front_end_text(outcome.passes.get(pass_)), pass_, "us",
        f"{pass_}_front_end_us", Place.FIGURE, optional=True, legend=_FRONT_END,
    )  # fmt: skip
    for place, end in enumerate(("low", "high")):
        yield Column(
            f"{pass_}_front_end_{end}", f"front end {end}", _front_end_end(pass_, place), None, pass_, "us",
            f"{pass_}_front_end_{end}_us", optional=True, presence=cost,
        )  # fmt: skip


def _front_end_end(pass_: PassName, place: int) -> Callable[[Outcome], Value]:
    """The low (0) or the high (1) end of the interval of that cost."""
    return lambda outcome: front_end_interval(outcome.passes.get(pass_))[place]


def _code(pass_: PassName) -> Iterator[Column[Outcome]]:
    """Which implementation ran, and its functions, where they were counted."""

    def code(outcome: Outcome) -> CodeCount | None:
        run = outcome.passes.get(pass_)
        return (run.code or None) if run else None

    def path(outcome: Outcome) -> Value:
        run = outcome.passes.get(pass_)
        return (run.path or None) if run else None

    def functions(outcome: Outcome) -> Value:
        counts = code(outcome)
        return _function_shares(counts) if counts else None

    yield Column(
        f"{pass_}_path", "path", path, lambda outcome: shortened(str(path(outcome) or units.NONE), MAX_PATH), pass_,
        csv=f"{pass_}_path", priority=2, optional=True, right=False, legend=_PATH, room=MAX_PATH + 3,
    )  # fmt: skip
    yield Column(
        f"{pass_}_functions", "functions", functions, None, pass_, csv=f"{pass_}_functions", optional=True, right=False
    )


def _function_shares(code: CodeCount) -> str:
    """The largest functions with their shares: `UnaryOp::Compute<cpu, relu> 99.7%; ...`."""
    total = max(1, code.instructions)
    largest = code.functions[:MAX_FUNCTIONS]
    return units.one_line("; ".join(f"{shortened(each.name)} {each.instructions / total:.1%}" for each in largest))


def _throughput(pass_: PassName) -> Iterator[Column[Outcome]]:
    """Bytes and operations per second of a pass, where its work is counted."""

    def part(name: str) -> Callable[[Outcome], Value]:
        return lambda outcome: (
            getattr(run.throughput, name) if (run := outcome.passes.get(pass_)) and run.throughput else None
        )

    def column(name: str, header: str, field: str, room: int, *, priority: int, unit: str = "") -> Column[Outcome]:
        return Column(
            f"{pass_}_{name}", header, part(field), group=pass_, unit=unit, csv=f"{pass_}_{field}",
            place=Place.FIGURE, priority=priority, optional=True, always=True, room=room,
            legend=ROOFLINE if name == "roofline" else "",
        )  # fmt: skip

    yield column("bandwidth", "GB/s", "gb_per_s", 8, priority=3)
    yield column("flops", "GFLOP/s", "gflop_per_s", 9, priority=3)
    yield column("roofline", "roofline", "roofline", 10, priority=1 + PASSES.index(pass_), unit="share")


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
        yield Column(f"{name}_total", "total", total(name), None, name, "us", f"{name}_total_us", optional=True)


def _bytes(pass_: PassName) -> Iterator[Column[Outcome]]:
    def kind_of(kind: str) -> Callable[[Outcome], Value]:
        return lambda outcome: getattr(amounts, kind) if (amounts := outcome.memory_of_pass(pass_)) else None

    for kind in ("peak", "output", "workspace"):
        yield Column(f"{pass_}_{kind}", kind, kind_of(kind), None, pass_, "bytes", f"{pass_}_{kind}_bytes")


def _rest() -> Iterator[Column[Outcome]]:
    yield Column("memory", "memory", peak, None, "peak", "bytes", place=Place.FIGURE)
    yield Column("seconds", "seconds", lambda outcome: outcome.seconds, csv="seconds")
    # A run replaces the value, since its codes leave out what most of its cases have.
    yield Column(
        WARNING_CODES, "warnings", lambda outcome: pass_letters(*outcome.passes.values()), place=Place.FIGURE,
        optional=True, right=False,
    )  # fmt: skip
    yield noted(notes_of)
    yield fact("result", lambda outcome: outcome.status.value, failure, place=Place.LEAD, header="status", csv="")


def _warning_names(series: Series | None) -> str | None:
    return None if series is None else " ".join(warning.value for warning in series.warnings)


COLUMNS: tuple[Column[Outcome], ...] = (
    *_facts(),
    *(column for pass_ in PASSES for clock in METRICS for column in _ClockColumns(pass_, clock).columns()),
    *(column for pass_ in PASSES for column in _parts(pass_)),
    *(column for pass_ in PASSES for column in _python(pass_)),
    Column(
        "python_function",
        "python function",
        lambda outcome: outcome.forward.python_function or None if outcome.forward else None,
        csv="python_function",
        optional=True,
        right=False,
        room=34,
    ),
    *(column for pass_ in PASSES for column in _code(pass_)),
    *(column for pass_ in PASSES for column in _throughput(pass_)),
    *_calls(),
    *(column for pass_ in PASSES for column in _bytes(pass_)),
    *_rest(),
)
"""All columns of a run, in the order of the CSV."""
