"""A run as github-action-benchmark's `customSmallerIsBetter` JSON: medians in microseconds."""

from __future__ import annotations

import json
from collections.abc import Iterator

from autoperf.reports.exported_figures import exported_figures
from autoperf.reports.formats import text
from autoperf.reports.runs import RunReport
from autoperf.reports.units import within


def lines(report: RunReport) -> Iterator[str]:
    """A list with an entry for each clock of each pass."""
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


FORMAT = text(lines, sort=True)
