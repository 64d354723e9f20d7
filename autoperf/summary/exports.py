"""A run in the formats of other programs: opperf's dictionary and tables, and google-benchmark's JSON.

opperf has a list of inputs and their figures for each operator. Times are means in milliseconds, memory is in kilobytes
(1,000 bytes), by opperf's keys. opperf's memory is that of MXNet's pool with the inputs; here it is the larger peak of
both passes' own allocations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from autoperf.core.case import with_lists
from autoperf.core.clocks import COUNTERS, KERNEL, WALL
from autoperf.core.machine import Reference
from autoperf.core.outcome import Outcome, Pass, PassName, Status
from autoperf.reports.columns import csv_line
from autoperf.reports.layout import cells, heading
from autoperf.reports.totals import peak
from autoperf.reports.units import describe_case, one_line
from autoperf.runs.runfile import Machine, RunHeader
from autoperf.stats.statistics import process_medians
from autoperf.summary.runs import RunReport

Entry: TypeAlias = dict[str, Any]
OpperfReport: TypeAlias = dict[str, list[Entry]]

STATISTICS = {"avg_time": "mean", "p50_time": "p50", "p90_time": "p90", "p99_time": "p99"}
_NATIVE_COLUMNS = {
    "Operator": "",
    "Inputs": "",
    "Max Mem Usage (Storage) (KB)": "max_storage_mem_alloc_",
    "Avg Forward Time (ms)": "avg_time_forward_",
    "Avg. Backward Time (ms)": "avg_time_backward_",
}
"""The titles of opperf's table, with the beginnings of the figures' keys."""
_PYTHON_COLUMNS = {
    "Operator": "",
    "Avg Time (ms)": "avg_time_",
    "P50 Time (ms)": "p50_time_",
    "P90 Time (ms)": "p90_time_",
    "P99 Time (ms)": "p99_time_",
    "Inputs": "",
}
_DIGITS = 6
_DEVICE = re.compile(r"(cpu|gpu)(?:\((\d+)\))?")


def opperf_entry(
    outcome: Outcome, name: str, inputs: Mapping[str, Any], *, profiler: str = "native", ctx: str = "cpu"
) -> Entry:
    """One case: its inputs, then the figures of `name`; a case without figures has its status and the reason."""
    if outcome.status is not Status.MEASURED:
        return {"inputs": dict(inputs), "status": outcome.status.value, "reason": outcome.reason}
    if profiler != "python":
        return {"inputs": dict(inputs), **_native_figures(outcome, name, ctx)}
    # The wall time of both passes together; a percentile is the sum of both passes' percentiles. A case that was
    # counted and not timed has none.
    walls = [timed.wall_us for timed in outcome.passes.values() if timed.wall_us]
    statistics = STATISTICS.items() if walls else ()
    figures = {
        f"{prefix}_{name}": _milliseconds(sum(getattr(series, statistic) for series in walls))
        for prefix, statistic in statistics
    }
    return {"inputs": dict(inputs), **figures}


def opperf_report(report: RunReport) -> OpperfReport:
    """The whole run by operator, sorted by name as opperf's files are."""
    profiler, ctx = _setting(report, "profiler", "native"), _setting(report, "ctx", "cpu")
    entries: OpperfReport = {}
    for outcome in report.rows:
        # A list of tensors is a list of shapes.
        shapes = with_lists((item.name, tuple(item.tensor.shape)) for item in outcome.inputs)
        inputs = {**shapes, **outcome.params}
        entry = opperf_entry(outcome, outcome.operator, inputs, profiler=profiler, ctx=ctx)
        entries.setdefault(outcome.operator, []).append(entry)
    return dict(sorted(entries.items()))


def opperf_json(report: RunReport) -> str:
    """The dictionary as opperf's JSON file has it, indented as opperf does."""
    return json.dumps(opperf_report(report), indent=4) + "\n"


def opperf_markdown(report: RunReport) -> Iterator[str]:
    """opperf's Markdown file: the features of the build, numbered from 0, then a row for each case."""
    known = report.machines[0].environment.mxnet.get("features") if report.machines else None
    features = sorted((known or {}).items())
    if features:
        yield "# Runtime Features\n\n"
    for number, (name, enabled) in enumerate(features):
        yield f"{number}. {name} : {'✔' if enabled else '✖'} {name}\n"
    yield ("\n" if features else "") + "# Benchmark Results\n\n"
    titles, *rows = _table_rows(report)
    yield heading([(title, False) for title in titles])
    yield from map(cells, rows)


def opperf_csv(report: RunReport) -> Iterator[str]:
    """The table of opperf's Markdown file as CSV."""
    return map(csv_line, _table_rows(report))


def _table_rows(report: RunReport) -> Iterator[tuple[str, ...]]:
    """The rows of opperf's table, the heading first; `---` where there is no figure."""
    columns = _PYTHON_COLUMNS if _setting(report, "profiler", "native") == "python" else _NATIVE_COLUMNS
    yield tuple(columns)
    for operator, entries in opperf_report(report).items():
        for entry in entries:
            row = {"Operator": operator, "Inputs": str(entry["inputs"])}
            for title, prefix in columns.items():
                figures = (str(value) for key, value in entry.items() if key.startswith(prefix))
                row.setdefault(title, next(figures, "---"))
            yield tuple(row[title] for title in columns)


def _native_figures(outcome: Outcome, name: str, ctx: str) -> Entry:
    """Memory and the mean kernel time of each pass; wall time where no kernel was seen."""
    figures: Entry = {}
    memory = peak(outcome)
    if memory is not None:
        # opperf's names of devices: `cpu/0`, `gpu/1`.
        device = _DEVICE.fullmatch(ctx)
        key = f"{device[1]}/{device[2] or 0}" if device else ctx
        figures[f"max_storage_mem_alloc_{key}"] = memory / 1000
    for pass_name, timed in outcome.passes.items():
        series = timed.kernel_us or timed.wall_us
        if series:
            figures[f"avg_time_{pass_name}_{name}"] = _milliseconds(series.mean)
    return figures


def _milliseconds(microseconds: float) -> float:
    return round(microseconds / 1000, _DIGITS)


def _setting(report: RunReport, name: str, default: str) -> str:
    return str(report.header.settings.get(name, default)) if report.header else default


def google_benchmark_lines(report: RunReport) -> Iterator[str]:
    """google-benchmark's JSON, which its compare.py reads: a repetition for each process, at the reference speed.

    `real_time` is wall time and `cpu_time` kernel time in microseconds. A pass without times is an error with its
    counts as user counters.
    """
    measured = (
        entry
        for outcome in report.rows
        for name, run in outcome.passes.items()
        for entry in _repetitions(outcome, name, run, report.reference(outcome))
    )
    failures = (
        _error(outcome.case, f"{outcome.status.value}: {outcome.reason}")
        for outcome in report.rows
        if outcome.status is not Status.MEASURED
    )
    entries = (json.dumps(entry) for entries in (measured, failures) for entry in entries)
    context = json.dumps(_context(*report.origin) if report.origin else {})
    yield f'{{"context": {context},\n"benchmarks": ['
    for number, entry in enumerate(entries):
        yield f",\n{entry}" if number else f"\n{entry}"
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


def _repetitions(outcome: Outcome, pass_: PassName, run: Pass, reference: Reference | None) -> Iterator[dict[str, Any]]:
    """An entry for each process of a measured pass."""
    clocks = run.series(WALL), run.series(KERNEL)
    series = clocks[0] or clocks[1]
    name = one_line(f"{outcome.case}/{pass_}")
    if series is None:
        counts = {counter.name: readings.median for counter in COUNTERS if (readings := run.series(counter))}
        yield {**_error(name, "it was not timed"), **counts}
        return
    wall, kernel = (process_medians(each, reference) if each else {} for each in clocks)
    reals, cpus = wall or kernel, kernel or wall
    # A process may lack samples by one of the clocks: the time of another process, or clock, isn't its figure.
    pairs = [(reals[process], cpus[process]) for process in reals if process in cpus]
    pairs = pairs or [(series.median, (clocks[1] or series).median)]
    for index, (real, cpu) in enumerate(pairs):
        yield {
            "name": name,
            "run_name": name,
            "run_type": "iteration",
            "repetitions": len(pairs),
            "repetition_index": index,
            "threads": 1,
            "iterations": series.count * series.loops // len(pairs),
            "real_time": real,
            "cpu_time": cpu,
            "time_unit": "us",
            "label": one_line(f"{outcome.operator} {outcome.profile}: {describe_case(outcome)}"),
        }


def _error(name: str, message: str) -> dict[str, Any]:
    return {
        "name": one_line(name),
        "run_name": one_line(name),
        "run_type": "iteration",
        "error_occurred": True,
        "error_message": one_line(message),
    }
