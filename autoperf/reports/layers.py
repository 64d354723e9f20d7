"""Layers of Gluon as tables: imperative, hybridized and with static memory side by side, with their kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from autoperf.analysis.layer_times import LayerTimes
from autoperf.core.layers import CATEGORY, WAYS
from autoperf.core.outcome import PASSES, PassName
from autoperf.reports.columns import Column
from autoperf.reports.layout import hanging
from autoperf.reports.markdown import bullets, cells, escape, heading
from autoperf.reports.table import INDENT, fitted
from autoperf.reports.units import NONE, case_words, count, duration, factor, one_line

MAX_KERNELS = 4
"""So many kernels of a pass are listed."""
LEGEND = (
    "wall: the median time of a call through Gluon, with its Python. static: hybridized with static_alloc and "
    "static_shape. speed-up: against the imperative layer. no kernel: Python, dispatch, the engine's queue"
)
_MIN_WORDS = 30


@dataclass(frozen=True)
class LayerRow:
    """One quantity of a layer's pass by way: microseconds, or a ratio."""

    pass_: PassName
    name: str
    values: Mapping[str, float]
    is_ratio: bool = False

    def spell(self, way: str) -> str:
        """The value of a way for a person."""
        value = self.values.get(way)
        if value is None:
            return NONE
        return factor(value) if self.is_ratio else duration(value)


def layer_lines(layers: Sequence[LayerTimes], width: int) -> Iterator[Text]:
    """The table of all layers on a terminal."""
    table = fitted(COLUMNS, width, _MIN_WORDS)
    yield from table.heading(CATEGORY, count(len(layers), "layer"))
    for layer in layers:
        yield from hanging("", _title(layer), width, "bold cyan")
        for row in layer_rows(layer):
            yield from table.rows(INDENT, [f"{row.pass_:<8}", one_line(row.name)], [row])
    yield from hanging("", LEGEND.split(), width, "dim")
    yield Text()


def layer_rows(layer: LayerTimes) -> Iterator[LayerRow]:
    """The rows of each pass that the layer has: its time, its speed-up, its kernels, and the time without one."""
    for pass_ in PASSES:
        wall, kernels = layer.wall(pass_), list(layer.kernels(pass_).items())
        if not wall:
            continue
        yield LayerRow(pass_, "wall", wall)
        yield LayerRow(pass_, "speed-up", layer.speedup(pass_), is_ratio=True)
        yield from (LayerRow(pass_, name, times) for name, times in kernels[:MAX_KERNELS])
        others = _sum(times for _, times in kernels[MAX_KERNELS:])
        if others:
            yield LayerRow(pass_, f"{len(kernels) - MAX_KERNELS} more kernels", others)
        without = layer.without_kernel(pass_)
        if without:
            yield LayerRow(pass_, "no kernel", without)


def layer_markdown(layers: Sequence[LayerTimes]) -> Iterator[str]:
    """The layers as one table in Markdown."""
    if not layers:
        return
    yield f"### {escape(CATEGORY)}: {count(len(layers), 'layer')}\n\n"
    yield heading([("layer", False), ("pass", False), ("", False), *((way, True) for way in WAYS)])
    for layer in layers:
        for row in layer_rows(layer):
            yield cells([" ".join(_title(layer)), row.pass_, row.name, *(row.spell(way) for way in WAYS)])
    yield from bullets("", [LEGEND])
    yield "\n"


def layer_record(layer: LayerTimes) -> dict[str, object]:
    """A layer as JSON has it: its cases by way, and times by pass and way in microseconds."""
    return {
        "layer": layer.outcome.operator,
        "cases": {way: outcome.case for way, outcome in layer.ways.items()},
        "passes": [
            {
                "pass": pass_,
                "wall_us": layer.wall(pass_),
                "speedup": layer.speedup(pass_),
                "kernels": layer.kernels(pass_),
                "no_kernel_us": layer.without_kernel(pass_),
            }
            for pass_ in PASSES
            if layer.wall(pass_)
        ],
    }


def _title(layer: LayerTimes) -> list[str]:
    return [one_line(layer.outcome.operator), *case_words(layer.outcome)]


def _sum(kernels: Iterator[Mapping[str, float]]) -> dict[str, float]:
    """The time of several kernels together, by way."""
    total: dict[str, float] = {}
    for times in kernels:
        for way, us in times.items():
            total[way] = total.get(way, 0.0) + us
    return total


def _column(way: str) -> Column[LayerRow]:
    return Column(way, way, lambda row: row.values.get(way), lambda row: row.spell(way), unit="us", csv=f"{way}_us")


COLUMNS = tuple(_column(way) for way in WAYS)
"""A column for each way to run a layer."""
