"""The calls of a network under several frameworks or releases: their sums, and the calls where the first loses most."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

from autoperf.core.clocks import KERNEL, PYTHON, WALL, Clock
from autoperf.core.modes import NETWORK, NETWORK_MODES
from autoperf.core.outcome import PASSES, Outcome, PassName, Status
from autoperf.networks.report import MAX_CALLS
from autoperf.reports.columns import Column, Place, Value, fact
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, count, describe_case, duration, factor, percent

CALLERS = (PYTHON, WALL)
"""The clocks of whole calls: different frameworks have those from Python in common, releases those of the C API."""
Times: TypeAlias = tuple[float | None, ...]
"""Microseconds under each side; None without a measurement."""


@dataclass(frozen=True)
class SideTimes:
    """A part of a network's pass by side: one call, the calls of an operator, their sum, or the whole network.

    `count` is the number of calls in a pass, `clock` that of the times.
    """

    name: str
    clock: Clock
    times: Times
    count: int | None = None
    outcome: Outcome | None = None

    @property
    def case(self) -> str:
        """The id of a call's case."""
        return self.outcome.case if self.outcome else ""

    @property
    def lost_us(self) -> float | None:
        """The time that the first side takes longer than the fastest other one; negative if it is the fastest."""
        others = [time for time in self.times[1:] if time is not None]
        return self.times[0] - min(others) if self.times[0] is not None and others else None

    def ratio(self, side: int) -> float | None:
        """The time of a side over the first one's."""
        first, time = self.times[0], self.times[side]
        return time / first if first and time is not None else None


@dataclass(frozen=True)
class LackedCall:
    """A call without a time under some side: the reason, and its share of the first side's calls alone."""

    call: SideTimes
    side: int
    reason: str
    share: float | None


@dataclass(frozen=True)
class NetworkSides:
    """One pass of a network under several sides; `calls` are the outcomes of each call under each, with its count."""

    name: str
    pass_: PassName
    calls: tuple[tuple[tuple[Outcome | None, ...], int], ...]
    wholes: tuple[tuple[Outcome, ...], ...]

    @property
    def is_measured(self) -> bool:
        """Whether a side has measured this pass of a call, or of the whole."""
        calls = (outcome for outcomes, _ in self.calls for outcome in outcomes if outcome)
        return any(self.pass_ in outcome.passes for outcome in (*calls, *chain(*self.wholes)))

    @cached_property
    def clocks(self) -> list[Clock]:
        """The clocks by which every side has measured a call: one of whole calls, which ranks, and kernels."""
        shared = [clock for clock in (*CALLERS, KERNEL) if any(None not in call.times for call in self._by(clock))]
        return [clock for clock in shared if clock is shared[0] or clock is KERNEL]

    @cached_property
    def shared(self) -> list[SideTimes]:
        """The calls that all sides measured, by the first clock that they share: those where the first loses most."""
        calls = self._by(self.clocks[0]) if self.clocks else []
        return sorted((call for call in calls if None not in call.times), key=lambda call: -(call.lost_us or 0.0))

    @cached_property
    def sums(self) -> list[SideTimes]:
        """The sum over the calls that all sides measured, by each clock, and the whole network in each mode."""
        sums = [_sum("calls", [each for each in self._by(clock) if None not in each.times]) for clock in self.clocks]
        return [*sums, *self._whole()]

    @cached_property
    def by_operator(self) -> list[SideTimes]:
        """The shared calls of each operator together, those where the first side loses most first."""
        groups: dict[str, list[SideTimes]] = defaultdict(list)
        for call in self.shared:
            groups[call.name].append(call)
        return sorted((_sum(name, calls) for name, calls in groups.items()), key=lambda group: -(group.lost_us or 0.0))

    @cached_property
    def lacked(self) -> list[LackedCall]:
        """The calls that a side hasn't measured, the longest of the first side first; these have no part in sums."""
        clock = self.clocks[0] if self.clocks else WALL
        calls = self._by(clock)
        whole = math.fsum(call.times[0] or 0.0 for call in calls)
        found = [
            LackedCall(call, side, _reason(outcomes[side], self.pass_), _share(call.times[0], whole))
            for (outcomes, _), call in zip(self.calls, calls, strict=True)
            for side, time in enumerate(call.times)
            if time is None and any(other is not None for other in call.times)
        ]
        return sorted(found, key=lambda each: -(each.share or 0.0))

    @property
    def lacked_share(self) -> float:
        """The share of these calls in the time of the first side's calls alone."""
        return math.fsum({each.call.case: each.share or 0.0 for each in self.lacked}.values())

    def timed(self, clock: Clock) -> int:
        """The number of calls in the pass that some side has timed by a clock; others have no such pass."""
        return sum(call.count or 0 for call in self._by(clock) if any(time is not None for time in call.times))

    def _by(self, clock: Clock) -> list[SideTimes]:
        """Each call by a clock, count times the time of one."""
        return [
            SideTimes(
                first.operator, clock, tuple(_time(it, self.pass_, clock, count) for it in outcomes), count, first
            )
            for outcomes, count in self.calls
            for first in [next(it for it in outcomes if it)]
        ]

    def _whole(self) -> Iterator[SideTimes]:
        """The whole network in each mode that a side has measured."""
        for mode in NETWORK_MODES:
            found = [next((it for it in side if it.mode == mode), None) for side in self.wholes]
            for clock in CALLERS:
                times = tuple(_time(it, self.pass_, clock, 1) for it in found)
                if any(time is not None for time in times):
                    yield SideTimes(f"whole, {mode}", clock, times)
                    break


def network_sides(sides: Sequence[Iterable[Outcome]]) -> list[NetworkSides]:
    """The passes of each network of runs over the same cases, in the order of the first run."""
    calls: dict[str, dict[str, list[Outcome | None]]] = defaultdict(dict)
    counts: dict[tuple[str, str], int] = {}
    wholes: dict[str, list[list[Outcome]]] = {}
    for side, outcomes in enumerate(sides):
        for outcome in outcomes:
            for name, times in (outcome.calls or {}).items():
                whole = wholes.setdefault(name, [[] for _ in sides])
                if outcome.category == NETWORK:
                    whole[side].append(outcome)
                else:
                    calls[name].setdefault(outcome.case, [None] * len(sides))[side] = outcome
                    counts[name, outcome.case] = times
    networks = [
        NetworkSides(
            name,
            pass_,
            tuple((tuple(members), counts[name, case]) for case, members in calls[name].items()),
            tuple(map(tuple, whole)),
        )
        for name, whole in wholes.items()
        for pass_ in PASSES
    ]
    return [network for network in networks if network.is_measured]


def _time(outcome: Outcome | None, pass_: PassName, clock: Clock, count: int) -> float | None:
    run = outcome.passes.get(pass_) if outcome and outcome.status is Status.MEASURED else None
    series = run.series(clock) if run else None
    return series.median * count if series else None


def _sum(name: str, calls: Sequence[SideTimes]) -> SideTimes:
    """The sum of calls that all sides measured."""
    times = tuple(math.fsum(time or 0.0 for time in side) for side in zip(*(call.times for call in calls), strict=True))
    return SideTimes(name, calls[0].clock, times, sum(call.count or 0 for call in calls))


def _reason(outcome: Outcome | None, pass_: PassName) -> str:
    if outcome is None:
        return "not measured"
    return outcome.reason or (f"no {pass_} pass" if pass_ not in outcome.passes else "not timed by this clock")


def _share(time: float | None, whole: float) -> float | None:
    return time / whole if time is not None and whole else None


_MIN_WORDS = 18
_LEGEND = (
    "calls: the calls of a pass that every side has measured, each alone, count times time. ratio: to the first side. "
    "kernel: of kernels. python: of calls from Python. wall: of calls of the C API. loses: against the fastest other"
)


def network_side_reports(
    networks: Sequence[NetworkSides], labels: Sequence[str], limit: int | None
) -> Iterator[Report]:
    """Each pass of each network: sums, operators and calls, and the calls that a side lacks."""
    for network in networks:
        tables = tuple(_tables(network, labels, limit or MAX_CALLS))
        yield Report(
            f"{network.name}, {network.pass_}", tuple(_answer(network, labels)), tables=tables, notes=(_LEGEND,)
        )


def _answer(network: NetworkSides, labels: Sequence[str]) -> Iterator[str]:
    """The sums of all sides, over the calls that they share, and the operator with which the first loses most."""
    for total in network.sums[: len(network.clocks)]:
        others = (f"{label} {_spelled(total, side)}" for side, label in enumerate(labels))
        yield f"{network.name}: {_counted(network, total)} take by the {total.clock.name} clock: {', '.join(others)}"
    worst = next(iter(network.by_operator), None)
    if worst and worst.lost_us is not None and worst.lost_us > 0:
        yield f"{network.name}: {labels[0]} loses most with {worst.name}: {duration(worst.lost_us)}"


def _counted(network: NetworkSides, total: SideTimes) -> str:
    made = network.timed(total.clock)
    shared = total.count or 0
    lacked = f" of {made}" if shared < made else ""
    return f"{shared}{lacked} calls"


def _spelled(row: SideTimes, side: int) -> str:
    ratio = row.ratio(side) if side else None
    return duration(row.times[side]) + (f" ({factor(ratio)} times)" if ratio is not None else "")


def _tables(network: NetworkSides, labels: Sequence[str], limit: int) -> Iterator[Table[Any]]:
    columns = list(_columns(labels))
    if network.sums:
        yield Table(f"{network.pass_}: sums", [_NAME, _CLOCK, *columns], network.sums, min_words=_MIN_WORDS)
    if network.shared:
        order = f"by the {network.clocks[0].name} clock, {labels[0]} loses most first"
        yield Table(
            f"{network.pass_} by operator, {order}", [_NAME, *columns, _LOST], network.by_operator, min_words=_MIN_WORDS
        )
        yield Table(
            f"{network.pass_} by call, {order}", [_NAME, _INPUTS, *columns, _LOST], network.shared[:limit],
            count(len(network.shared), "distinct call"), min_words=_MIN_WORDS,
        )  # fmt: skip
    if network.lacked:
        yield Table(
            f"{network.pass_} without a time", list(_lacked_columns(labels)), network.lacked,
            f"{percent(network.lacked_share)} of the time of {labels[0]}'s calls alone",
            min_words=_MIN_WORDS,
        )  # fmt: skip


def _columns(labels: Sequence[str]) -> Iterator[Column[SideTimes]]:
    yield Column("calls", "calls", lambda row: row.count, csv="calls", place=Place.FIGURE, optional=True, room=7)
    for side, label in enumerate(labels):
        room = max(10, len(label) + 2)
        yield Column(
            label, label, _side_time(side), unit="us", csv=f"{label}_us", place=Place.FIGURE, room=room
        )  # fmt: skip
        if side:
            yield Column("ratio", "ratio", _ratio(side), _ratio_text(side), place=Place.FIGURE, room=8)


def _side_time(side: int) -> Callable[[SideTimes], Value]:
    return lambda row: row.times[side]


def _ratio(side: int) -> Callable[[SideTimes], Value]:
    return lambda row: row.ratio(side)


def _ratio_text(side: int) -> Callable[[SideTimes], str]:
    return lambda row: NONE if (ratio := row.ratio(side)) is None else factor(ratio)


def _lacked_columns(labels: Sequence[str]) -> Iterator[Column[LackedCall]]:
    yield fact("operator", lambda row: row.call.name, place=Place.LEAD)
    yield fact("side", lambda row: labels[row.side], place=Place.LEAD)
    yield fact("reason", lambda row: row.reason, place=Place.LEAD)
    yield Column("calls", "calls", lambda row: row.call.count, place=Place.FIGURE, room=7)
    yield Column(
        labels[0], labels[0], lambda row: row.call.times[0], unit="us", place=Place.FIGURE, room=len(labels[0]) + 4
    )
    yield Column("share", "share", lambda row: row.share, unit="share", place=Place.FIGURE, room=7)


_NAME: Column[SideTimes] = fact("operator", lambda row: row.name, place=Place.LEAD)
_CLOCK: Column[SideTimes] = fact("clock", lambda row: row.clock.name, place=Place.LEAD)
_INPUTS: Column[SideTimes] = fact(
    "inputs", lambda row: describe_case(row.outcome) if row.outcome else "", place=Place.LEAD
)
_LOST: Column[SideTimes] = Column("loses", "loses", lambda row: row.lost_us, unit="us", place=Place.FIGURE, room=10)
