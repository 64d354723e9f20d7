"""A run as pytest-benchmark's JSON, which `pytest-benchmark compare` reads: seconds of wall time, else kernel time."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from autoperf.core.machine import Reference
from autoperf.reports.exports import ExportedFigure, exported_figures
from autoperf.reports.runs import RunReport
from autoperf.results.environment import Machine
from autoperf.results.runfile import RunHeader
from autoperf.results.statistics import reference_samples

VERSION = "5.0.0"
"""The version of pytest-benchmark whose format this is."""
_FENCE = 1.5


def lines(report: RunReport) -> Iterator[str]:
    """The document, a benchmark a line."""
    head = _head(*report.origin) if report.origin else {"machine_info": {}, "commit_info": {}, "datetime": ""}
    yield f'{json.dumps(head)[:-1]}, "version": "{VERSION}",\n"benchmarks": ['
    separator = "\n"
    for figure in exported_figures(report):
        entry = _benchmark(figure, report.reference(figure.outcome))
        if entry:
            yield separator + json.dumps(entry)
            separator = ",\n"
    yield "\n]}\n"


def _head(header: RunHeader, machine: Machine) -> dict[str, Any]:
    environment = machine.environment
    revision, _, changed = (environment.git or "").partition("-")
    info = {
        "node": environment.machine,
        "processor": environment.processor.model,
        "machine": environment.system.rpartition(" ")[2],
        "system": environment.system,
        "python_version": environment.python,
        "cpu": {"brand_raw": environment.processor.model, "count": environment.processor.logical},
        "mxnet": header.mxnet,
        "autoperf": header.autoperf,
    }
    commit = {"id": revision or "unversioned", "time": header.started, "dirty": bool(changed), "branch": "(unknown)"}
    return {"machine_info": info, "commit_info": commit, "datetime": header.started}


def _benchmark(figure: ExportedFigure, reference: Reference | None) -> dict[str, Any]:
    """One pass of a case; empty if no clock was read."""
    clocks = list(figure.clocks())
    if not clocks:
        return {}
    clock, series = clocks[0]
    samples = [sample / 1e6 for sample in reference_samples(series, reference)] or [series.median / 1e6]
    return {
        "group": figure.outcome.operator,
        "name": figure.name,
        "fullname": f"autoperf::{figure.name}",
        "params": None,
        "param": None,
        "extra_info": {"case": figure.label, "clock": clock.name},
        "options": {"timer": clock.name, "warmup": True},
        "stats": _statistics(samples, series.loops),
    }


def _statistics(samples: Sequence[float], iterations: int) -> dict[str, Any]:
    """The statistics that pytest-benchmark has, of samples in seconds."""
    median, mean = statistics.median(samples), statistics.fmean(samples)
    deviation = statistics.stdev(samples) if len(samples) > 1 else 0.0
    q1, _, q3 = statistics.quantiles(samples, method="inclusive") if len(samples) > 1 else (median,) * 3
    fence = _FENCE * (q3 - q1)
    far = sum(not q1 - fence <= sample <= q3 + fence for sample in samples)
    beyond = sum(abs(sample - mean) > deviation for sample in samples)
    return {
        "min": min(samples), "max": max(samples), "mean": mean, "stddev": deviation, "rounds": len(samples),
        "median": median, "iqr": q3 - q1, "q1": q1, "q3": q3, "iqr_outliers": far, "stddev_outliers": beyond,
        "outliers": f"{beyond};{far}", "ld15iqr": min(sample for sample in samples if sample >= q1 - fence),
        "hd15iqr": max(sample for sample in samples if sample <= q3 + fence), "ops": 1 / mean if mean else 0.0,
        "total": sum(samples), "data": list(samples), "iterations": iterations,
    }  # fmt: skip
