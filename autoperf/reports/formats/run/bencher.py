"""A run in Bencher's metric format: latency in nanoseconds, memory in bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator

from autoperf.core.clocks import WALL
from autoperf.core.outcome import Series
from autoperf.reports.exported_figures import ExportedFigure, exported_figures
from autoperf.reports.formats import text
from autoperf.reports.runs import RunReport


def lines(report: RunReport) -> Iterator[str]:
    """One document with the measures of each pass of a case."""
    separator = "{\n"
    for figure in exported_figures(report):
        yield f"{separator}{json.dumps(figure.name)}: {json.dumps(_measures(figure))}"
        separator = ",\n"
    yield "\n}\n" if separator == ",\n" else "{}\n"


def _measures(figure: ExportedFigure) -> dict[str, dict[str, float]]:
    """`latency` is Bencher's own measure, here wall time; the others it creates."""
    names = {clock.name: "latency" if clock == WALL else f"{clock.name}-time" for clock, _ in figure.clocks()}
    measures = {names[clock.name]: _latency(series) for clock, series in figure.clocks()}
    if figure.memory:
        measures["peak-memory"] = {"value": figure.memory.peak}
    return measures


def _latency(series: Series) -> dict[str, float]:
    """The median in nanoseconds, with its interval if there is one."""
    limits = {"lower_value": series.low, "upper_value": series.high}
    return {"value": 1e3 * series.median} | {name: 1e3 * value for name, value in limits.items() if value is not None}


FORMAT = text(lines, sort=True)
