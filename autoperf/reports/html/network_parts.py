"""The networks of a run on its page: the tables of each pass, and its time by operator and mode as bars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from autoperf.analysis.network_times import NetworkPass, NetworkTimes
from autoperf.core.modes import NETWORK_MODES
from autoperf.reports.html.page import Bar, PageTable
from autoperf.reports.html.page_parts import page_table, rounded
from autoperf.reports.networks import RATES, network_notes, pass_tables
from autoperf.reports.units import duration, one_line

MAX_PARTS = 8
"""Maximum number of parts of a bar; the last one has all the others."""


def network_page_tables(networks: Iterable[NetworkTimes]) -> Iterator[PageTable]:
    """The tables of each pass; bars stand above the first."""
    for network in networks:
        for times in network.passes:
            bars = tuple(_bars(times))
            for table in pass_tables(times, None):
                title = f"{one_line(network.name)}: {table.title}"
                yield page_table(title, table.shown, table.rows, hidden=RATES, bars=bars)
                bars = ()


def _bars(times: NetworkPass) -> Iterator[Bar]:
    """The time of the pass in each mode, and of its calls alone, divided among its parts."""
    modes = [mode for mode in NETWORK_MODES if mode in times.modes]
    rows = {
        group.name: [*(group.modes.get(mode, 0.0) for mode in modes), group.total_us or 0.0]
        for group in times.by_operator
    }
    parts = _merged(rows)
    for label, values in zip((*modes, "calls alone"), zip(*parts.values(), strict=True), strict=False):
        total = math.fsum(values)
        named = zip(parts, values, strict=True)
        if total:
            yield Bar(
                f"{label} {duration(total)}", tuple((one_line(name), rounded(us), duration(us)) for name, us in named)
            )


def _merged(rows: Mapping[str, Sequence[float]]) -> Mapping[str, Sequence[float]]:
    """The parts that are largest in one of the bars, in their order, and the others together."""
    largest = sorted(rows, key=lambda name: -max(rows[name]))
    small = set(largest[MAX_PARTS - 1 :]) if len(rows) > MAX_PARTS else set()
    shown = {name: values for name, values in rows.items() if name not in small}
    others = [math.fsum(values) for values in zip(*(rows[name] for name in small), strict=True)]
    return {**shown, "others": others} if small else shown


def network_page_notes(networks: Iterable[NetworkTimes]) -> Iterator[str]:
    """The meaning of the columns, and the notes of each network with its name."""
    tables = [table for network in networks for times in network.passes for table in pass_tables(times, None)]
    yield from dict.fromkeys(text for table in tables for text in table.legends(table.shown))
    for network in networks:
        yield from (f"{one_line(network.name)}: {note}" for note in network_notes(network, None))
