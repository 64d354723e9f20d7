"""Parts of pages: tables, rankings, the facts about a run, and the networks of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TypeVar

from autoperf.core.modes import NETWORK, NETWORK_MODES
from autoperf.core.outcome import Outcome
from autoperf.networks.report import RATES, network_notes, pass_tables
from autoperf.networks.times import NetworkPass, NetworkTimes
from autoperf.reports.columns import Column
from autoperf.reports.html.page import Bar, Cell, PageColumn, PageTable, RankedRow, Ranking
from autoperf.reports.provenance import provenance_lines
from autoperf.reports.units import duration, one_line, size
from autoperf.runs.environment import Environment
from autoperf.runs.runfile import Provenance
from autoperf.summary.runs import RunReport

Row = TypeVar("Row")
DIGITS = 5
LEVELS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The heights of the bins of a distribution, and of the nights of a course, from the lowest to the highest."""


def page_table(
    title: str,
    columns: Sequence[Column[Row]],
    rows: Iterable[Row],
    *,
    hidden: Collection[str] = (),
    filters: Collection[str] = (),
    bars: tuple[Bar, ...] = (),
) -> PageTable:
    """A table of these rows. `hidden` columns are shown on request; the values of `filters` are chosen from a list."""
    heads = tuple(
        PageColumn(column.name, column.title, column.unit, column.right, column.name in filters, column.name in hidden)
        for column in columns
    )
    return PageTable(title, heads, tuple(tuple(cell(column, row) for column in columns) for row in rows), bars)


def cell(column: Column[Row], row: Row) -> Cell:
    """The cell of a row: text, or a number with its spelling on a terminal."""
    value = column.value(row)
    if value is None:
        return None
    text = one_line(column.spell(row))
    return text if isinstance(value, str) else (rounded(value), text)


def rounded(value: float) -> float:
    """The value with as many digits as a position in a chart or an order needs."""
    return float(f"{value:.{DIGITS}g}")


MAX_RANKED = 12


def ranking(
    title: str, outcomes: Sequence[Outcome], value_of: Callable[[Outcome], float | None], spell: Callable[[float], str]
) -> Iterator[Ranking]:
    """The case of each operator with the largest value, largest first; not networks, which contain other cases."""
    best: dict[str, tuple[float, int]] = {}
    for position, outcome in enumerate(outcomes):
        value = None if outcome.category == NETWORK else value_of(outcome)
        if value and value > best.get(outcome.operator, (0.0, 0))[0]:
            best[outcome.operator] = (value, position)
    rows = sorted(best.values(), key=lambda pair: (-pair[0], pair[1]))[:MAX_RANKED]
    if rows:
        yield Ranking(title, tuple(RankedRow(position, rounded(value), spell(value)) for value, position in rows))


Facts = tuple[tuple[str, str], ...]


def run_facts(report: RunReport) -> Facts:
    """The provenance of a run, and the rest of its environment; empty without a header."""
    if not (report.provenance and report.origin):
        return ()
    return origin_facts(report.provenance, report.origin[1].environment)


def origin_facts(provenance: Provenance, environment: Environment) -> Facts:
    """The provenance of measurements, and the rest of their environment."""
    processor = environment.processor
    names = ("processor", "threads", "machine", "date", "autoperf", "seed", "revision", "command")
    facts: tuple[tuple[str, object], ...] = (
        ("MXNet", provenance.release),
        ("library", provenance.build),
        *((name, getattr(provenance, name)) for name in names),
        ("system", f"{environment.system}, {environment.python}"),
        ("processors", f"{processor.usable} usable of {processor.logical}"),
        ("governor", ", ".join(processor.governors)),
        ("memory", size(environment.memory_total)),
        ("load", f"{environment.load[0]:.2f} at the start"),
        ("settings", ", ".join(f"{name}={value}" for name, value in environment.settings.items())),
    )
    return tuple((label, one_line(str(value))) for label, value in facts if value not in ("", None))


def side_fact(title: str, provenance: Provenance | None) -> str:
    """A side of a comparison, or a release: its title, and its provenance where that is known."""
    lines = provenance_lines(provenance) if provenance else ()
    return one_line("; ".join(filter(None, (title, *lines))))


MAX_PARTS = 8


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
    """The time of the pass in each mode, and of its calls alone, divided among the largest parts and the others."""
    modes = [mode for mode in NETWORK_MODES if mode in times.modes]
    rows = {
        group.name: [*(group.modes.get(mode, 0.0) for mode in modes), group.total_us or 0.0]
        for group in times.by_operator
    }
    largest = sorted(rows, key=lambda name: -max(rows[name]))
    small = set(largest[MAX_PARTS - 1 :]) if len(rows) > MAX_PARTS else set()
    parts = {name: values for name, values in rows.items() if name not in small}
    if small:
        parts["others"] = [math.fsum(values) for values in zip(*(rows[name] for name in small), strict=True)]
    for label, values in zip((*modes, "calls alone"), zip(*parts.values(), strict=True), strict=False):
        total = math.fsum(values)
        named = zip(parts, values, strict=True)
        if total:
            yield Bar(
                f"{label} {duration(total)}", tuple((one_line(name), rounded(us), duration(us)) for name, us in named)
            )


def network_page_notes(networks: Iterable[NetworkTimes]) -> Iterator[str]:
    """The meaning of the columns, and the notes of each network with its name."""
    tables = [table for network in networks for times in network.passes for table in pass_tables(times, None)]
    yield from dict.fromkeys(text for table in tables for text in table.legends(table.shown))
    for network in networks:
        yield from (f"{one_line(network.name)}: {note}" for note in network_notes(network, None))
