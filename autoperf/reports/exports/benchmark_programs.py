"""A run as result files of other benchmark programs: asv, google-benchmark and pytest-benchmark.

Their times are at the reference speed.
"""

from __future__ import annotations

import datetime as dt
import json
import statistics
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from autoperf.core.machine import Reference
from autoperf.core.outcome import Outcome, Series, Status
from autoperf.reports.exports import ExportedFigure, entry_lines, exported_figures
from autoperf.reports.runs import RunReport
from autoperf.reports.units import one_line
from autoperf.results.environment import Machine
from autoperf.results.runfile import RunHeader
from autoperf.results.statistics import process_medians, reference_samples

ASV_COLUMNS = (
    "result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b", "stats_q_25",
    "stats_q_75", "stats_number", "stats_repeat", "samples",
)  # fmt: skip
"""The columns that asv writes; autoperf's intervals are of 95%, so both of 99% are left empty."""
NO_COMMIT = "0" * 40
PYTEST_BENCHMARK = "5.0.0"
"""The version of pytest-benchmark whose format this is."""
_FENCE = 1.5


def asv_lines(report: RunReport) -> Iterator[str]:
    """A result file of airspeed velocity, version 2, a benchmark a line: wall times in seconds, else kernel times.

    asv looks for it at `results/MACHINE/COMMIT-ENVIRONMENT.json` beside its `machine.json` and `benchmarks.json`.
    """
    head = _asv_head(*report.origin) if report.origin else {"commit_hash": NO_COMMIT}
    rows = (
        (figure, _asv_row(series, figure.outcome, report.reference(figure.outcome)))
        for figure in exported_figures(report)
        for _, series in list(figure.clocks())[:1]
    )
    entries = (f"{json.dumps(figure.name)}: {json.dumps(row)}" for figure, row in rows)
    return entry_lines(f'{json.dumps(head)[:-1]}, "version": 2,\n"results": {{', entries, "}}")


def _asv_head(header: RunHeader, machine: Machine) -> dict[str, Any]:
    environment = machine.environment
    revision = (environment.git or NO_COMMIT).partition("-")[0]
    system, _, architecture = environment.system.rpartition(" ")
    params = {
        "machine": environment.machine,
        "os": system,
        "arch": architecture,
        "cpu": environment.processor.model,
        "num_cpu": str(environment.processor.usable),
        "ram": str(environment.memory_total // 1024),
    }
    return {
        "commit_hash": revision,
        "env_name": f"mxnet-{header.mxnet}",
        "date": int(1000 * dt.datetime.fromisoformat(header.started).timestamp()),
        "params": params,
        "python": environment.python.rpartition(" ")[2],
        "requirements": {"mxnet": header.mxnet},
        "env_vars": environment.settings,
        "result_columns": list(ASV_COLUMNS),
        "durations": {},
    }


def _asv_row(series: Series, outcome: Outcome, reference: Reference | None) -> list[Any]:
    """The values of the columns; each is a list with an entry for each set of parameters, of which there is one."""
    samples = sorted(reference_samples(series, reference))
    low, high = (_seconds(samples[int(share * (len(samples) - 1))]) if samples else None for share in (0.25, 0.75))
    return [
        [_seconds(series.median)], [], outcome.case, None, outcome.seconds, [None], [None], [low], [high],
        [series.loops], [series.count], [[_seconds(sample) for sample in samples]],
    ]  # fmt: skip


def _seconds(microseconds: float) -> float:
    return microseconds / 1e6


def google_benchmark_lines(report: RunReport) -> Iterator[str]:
    """google-benchmark's JSON, which its compare.py reads, a benchmark a line: a repetition for each process.

    `real_time` is wall time and `cpu_time` kernel time in microseconds.
    """
    measured = (
        entry for figure in exported_figures(report) for entry in _repetitions(figure, report.reference(figure.outcome))
    )
    failures = (_failure(outcome) for outcome in report.rows if outcome.status is not Status.MEASURED)
    entries = (json.dumps(entry) for entries in (measured, failures) for entry in entries)
    context = json.dumps(_context(*report.origin) if report.origin else {})
    return entry_lines(f'{{"context": {context},\n"benchmarks": [', entries, "]}")


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
    wall, kernel = (process_medians(each, reference) if each else [] for each in (figure.wall, figure.kernel))
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


def _failure(outcome: Outcome) -> dict[str, Any]:
    return {
        "name": one_line(outcome.case),
        "run_name": one_line(outcome.case),
        "run_type": "iteration",
        "error_occurred": True,
        "error_message": one_line(f"{outcome.status.value}: {outcome.reason}"),
    }


def pytest_benchmark_lines(report: RunReport) -> Iterator[str]:
    """pytest-benchmark's JSON, which `pytest-benchmark compare` reads, a benchmark a line.

    Times are seconds of wall time, else of kernel time.
    """
    head = _pytest_head(*report.origin) if report.origin else {"machine_info": {}, "commit_info": {}, "datetime": ""}
    benchmarks = (_benchmark(figure, report.reference(figure.outcome)) for figure in exported_figures(report))
    start = f'{json.dumps(head)[:-1]}, "version": "{PYTEST_BENCHMARK}",\n"benchmarks": ['
    return entry_lines(start, (json.dumps(benchmark) for benchmark in benchmarks if benchmark), "]}")


def _pytest_head(header: RunHeader, machine: Machine) -> dict[str, Any]:
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
