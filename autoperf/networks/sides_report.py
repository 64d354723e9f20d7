"""A network under several frameworks or releases: sums of its calls, and the calls where the first loses most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autoperf.networks.report import MAX_CALLS
from autoperf.networks.sides import LackedCall, NetworkSides, SideTimes
from autoperf.reports.columns import Column, Place, Value, fact
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, count, describe_case, duration, factor, percent

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
            label, label, _time(side), unit="us", csv=f"{label}_us", place=Place.FIGURE, room=room
        )  # fmt: skip
        if side:
            yield Column("ratio", "ratio", _ratio(side), _ratio_text(side), place=Place.FIGURE, room=8)


def _time(side: int) -> Callable[[SideTimes], Value]:
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
