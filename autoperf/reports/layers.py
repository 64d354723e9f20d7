"""Layers of Gluon as tables: imperative, hybridized and with static memory side by side, with their kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from rich.text import Text

from autoperf.analysis.modes import ModeTimes
from autoperf.core.modes import IMPERATIVE, LAYERS, MODES
from autoperf.core.outcome import PASSES, PassName
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import hanging
from autoperf.reports.markdown import bullets, escape
from autoperf.reports.table import Table
from autoperf.reports.units import NONE, case_words, count, factor, one_line, quantity

MAX_KERNELS = 4
"""Maximum number of listed kernels of a pass."""
MIN_SHARE = 0.01
"""A kernel is listed if it takes this share of the pass's wall time in one of the ways."""
NOUN = "configuration"
"""The noun of the compared items: a layer with its arguments and arrays."""
LEGEND = (
    "wall: the median time of a call through Gluon, with its Python. static: hybridized with static_alloc and "
    "static_shape. speed-up: against the imperative layer. no kernel: Python, dispatch, the engine's queue. GFLOP/s, "
    "GB/s: the work of the operators' calls in its graph, over the kernels' time. memory: the peak of its allocations"
)
RATIO = "ratio"


@dataclass(frozen=True)
class LayerRow:
    """One quantity of a layer's pass by way, in its unit. `layer` has its name, arrays and arguments."""

    layer: str
    pass_: PassName
    name: str
    values: Mapping[str, float]
    unit: str = "us"

    def spell(self, way: str) -> str:
        """The value of a way for a person."""
        value = self.values.get(way)
        if value is None:
            return NONE
        return factor(value) if self.unit == RATIO else quantity(value, self.unit)


def layer_lines(layers: Sequence[ModeTimes], width: int) -> Iterator[Text]:
    """The table of all layers on a terminal, and the notes below."""
    yield from _table(layers).lines(width)
    for note in layer_notes(layers):
        yield from hanging("", note.split(), width, "dim")
    yield Text()


def _table(layers: Sequence[ModeTimes]) -> Table[LayerRow]:
    rows = [row for layer in layers for row in layer_rows(layer)]
    return Table(
        LAYERS, COLUMNS, rows, count(len(layers), NOUN), section=lambda row: row.layer,
        words=lambda row: [f"{row.pass_:<8}", one_line(row.name)],
    )  # fmt: skip


def layer_rows(layer: ModeTimes) -> Iterator[LayerRow]:
    """The rows of each pass that the layer has: time, speed-up, kernels, the time without one, work and memory."""
    title = " ".join(_title(layer))
    for pass_ in PASSES:
        wall, speedup = layer.wall(pass_), layer.speedup(pass_)
        if wall:
            yield LayerRow(title, pass_, "wall", wall)
            yield from [LayerRow(title, pass_, "speed-up", speedup, RATIO)] if speedup else []
            yield from (LayerRow(title, pass_, name, times) for name, times in _kernels(layer, pass_))
            amounts = (LayerRow(title, pass_, *amount) for amount in _amounts(layer, pass_))
            yield from (row for row in amounts if row.values)


def _kernels(layer: ModeTimes, pass_: PassName) -> Iterator[tuple[str, Mapping[str, float]]]:
    """The longest kernels, the others together, and the time without one."""
    kernels, wall = layer.kernels(pass_), layer.wall(pass_)
    listed = [name for name, times in kernels.items() if _counts(times, wall)][:MAX_KERNELS]
    yield from ((name, kernels[name]) for name in listed)
    others = _sum(times for name, times in kernels.items() if name not in listed)
    if _counts(others, wall):
        yield count(len(kernels) - len(listed), "more kernel", "more kernels"), others
    without = layer.without_kernel(pass_)
    if without:
        yield "no kernel", without


def _amounts(layer: ModeTimes, pass_: PassName) -> Iterator[tuple[str, Mapping[str, float], str]]:
    """Operations and bytes per second of a pass, its share of the roofline, and its memory, each with its unit."""
    rates = layer.throughput(pass_)
    yield "GFLOP/s", {way: rate.gflop_per_s for way, rate in rates.items() if rate.gflop_per_s}, RATIO
    yield "GB/s", {way: rate.gb_per_s for way, rate in rates.items()}, RATIO
    yield "roofline", {way: rate.roofline for way, rate in rates.items() if rate.roofline is not None}, "share"
    yield "memory", layer.memory(pass_), "bytes"


def _counts(times: Mapping[str, float], wall: Mapping[str, float]) -> bool:
    """Whether kernels reach the minimum share of the wall time in one of the ways."""
    return any(us >= MIN_SHARE * wall[way] for way, us in times.items() if way in wall)


def layer_notes(layers: Sequence[ModeTimes]) -> Iterator[str]:
    """The median speed-up of hybridized layers, and the meaning of the rows."""
    for pass_ in PASSES:
        speedups = [layer.speedup(pass_) for layer in layers]
        by_way = {way: [each[way] for each in speedups if way in each] for way in MODES if way != IMPERATIVE}
        parts = [f"{way} {factor(median(values))}" for way, values in by_way.items() if len(values) > 1]
        if parts:
            counted = count(max(map(len, by_way.values())), NOUN)
            yield f"speed-up of the {pass_} pass in the median of {counted}: {', '.join(parts)}"
    yield LEGEND


def layer_markdown(layers: Sequence[ModeTimes]) -> Iterator[str]:
    """The layers as one table in Markdown."""
    if not layers:
        return
    yield f"### {escape(LAYERS)}: {count(len(layers), NOUN)}\n\n"
    yield from Table("", PAGE_COLUMNS, [row for layer in layers for row in layer_rows(layer)]).markdown()
    yield from bullets("", layer_notes(layers))
    yield "\n"


def layer_record(layer: ModeTimes) -> dict[str, object]:
    """A layer as JSON has it: its cases by way, and times by pass and way in microseconds."""
    return {
        "layer": layer.outcome.operator,
        "cases": {way: outcome.case for way, outcome in layer.modes.items()},
        "passes": [
            {
                "pass": pass_,
                "wall_us": layer.wall(pass_),
                "speedup": layer.speedup(pass_),
                "kernels": layer.kernels(pass_),
                "no_kernel_us": layer.without_kernel(pass_),
                "throughput": layer.throughput(pass_),
                "memory_bytes": layer.memory(pass_),
            }
            for pass_ in PASSES
            if layer.wall(pass_)
        ],
    }


def _title(layer: ModeTimes) -> list[str]:
    return [one_line(layer.outcome.operator), *case_words(layer.outcome)]


def _sum(kernels: Iterator[Mapping[str, float]]) -> dict[str, float]:
    """The time of several kernels together, by way."""
    total: dict[str, float] = {}
    for times in kernels:
        for way, us in times.items():
            total[way] = total.get(way, 0.0) + us
    return total


def _column(way: str) -> Column[LayerRow]:
    return Column(
        way, way, lambda row: row.values.get(way), lambda row: row.spell(way), unit="us", csv=f"{way}_us",
        place=Place.FIGURE,
    )  # fmt: skip


COLUMNS = tuple(_column(way) for way in MODES)
"""A column for each way to run a layer."""
PAGE_COLUMNS: tuple[Column[LayerRow], ...] = (
    fact("layer", lambda row: row.layer, place=Place.LEAD),
    fact("pass", lambda row: row.pass_, place=Place.LEAD),
    fact("quantity", lambda row: row.name, place=Place.LEAD),
    *COLUMNS,
)
"""The columns with those that identify a row."""
