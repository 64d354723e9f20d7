"""A run for services that watch benchmarks: Bencher and github-action-benchmark."""

from __future__ import annotations

import json
from collections.abc import Iterator

from autoperf.core.clocks import WALL
from autoperf.core.outcome import Series
from autoperf.reports.exports import ExportedFigure, exported_figures
from autoperf.reports.runs import RunReport
from autoperf.reports.units import within


def bencher_lines(report: RunReport) -> Iterator[str]:
    """Bencher's metric format: latency in nanoseconds and memory in bytes of each pass of a case."""
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


def github_action_lines(report: RunReport) -> Iterator[str]:
    """`customSmallerIsBetter`: a list with the median of each clock of each pass in microseconds."""
    separator = "[\n"
    for figure in exported_figures(report):
        for clock, series in figure.clocks():
            entry = {
                "name": f"{figure.name}/{clock.name}",
                "unit": "us",
                "value": series.median,
                "range": within(series),
                "extra": figure.label,
            }
            yield separator + json.dumps(entry)
            separator = ",\n"
    yield "\n]\n" if separator == ",\n" else "[]\n"
