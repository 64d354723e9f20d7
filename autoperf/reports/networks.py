"""The time of a network as tables: by operator, by call, and the whole beside the sum of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from autoperf.analysis.network_times import KernelDifference, NetworkTimes, TimeGroup, WholeTime, share
from autoperf.core.modes import FUSED, HYBRIDIZED
from autoperf.core.outcome import PASSES, PassName
from autoperf.reports.columns import Column, Place, Value, fact
from autoperf.reports.summary import reasons, reasons_table
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, count, describe_case, duration, factor, one_line, percent

Row = TypeVar("Row")
MAX_CALLS = 20
"""Maximum number of listed calls without --limit."""
MAX_KERNELS = 5
MIN_DIFFERENCE = 0.01
"""A kernel is listed if its time differs by this share of the whole's."""
MAX_UNEXPLAINED = 0.1
"""The share of the whole's time from which kernels that take another time in the network are listed."""
LEGEND = (
    "speed-up: against the imperative network. parts: the calls measured one by one, count times time. in network: how "
    "much longer the operators' kernels take in the network than alone. helpers: the engine's kernels (layout changes, "
    "copies). dispatch: no kernel ran"
)
_MIN_MODE = 23


def network_reports(networks: Sequence[NetworkTimes], limit: int | None) -> Iterator[Report]:
    """Each network with its tables, its calls without a figure, and the meaning of the columns."""
    for network in networks:
        tables = (*network_tables(network, limit), *reasons_table(reasons(network.missing)))
        yield Report(network.name, tables=tables, notes=tuple(network_notes(network, limit)))


def network_tables(network: NetworkTimes, limit: int | None) -> Iterator[Table[Any]]:
    """The operators, the calls, the whole, and its kernels; each if there are some."""
    kernels = _kernels(network)
    parts = count(len(network.calls), "distinct call")
    if network.calls:
        yield Table("by operator", _operator_columns(network), network.by_operator, parts)
        yield Table("by call", _call_columns(network), network.by_call[: limit or MAX_CALLS], parts)
    if network.whole:
        yield Table("whole network", WHOLE_COLUMNS, network.whole, _calls(network), min_words=_MIN_MODE)
    if kernels:
        yield Table("kernels", KERNEL_COLUMNS, kernels, "in the network, and alone")


def network_notes(network: NetworkTimes, limit: int | None) -> Iterator[str]:
    """The number of hidden calls, and the meaning of the columns."""
    yield from _incomplete(network)
    hidden = network.by_call[limit or MAX_CALLS :]
    if hidden:
        total = sum(network.parts_us(name) for name in PASSES)
        left_out = sum(group.total_us(name) for group in hidden for name in PASSES)
        further = count(len(hidden), "further call")
        of_all = "that of all measured calls" if network.without_figure("forward") else "the time"
        yield f"{further} with {percent(share(left_out, total) or 0.0)} of {of_all}; --limit sets how many are listed"
    fused = network.kernels(FUSED, "forward")
    if fused:
        names = ", ".join(f"{one_line(name)} {duration(us)}" for name, us in fused[:MAX_KERNELS])
        yield f"kernels of the {FUSED} network: {names}{', ...' if len(fused) > MAX_KERNELS else ''}"
    if network.whole:
        yield LEGEND


def _incomplete(network: NetworkTimes) -> Iterator[str]:
    """The number of calls without a time, and the columns that are missing because of them."""
    for pass_ in PASSES:
        without = network.without_figure(pass_)
        if without and network.has(pass_):
            calls = count(network.made, "call")
            verb = "has" if without == 1 else "have"
            yield (
                f"{pass_}: {without} of {calls} {verb} no figure (not captured, selected or measured), so there are no "
                "shares, and no sum of parts to hold against the whole"
            )


def network_record(network: NetworkTimes) -> dict[str, object]:
    """A network as JSON has it: its operators and calls by time, and the whole, in microseconds."""
    kernels = [kernel for time in network.whole for kernel in network.differences(time.way, time.pass_)]
    return {
        "network": network.name,
        "made": network.made,
        "without_figure": {pass_: network.without_figure(pass_) for pass_ in PASSES if network.has(pass_)},
        "operators": Table("", _operator_columns(network), network.by_operator).records(),
        "calls": Table("", _call_columns(network), network.by_call).records(),
        "whole": Table("", WHOLE_COLUMNS, network.whole).records(),
        "kernels": Table("", KERNEL_COLUMNS, kernels).records(),
    }


def _kernels(network: NetworkTimes) -> list[KernelDifference]:
    """The kernels of each pass that differ most between the network and the parts."""
    return [
        kernel
        for time in network.whole
        if _compares_kernels(time)
        for kernel in network.differences(time.way, time.pass_)[:MAX_KERNELS]
        if abs(kernel.difference) >= MIN_DIFFERENCE * time.wall
    ]


def _compares_kernels(time: WholeTime) -> bool:
    """Whether kernels are listed: for the usual way, and for others if their kernels' times differ."""
    if time.way == FUSED:
        # It has other kernels.
        return False
    return time.way == HYBRIDIZED or abs(time.in_network or 0.0) > MAX_UNEXPLAINED * time.wall


def _group_columns(network: NetworkTimes) -> list[Column[TimeGroup]]:
    """The count, and for each pass the time and the throughput."""
    return [
        Column("count", "count", lambda group: group.count, csv="count", place=Place.FIGURE, room=7),
        *(column for pass_ in PASSES for column in (*_pass_columns(network, pass_), *_throughput_columns(pass_))),
    ]


def _call_columns(network: NetworkTimes) -> list[Column[TimeGroup]]:
    """The columns of a call: its case, number and time."""
    number, *columns = _group_columns(network)
    return [*_CALL_FACTS, number, EACH, *columns]


def _operator_columns(network: NetworkTimes) -> list[Column[TimeGroup]]:
    """The columns of a group, with the time of the operator's kernels in the hybridized network."""
    columns = [_OPERATOR, *_group_columns(network)]
    for pass_ in reversed(PASSES):
        place = next(place for place, column in enumerate(columns) if column.name == f"{pass_}_share")
        columns.insert(place + 1, _in_network_column(network, pass_))
    return columns


def _in_network_column(network: NetworkTimes, pass_: PassName) -> Column[TimeGroup]:
    def in_network(group: TimeGroup) -> Value:
        return network.in_network_us(group, HYBRIDIZED, pass_)

    return Column(
        f"{pass_}_in_network", "in network", in_network, None, pass_, "us", f"{pass_}_in_network_us",
        Place.FIGURE, priority=2, optional=True,
    )  # fmt: skip


def _pass_columns(network: NetworkTimes, pass_: PassName) -> Iterator[Column[TimeGroup]]:
    """The time of the calls in a pass, and its share of all calls' time."""
    parts = network.sum_us(pass_)

    def total(group: TimeGroup) -> Value:
        return group.total_us(pass_) or None

    def part(group: TimeGroup) -> Value:
        return share(group.total_us(pass_), parts)

    yield Column(f"{pass_}_total", "total", total, None, pass_, "us", f"{pass_}_total_us", Place.FIGURE, optional=True)
    yield Column(
        f"{pass_}_share", "share", part, None, pass_, "share", f"{pass_}_share", Place.FIGURE, optional=True, room=7
    )


def _throughput_columns(pass_: PassName) -> Iterator[Column[TimeGroup]]:
    """The counted work of a pass over its time, and the least time by the roofline as a share of it."""

    def share_of_roofline(group: TimeGroup) -> Value:
        return group.roofline(pass_)

    yield _rate_column(pass_, "flops", "GFLOP/s", lambda group: group.gflop_per_s(pass_))
    yield _rate_column(pass_, "bandwidth", "GB/s", lambda group: group.gb_per_s(pass_))
    yield Column(
        f"{pass_}_roofline", "roofline", share_of_roofline, None, pass_, "share", f"{pass_}_roofline",
        Place.FIGURE, priority=1, optional=True, room=10,
    )  # fmt: skip


def _rate_column(
    pass_: PassName, name: str, header: str, rate: Callable[[TimeGroup], float | None]
) -> Column[TimeGroup]:
    def text(group: TimeGroup) -> str:
        value = rate(group)
        return NONE if value is None else f"{value:.3g}" if value < 1000 else f"{value:,.0f}"

    csv = f"{pass_}_{header.lower().replace('/', '_per_')}"
    return Column(
        f"{pass_}_{name}", header, rate, text, pass_, "", csv, Place.FIGURE, priority=3, optional=True, room=10
    )


def _calls(network: NetworkTimes) -> str:
    """The number of calls, and of measured ones if some are missing."""
    measured = sum(call.count for call in network.calls)
    return f"{measured} of {count(network.made, 'call')}" if measured < network.made else count(network.made, "call")


def _speedup(time: WholeTime) -> str:
    return NONE if time.speedup is None else factor(time.speedup)


EACH: Column[TimeGroup] = Column(
    "forward_each", "each", lambda group: group.calls[0].each_us("forward"), None, "forward", "us", "forward_each_us",
    Place.FIGURE, optional=True,
)  # fmt: skip
"""The time of one call."""


def _time(name: str, header: str, value: Callable[[Row], Value], *, optional: bool = False) -> Column[Row]:
    return Column(name, header, value, unit="us", csv=f"{name}_us", place=Place.FIGURE, optional=optional)


_OPERATOR: Column[TimeGroup] = fact("operator", lambda group: group.name, place=Place.LEAD)
_CALL_FACTS: tuple[Column[TimeGroup], ...] = (
    fact("case", lambda group: group.calls[0].outcome.case),
    fact("operator", lambda group: group.calls[0].outcome.operator, place=Place.LEAD, csv=""),
    fact("profile", lambda group: group.calls[0].outcome.profile, place=Place.LEAD, csv=""),
    fact("inputs", lambda group: describe_case(group.calls[0].outcome), place=Place.LEAD, csv=""),
)
WHOLE_COLUMNS: tuple[Column[WholeTime], ...] = (
    fact("pass", lambda time: time.pass_, place=Place.LEAD),
    fact("mode", lambda time: time.way, place=Place.LEAD, csv="way"),
    _time("wall", "wall", lambda time: time.wall),
    Column(
        "speedup", "speed-up", lambda time: time.speedup, _speedup, csv="speedup", place=Place.FIGURE, optional=True
    ),
    _time("parts", "parts", lambda time: time.parts, optional=True),
    Column(
        "explained", "parts/wall", lambda time: time.explained, unit="share", csv="explained", place=Place.FIGURE,
        optional=True,
    ),
    _time("in_network", "in network", lambda time: time.in_network, optional=True),
    _time("helpers", "helpers", lambda time: time.helpers, optional=True),
    _time("dispatch", "dispatch", lambda time: time.dispatch, optional=True),
)  # fmt: skip
"""A pass of the whole network: its time, the sum of its parts, and the remainder by cause."""

KERNEL_COLUMNS: tuple[Column[KernelDifference], ...] = (
    fact("pass", lambda kernel: kernel.pass_, place=Place.LEAD),
    fact("mode", lambda kernel: kernel.way, place=Place.LEAD, csv="way"),
    fact("kernel", lambda kernel: kernel.name, place=Place.LEAD),
    _time("in_network", "in network", lambda kernel: kernel.in_network),
    _time("alone", "alone", lambda kernel: kernel.alone),
    _time("difference", "difference", lambda kernel: kernel.difference),
)
"""A kernel's time in the whole network and in all its calls measured alone."""
