"""A run as a Chrome trace, for chrome://tracing and Perfetto: the kernels of each pass, one after the other.

A process is an operator and a thread a case. The times are shares of the median time of a call in microseconds,
without gaps: the trace shows what a call consists of, not when each kernel ran.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from autoperf.core.outcome import PASSES, Outcome, Pass
from autoperf.reports.exports import entry_lines
from autoperf.reports.layout import grouped
from autoperf.reports.runs import RunReport
from autoperf.reports.units import describe_case, one_line


def lines(report: RunReport) -> Iterator[str]:
    """`{"traceEvents": [...]}`, an event a line."""
    return entry_lines('{"displayTimeUnit": "ns", "traceEvents": [', map(json.dumps, _events(report)), "]}")


def _events(report: RunReport) -> Iterator[dict[str, Any]]:
    measured = (outcome for outcome in report.rows if outcome.forward or outcome.backward)
    for process, (operator, outcomes) in enumerate(grouped(measured, lambda outcome: outcome.operator).items(), 1):
        yield _named("process_name", operator, process)
        for thread, outcome in enumerate(outcomes, 1):
            yield _named("thread_name", f"{outcome.profile}: {describe_case(outcome)}", process, thread)
            for event in _passes(outcome):
                yield {"ph": "X", "pid": process, "tid": thread, **event}


def _named(kind: str, name: str, process: int, thread: int = 0) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": one_line(name)}}


def _passes(outcome: Outcome) -> Iterator[dict[str, Any]]:
    """An event for each pass, and within it one for each kernel."""
    begin = 0.0
    for name in PASSES:
        run = outcome.passes.get(name)
        kernels = list(_kernels(run)) if run else []
        total = sum(time for _, _, time in kernels)
        if kernels:
            yield {"name": name, "cat": "pass", "ts": begin, "dur": total, "args": {"case": one_line(outcome.case)}}
        for kernel, kind, time in kernels:
            yield {"name": kernel, "cat": kind, "ts": begin, "dur": time, "args": {}}
            begin += time


def _kernels(run: Pass) -> Iterator[tuple[str, str, float]]:
    for kind, times in (("kernel", run.kernels), ("helper", run.helpers)):
        for name, time in times.items():
            yield one_line(name), kind, time
