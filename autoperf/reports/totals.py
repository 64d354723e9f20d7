"""Outcomes in words: the counts of a run, the slowest cases, and a case in a line or in detail."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import msgspec

from autoperf.core.clocks import CLOCKS, KERNEL, METRICS, Metric
from autoperf.core.graph import NETWORK
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import Outcome, Pass, Series, Status
from autoperf.core.texts import count
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import listed
from autoperf.reports.table import Table
from autoperf.reports.units import describe_case, duration, one_line, profile_label, quantity, size, within

STATUS_STYLE = {
    Status.MEASURED: "green",
    Status.SKIPPED: "yellow",
    Status.FAILED: "red",
    Status.CRASHED: "red",
    Status.TIMEOUT: "red",
}


class RunSummary(msgspec.Struct, frozen=True):
    """Case counts by status; `asked` is their sum, and `seconds` the total time."""

    asked: int
    measured: int
    skipped: int
    failed: int
    crashed: int
    timeout: int
    operators: int
    seconds: float

    def sentence(self) -> str:
        """The counts as an addition: `24 cases = 20 measured + 2 skipped + 1 failed + 1 crashed + 0 timeout`."""
        parts = [f"{getattr(self, status.value)} {status.value}" for status in Status]
        return f"{count(self.asked, 'case')} = {' + '.join(parts)}"


class StatusCounts:
    """Counts outcomes one by one, without keeping them."""

    def __init__(self) -> None:
        self._counts: Counter[Status] = Counter()
        self._operators: set[str] = set()
        self._seconds = 0.0

    def add(self, outcome: Outcome) -> Outcome:
        """Count this outcome and return it."""
        self._counts[outcome.status] += 1
        self._operators.add(outcome.operator)
        self._seconds += outcome.seconds
        return outcome

    def summary(self) -> RunSummary:
        """The counts so far."""
        return RunSummary(
            **{status.value: self._counts[status] for status in Status},
            asked=self._counts.total(),
            operators=len(self._operators),
            seconds=self._seconds,
        )


def summarise(outcomes: Iterable[Outcome]) -> RunSummary:
    """The counts of these outcomes."""
    tally = StatusCounts()
    for outcome in outcomes:
        tally.add(outcome)
    return tally.summary()


def verdict(outcome: Outcome) -> str:
    """The status and its reason: `failed: MXNet's words`."""
    reason = one_line(outcome.reason)
    return f"{outcome.status.value}: {reason}" if reason else outcome.status.value


def failure(outcome: Outcome) -> str:
    """The verdict of a case without a measurement; empty for a measured one."""
    return "" if outcome.status is Status.MEASURED else verdict(outcome)


def figure(run: Pass | None) -> Series | None:
    """The series that ranks a pass; None without one."""
    return run.ranking_series() if run else None


def slowest(outcomes: Iterable[Outcome], limit: int) -> list[Outcome]:
    """The `limit` cases whose forward median is largest, slowest first; not whole networks, which have other cases."""
    cases = (outcome for outcome in outcomes if outcome.category != NETWORK)
    ranked = ((-series.median, outcome) for outcome in cases if (series := figure(outcome.forward)) is not None)
    return [outcome for _, outcome in heapq.nsmallest(limit, ranked, key=lambda pair: (pair[0], pair[1].case))]


class ReasonCount(NamedTuple):
    """Why cases have no measurement, and the number of these cases by operator."""

    status: Status
    reason: str
    operators: Counter[str]


def reasons(outcomes: Iterable[Outcome]) -> list[ReasonCount]:
    """The reasons of outcomes without a measurement, by status, the most frequent reason first."""
    groups: dict[tuple[Status, str], Counter[str]] = {}
    for outcome in outcomes:
        if outcome.status is not Status.MEASURED:
            groups.setdefault((outcome.status, one_line(outcome.reason)), Counter())[outcome.operator] += 1
    order = list(Status)
    ranked = sorted(groups.items(), key=lambda item: (order.index(item[0][0]), -item[1].total(), item[0][1]))
    return [ReasonCount(*key, operators) for key, operators in ranked]


def reasons_table(rows: Sequence[ReasonCount], of: str = "") -> Iterator[Table[ReasonCount]]:
    """The reasons as a table, its title followed by `of`; none without a reason."""
    if rows:
        yield Table(
            f"without a figure{of}", REASON_COLUMNS, rows, style=lambda row: STATUS_STYLE[row.status],
            head=lambda row, _width: f"{row.operators.total():>5} {row.status.value:<8} ",
            words=lambda row: [*f"{row.reason}:".split(), *listed(row.operators)],
        )  # fmt: skip


REASON_COLUMNS: tuple[Column[ReasonCount], ...] = (
    fact("status", lambda row: row.status.value, place=Place.LEAD),
    replace(fact("cases", lambda row: row.operators.total(), place=Place.LEAD), right=True),
    fact("reason", lambda row: row.reason, place=Place.LEAD),
    fact("operators", lambda row: ", ".join(row.operators), place=Place.LEAD),
)


def peak(outcome: Outcome) -> int | None:
    """The larger of both passes' peaks, in bytes above the baseline."""
    memory = outcome.memory
    peaks = [] if memory is None else [usage.peak for usage in (memory.forward, memory.backward) if usage is not None]
    return max(peaks, default=None)


def plain_line(outcome: Outcome) -> str:
    """The outcome, figures first."""
    result = verdict(outcome)
    if outcome.status is Status.MEASURED:
        parts = [f"{name} {_medians(run)}" for name, run in outcome.passes.items()]
        result = ", ".join([*parts, f"peak {size(peak(outcome))}"])
    inputs = one_line(describe_case(outcome))
    line = f"{one_line(outcome.operator)} {profile_label(outcome.profile)}: {result}"
    return f"{line} | {inputs}" if inputs else line


def _medians(run: Pass) -> str:
    """The median by the first clock, and those by the others: `12.3 us (wall 45.6 us)`; `10.4 k instructions`."""
    counters = [counter for counter in METRICS if counter.on_request and run.series(counter)]
    if counters and not any(run.series(clock) for clock in CLOCKS):
        return ", ".join(f"{_median(run, counter)} {counter.name}" for counter in counters)
    first, *others = (clock for clock in METRICS if not clock.on_request or run.series(clock))
    return f"{_median(run, first)} ({', '.join(f'{clock.name} {_median(run, clock)}' for clock in others)})"


def _median(run: Pass, clock: Metric) -> str:
    series = run.series(clock)
    return quantity(series.median if series else None, clock.unit)


NO_GRADIENT_NAMED = 3
"""The operators without a gradient that are named; the others are counted."""


def without_gradient(outcomes: Iterable[Outcome], *, backward: bool) -> str:
    """Why measured cases have no backward pass, where none can be; empty if all have one, or a reason of their own."""
    lacking = (
        outcome
        for outcome in outcomes
        if outcome.status is Status.MEASURED and outcome.forward and not outcome.backward and not outcome.reason
        if not any(note.startswith("no backward pass") for note in outcome.forward.notes)
    )
    if not backward:
        return "no backward pass: --backward off" if any(lacking) else ""
    # Networks in inference, composites and benchmarks have another reason than an operator without a gradient.
    operators = (
        one_line(outcome.operator)
        for outcome in lacking
        if not outcome.calls and outcome.category not in (NETWORK, COMPOSITE_NAMESPACE) and outcome.inputs
    )
    names = list(dict.fromkeys(operators))
    if not names:
        return ""
    more = len(names) - NO_GRADIENT_NAMED
    named = [*names[:NO_GRADIENT_NAMED], *([f"{count(more, 'other operator')}"] if more > 0 else [])]
    return f"no backward pass: these inputs of {', '.join(named)} have no gradient"


def notes_of(outcome: Outcome) -> Iterator[str]:
    """The reason of a missing backward pass that failed, and the notes of each pass."""
    if outcome.status is Status.MEASURED and outcome.reason:
        yield one_line(outcome.reason)
    for name, run in outcome.passes.items():
        yield from (f"{name}: {one_line(note)}" for note in run.notes)


def details(outcome: Outcome) -> Iterator[str]:
    """A sentence for each pass: its kernels, the engine's, dispatch, and the samples of each clock."""
    for name, run in outcome.passes.items():
        parts = list(_parts(run))
        for clock, series in run.metrics.items():
            loops = f" of {series.loops} calls" if series.loops > 1 else ""
            processes = f" in {count(len(series.processes), 'process', 'processes')}" if series.processes else ""
            parts.append(f"{clock.name} {within(series)} from {count(series.count, 'sample')}{loops}{processes}")
        yield f"{name}: {'; '.join(parts)}"


LONG_US = 1000.0
"""A dispatch from this time on is explained, if it is longer than the kernels."""


def _parts(run: Pass) -> Iterator[str]:
    kernel = run.series(KERNEL)
    # A small run file for comparisons has times alone.
    if kernel and run.kernels:
        yield f"own kernels {_listed(run.kernels)}"
        if run.helpers:
            yield f"helpers {_listed(run.helpers)}"
        # The time outside of kernels; why it is unknown, or where it may come from if it is long.
        dispatch = "dispatch unknown: kernels took longer with the profiler on than the whole call with it off"
        if run.dispatch_us is not None:
            is_long = run.dispatch_us >= LONG_US and run.dispatch_us > kernel.median
            origin = " (outside of kernels: shape inference, allocation, Python code)" if is_long else ""
            dispatch = f"dispatch {duration(run.dispatch_us)}{origin}"
        yield dispatch
    if run.first_us:
        yield f"first call {duration(run.first_us)}"
    if run.compile_us:
        yield f"compiled in {duration(run.compile_us)}"
    if run.recompiles:
        yield f"compiled again {count(run.recompiles, 'time')}"
    if run.faults:
        yield f"{count(round(run.faults), 'page fault')} a call"


def _listed(times: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {duration(time)}" for name, time in times.items())
