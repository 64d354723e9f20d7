"""One input in several modes: imperative, hybridized and with static memory side by side, with kernels and memory.

Other frameworks are further modes of a composite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from autoperf.core.modes import LAYERS, MODES
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import PASSES, PassName
from autoperf.networks.modes import ModeTimes
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import grouped
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, case_words, count, describe_inputs, factor, one_line, profile_label, quantity

MAX_KERNELS = 4
"""Maximum number of listed kernels of a pass."""
MIN_SHARE = 0.01
"""A kernel is listed if it takes this share of the pass's wall time in one of the modes."""
NOUN = "configuration"
"""The noun of the compared items: a layer with its arguments and arrays, or a composite with its arrays."""
LEGEND = (
    "wall: the median time of a call, of a layer through Gluon with its Python. static: hybridized with static_alloc "
    "and static_shape. speed-up: against the imperative mode. no kernel: Python, dispatch, the engine's queue. "
    "GFLOP/s, GB/s: the work of the operators in the graph, over the kernels' time. memory: the peak of its allocations"
)
FRAMEWORKS_LEGEND = (
    "python: the median time of a call from Python. imperative: MXNet's functions of mx.nd one after the other; "
    "hybridized, static: its CachedOp, static with static_alloc and static_shape. speed-up: against imperative. other "
    "columns: a function of straight-line code in that framework. kernels, no kernel: the time with and without one"
)
RATIO = "ratio"
_TITLES = {LAYERS: "layers", COMPOSITE_NAMESPACE: "composites"}


@dataclass(frozen=True)
class ModeRow:
    """One quantity of a pass by mode, in its unit. `name` names the input: its operator, arrays and arguments."""

    name: str
    pass_: PassName
    quantity: str
    values: Mapping[str, float]
    unit: str = "us"

    def spell(self, mode: str) -> str:
        """The value in a mode for a person."""
        value = self.values.get(mode)
        if value is None:
            return NONE
        return factor(value) if self.unit == RATIO else quantity(value, self.unit)


def mode_reports(times: Sequence[ModeTimes], limit: int | None) -> Iterator[Report]:
    """A report for layers, and one for composites, each with the first inputs up to a limit."""
    for category, members in grouped(times, lambda each: each.outcome.category).items():
        shown = members[:limit]
        hidden = f"{len(shown)} of {count(len(members), NOUN)} shown; --limit sets how many"
        legend = FRAMEWORKS_LEGEND if any(each.of_frameworks for each in members) else LEGEND
        notes = [*([hidden] if len(shown) < len(members) else []), legend]
        yield Report(answer=tuple(median_speedups(members)), tables=(_table(category, shown),), notes=notes)


def _table(category: str, times: Sequence[ModeTimes]) -> Table[ModeRow]:
    rows = [row for each in times for row in mode_rows(each)]
    own = () if any(each.of_frameworks for each in times) else tuple(MODES)
    modes = dict.fromkeys((*own, *(mode for each in times for mode in each.modes)))
    return Table(
        _TITLES[category], (*_FACTS, *map(_column, modes)), rows, count(len(times), NOUN), section=lambda row: row.name,
        words=lambda row: [f"{row.pass_:<8}", one_line(row.quantity)],
    )  # fmt: skip


def mode_rows(times: ModeTimes) -> Iterator[ModeRow]:
    """The rows of each measured pass: time, speed-up, kernels, the time without one, work and memory."""
    name = " ".join([one_line(times.outcome.operator), *_size(times), *case_words(times.outcome)])
    for pass_ in PASSES:
        wall, speedup = times.wall(pass_), times.speedup(pass_)
        if wall:
            yield ModeRow(name, pass_, times.clock.name, wall)
            yield from [ModeRow(name, pass_, "speed-up", speedup, RATIO)] if speedup else []
            yield from (ModeRow(name, pass_, kernel, us) for kernel, us in _kernels(times, pass_))
            amounts = (ModeRow(name, pass_, *amount) for amount in _amounts(times, pass_))
            yield from (row for row in amounts if row.values)


def _size(times: ModeTimes) -> list[str]:
    """The profile of a composite, whose inputs have no other name."""
    return [profile_label(times.outcome.profile)] if times.outcome.category == COMPOSITE_NAMESPACE else []


def _kernels(times: ModeTimes, pass_: PassName) -> Iterator[tuple[str, Mapping[str, float]]]:
    """The longest kernels, the others together, and the time without one; of several frameworks all together."""
    kernels, wall = times.kernels(pass_), times.wall(pass_)
    listed = (
        []
        if times.of_frameworks
        else [name for name, by_mode in kernels.items() if _counts(by_mode, wall)][:MAX_KERNELS]
    )
    yield from ((name, kernels[name]) for name in listed)
    others = _sum(by_mode for name, by_mode in kernels.items() if name not in listed)
    if _counts(others, wall):
        more = count(len(kernels) - len(listed), "more kernel", "more kernels")
        yield "kernels" if times.of_frameworks else more, others
    without = times.without_kernel(pass_)
    if without:
        yield "no kernel", without


def _amounts(times: ModeTimes, pass_: PassName) -> Iterator[tuple[str, Mapping[str, float], str]]:
    """Operations and bytes per second of a pass, its share of the roofline, and its memory, each with its unit."""
    rates = times.throughput(pass_)
    yield "GFLOP/s", {mode: rate.gflop_per_s for mode, rate in rates.items() if rate.gflop_per_s}, RATIO
    yield "GB/s", {mode: rate.gb_per_s for mode, rate in rates.items()}, RATIO
    yield "roofline", {mode: rate.roofline for mode, rate in rates.items() if rate.roofline is not None}, "share"
    yield "memory", times.memory(pass_), "bytes"


def _counts(times: Mapping[str, float], wall: Mapping[str, float]) -> bool:
    return any(us >= MIN_SHARE * wall[mode] for mode, us in times.items() if mode in wall)


def median_speedups(times: Sequence[ModeTimes]) -> Iterator[str]:
    """The median speed-up of each pass by mode, of several inputs."""
    bases = {each.base for each in times}
    modes = dict.fromkeys((*MODES, *(mode for each in times for mode in each.modes)))
    for pass_ in PASSES:
        speedups = [each.speedup(pass_) for each in times]
        by_mode = {mode: [each[mode] for each in speedups if mode in each] for mode in modes if mode not in bases}
        parts = [f"{mode} {factor(median(values))}" for mode, values in by_mode.items() if len(values) > 1]
        if parts:
            counted = count(max(map(len, by_mode.values())), NOUN)
            yield f"speed-up of the {pass_} pass in the median of {counted}: {', '.join(parts)}"


def mode_record(times: ModeTimes) -> dict[str, object]:
    """A layer or a composite as JSON has it: its cases by mode, and times by pass and mode in microseconds."""
    return {
        **_names(times),
        "cases": {mode: outcome.case for mode, outcome in times.modes.items()},
        "passes": [
            {
                "pass": pass_,
                "wall_us": times.wall(pass_),
                "speedup": times.speedup(pass_),
                "kernels": times.kernels(pass_),
                "no_kernel_us": times.without_kernel(pass_),
                "throughput": times.throughput(pass_),
                "memory_bytes": times.memory(pass_),
            }
            for pass_ in PASSES
            if times.wall(pass_)
        ],
    }


def _names(times: ModeTimes) -> dict[str, object]:
    outcome = times.outcome
    if outcome.category == LAYERS:
        return {"layer": outcome.operator}
    inputs = describe_inputs(outcome)
    return {"composite": outcome.operator, "profile": outcome.profile, "inputs": inputs, "operators": times.operators}


def _sum(kernels: Iterator[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for times in kernels:
        for mode, us in times.items():
            total[mode] = total.get(mode, 0.0) + us
    return total


def _column(mode: str) -> Column[ModeRow]:
    return Column(
        mode, mode, lambda row: row.values.get(mode), lambda row: row.spell(mode), unit="us", csv=f"{mode}_us",
        place=Place.FIGURE,
    )  # fmt: skip


_FACTS: tuple[Column[ModeRow], ...] = (
    fact("configuration", lambda row: row.name, place=Place.LEAD),
    fact("pass", lambda row: row.pass_, place=Place.LEAD),
    fact("quantity", lambda row: row.quantity, place=Place.LEAD),
)
"""The columns that identify a row."""
