"""A run as google-benchmark's JSON, which its compare.py reads: a repetition for each process.

`real_time` is wall time and `cpu_time` kernel time, at the reference speed, in microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from autoperf.core.machine import Reference
from autoperf.core.outcome import Outcome, Series, Status
from autoperf.reports.exports import ExportedFigure, exported_figures
from autoperf.reports.runs import RunReport
from autoperf.reports.units import one_line
from autoperf.results.environment import Machine
from autoperf.results.runfile import RunHeader
from autoperf.results.statistics import process_medians


def lines(report: RunReport) -> Iterator[str]:
    """The document: `{"context": {...}, "benchmarks": [...]}`, a benchmark a line."""
    yield f'{{"context": {json.dumps(_context(*report.origin) if report.origin else {})},\n"benchmarks": ['
    entries = (
        entry for figure in exported_figures(report) for entry in _repetitions(figure, report.reference(figure.outcome))
    )
    separator = "\n"
    for entry in (*entries, *map(_failure, _unmeasured(report))):
        yield separator + json.dumps(entry)
        separator = ",\n"
    yield "\n]}\n"


def _context(header: RunHeader, machine: Machine) -> dict[str, Any]:
    environment = machine.environment
    return {
        "date": header.started,
        "host_name": environment.machine,
        "executable": "autoperf",
        "num_cpus": environment.processor.usable,
        "cpu_scaling_enabled": environment.processor.governors not in ((), ("performance",)),
        "caches": [],
        "load_avg": list(environment.load),
        "library_build_type": "release",
        "mxnet": header.mxnet,
        "autoperf": header.autoperf,
    }


def _repetitions(figure: ExportedFigure, reference: Reference | None) -> Iterator[dict[str, Any]]:
    """An entry for each process."""
    series = figure.wall or figure.kernel
    if series is None:
        return
    wall, kernel = (_medians(readings, reference) for readings in (figure.wall, figure.kernel))
    pairs = list(zip_longest(wall, kernel))
    for index, (real, cpu) in enumerate(pairs):
        yield {
            "name": figure.name,
            "run_name": figure.name,
            "run_type": "iteration",
            "repetitions": len(pairs),
            "repetition_index": index,
            "threads": 1,
            "iterations": series.count * series.loops // len(pairs),
            "real_time": real if real is not None else cpu,
            "cpu_time": cpu if cpu is not None else real,
            "time_unit": "us",
            "label": figure.label,
        }


def _medians(series: Series | None, reference: Reference | None) -> list[float]:
    return process_medians(series, reference) if series else []


def _unmeasured(report: RunReport) -> Iterator[Outcome]:
    return (outcome for outcome in report.rows if outcome.status is not Status.MEASURED)


def _failure(outcome: Outcome) -> dict[str, Any]:
    return {
        "name": one_line(outcome.case),
        "run_name": one_line(outcome.case),
        "run_type": "iteration",
        "error_occurred": True,
        "error_message": one_line(f"{outcome.status.value}: {outcome.reason}"),
    }
