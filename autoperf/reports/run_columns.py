"""The columns of a run: a row is an outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from autoperf.core.clocks import CLOCKS, KERNEL, Clock
from autoperf.core.outcome import PASSES, Outcome, Pass, PassMemory, PassName, Series, Status
from autoperf.reports.columns import Column, Place, Value, fact
from autoperf.reports.summary import figure, peak, verdict
from autoperf.reports.units import describe_case, describe_inputs, describe_params, reach, spread, tail, within
from autoperf.reports.warnings import letters

_INTERVAL = "95%: how far the 95% interval of the median reaches, to its farther side"
_ROOFLINE = "roofline: the least time of the forward pass by the machine's bandwidth and peak, as a share of its time"
_TAIL = "P90: how far the 90th percentile lies above the median of the kernel times"


def _facts() -> Iterator[Column[Outcome]]:
    yield fact("case", lambda outcome: outcome.case)
    yield fact("operator", lambda outcome: outcome.operator, place=Place.LEAD)
    yield fact("category", lambda outcome: outcome.category)
    yield fact("profile", lambda outcome: outcome.profile, place=Place.LEAD)
    yield fact("status", lambda outcome: outcome.status.value)
    yield fact("reason", lambda outcome: outcome.reason)
    yield fact("inputs", describe_inputs, describe_case, place=Place.LEAD)
    yield fact("params", describe_params)


def _clock(pass_: PassName, clock: Clock) -> Iterator[Column[Outcome]]:
    def series(outcome: Outcome) -> Series | None:
        run = _pass(outcome, pass_)
        return run.series(clock) if run else None

    def statistic(name: str) -> Callable[[Outcome], Value]:
        return lambda outcome: _set(getattr(readings, name)) if (readings := series(outcome)) else None

    name, suffix = f"{pass_}_{clock.name}", clock.csv_suffix
    # One function for all columns of the clock, which are shown together or not at all.
    present = statistic("median")
    common: dict[str, Any] = {"optional": clock.on_request, "presence": present}

    def column(statistic_: str) -> Column[Outcome]:
        full = f"{name}_{statistic_}"
        header = f"{clock.name} {statistic_}"
        return Column(full, header, statistic(statistic_), None, pass_, clock.unit, f"{full}{suffix}", **common)

    yield column("mean")
    median = f"{name}_median{suffix}"
    yield Column(name, clock.name, present, None, pass_, clock.unit, median, Place.FIGURE, **common)
    if clock == KERNEL:
        yield from _noise(pass_, series)
    yield from map(column, ("p50", "p90", "p99", "min", "max", "std", "low", "high"))
    if clock.is_time:
        yield column("uncorrected")
    for part, value in (
        ("count", statistic("count")),
        ("processes", lambda outcome: max(1, len(readings.processes)) if (readings := series(outcome)) else None),
        ("loops", statistic("loops")),
        *((part, statistic(part)) for part in ("slope", "speed", "retaken") if clock.is_time),
    ):
        yield Column(f"{name}_{part}", f"{clock.name} {part}", value, None, pass_, "", f"{name}_{part}", **common)
    yield Column(
        f"{name}_warnings",
        f"{clock.name} warnings",
        lambda outcome: _warning_names(series(outcome)),
        None,
        pass_,
        "",
        f"{name}_warnings",
        **common,
    )


def _set(value: Any) -> Value:
    return None if value is msgspec.UNSET else value


def _noise(pass_: PassName, kernel: Callable[[Outcome], Series | None]) -> Iterator[Column[Outcome]]:
    """The relative width of the 95% interval, and of P90 above the median."""
    yield Column(
        f"{pass_}_interval", "95%", lambda outcome: reach(figure(_pass(outcome, pass_))),
        lambda outcome: within(figure(_pass(outcome, pass_))), pass_, "share", place=Place.FIGURE, legend=_INTERVAL,
    )  # fmt: skip
    yield Column(
        f"{pass_}_tail", "P90", lambda outcome: tail(kernel(outcome)),
        lambda outcome: spread(kernel(outcome)), pass_, "share", place=Place.FIGURE, priority=3, legend=_TAIL,
    )  # fmt: skip


def _parts(pass_: PassName) -> Iterator[Column[Outcome]]:
    def part(name: str) -> Callable[[Outcome], Value]:
        return lambda outcome: getattr(run, f"{name}_us") if (run := _pass(outcome, pass_)) else None

    for name in ("helpers", "dispatch"):
        yield Column(f"{pass_}_{name}", name, part(name), None, pass_, "us", f"{pass_}_{name}_us")


def _throughput() -> Iterator[Column[Outcome]]:
    """What the forward pass moves and computes a second; the work of the backward pass isn't counted."""

    def part(name: str) -> Callable[[Outcome], Value]:
        return lambda outcome: getattr(run.throughput, name) if (run := outcome.forward) and run.throughput else None

    def column(name: str, header: str, field: str, room: int, *, priority: int, unit: str = "") -> Column[Outcome]:
        return Column(
            f"forward_{name}", header, part(field), group="forward", unit=unit, csv=f"forward_{field}",
            place=Place.FIGURE, priority=priority, optional=True, always=True, room=room,
            legend=_ROOFLINE if name == "roofline" else "",
        )  # fmt: skip

    yield column("bandwidth", "GB/s", "gb_per_s", 8, priority=2)
    yield column("flops", "GFLOP/s", "gflop_per_s", 9, priority=2)
    yield column("roofline", "roofline", "roofline", 10, priority=1, unit="share")


def _bytes(pass_: PassName) -> Iterator[Column[Outcome]]:
    def memory(outcome: Outcome) -> PassMemory | None:
        return getattr(outcome.memory, pass_) if outcome.memory else None

    def kind_of(kind: str) -> Callable[[Outcome], Value]:
        return lambda outcome: getattr(amounts, kind) if (amounts := memory(outcome)) else None

    for kind in ("peak", "output", "workspace"):
        yield Column(f"{pass_}_{kind}", kind, kind_of(kind), None, pass_, "bytes", f"{pass_}_{kind}_bytes")


def _rest() -> Iterator[Column[Outcome]]:
    yield Column("memory", "memory", peak, None, "peak", "bytes", place=Place.FIGURE)
    yield Column("seconds", "seconds", lambda outcome: outcome.seconds, csv="seconds")
    yield Column("warnings", "warnings", letters, place=Place.FIGURE, optional=True, right=False)
    yield fact("result", lambda outcome: outcome.status.value, _failure_text, place=Place.LEAD, header="status", csv="")


def _failure_text(outcome: Outcome) -> str:
    return "" if outcome.status is Status.MEASURED else verdict(outcome)


def _pass(outcome: Outcome, name: PassName) -> Pass | None:
    return outcome.forward if name == "forward" else outcome.backward


def _warning_names(series: Series | None) -> str | None:
    return None if series is None else " ".join(warning.value for warning in series.warnings)


COLUMNS: tuple[Column[Outcome], ...] = (
    *_facts(),
    *(column for pass_ in PASSES for clock in CLOCKS for column in _clock(pass_, clock)),
    *(column for pass_ in PASSES for column in _parts(pass_)),
    *_throughput(),
    *(column for pass_ in PASSES for column in _bytes(pass_)),
    *_rest(),
)
"""In the order of the CSV."""
