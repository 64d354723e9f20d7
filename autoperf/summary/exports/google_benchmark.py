"""A run as google-benchmark's JSON, with times at the reference speed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from autoperf.core.clocks import COUNTERS, KERNEL, WALL
from autoperf.core.machine import Reference
from autoperf.core.outcome import Outcome, Pass, PassName, Status
from autoperf.reports.units import describe_case, one_line
from autoperf.runs.environment import Machine
from autoperf.runs.runfile import RunHeader
from autoperf.stats.statistics import process_medians
from autoperf.summary.runs import RunReport


def lines(report: RunReport) -> Iterator[str]:
    """google-benchmark's JSON, which its compare.py reads, a benchmark a line: a repetition for each process.

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
