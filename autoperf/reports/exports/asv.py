"""A run as a result file of airspeed velocity (asv), version 2: wall times in seconds, else kernel times.

asv looks for it at `results/MACHINE/COMMIT-ENVIRONMENT.json` beside its `machine.json` and `benchmarks.json`.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

from autoperf.core.machine import Reference
from autoperf.core.outcome import Series
from autoperf.reports.exports import exported_figures
from autoperf.reports.runs import RunReport
from autoperf.results.environment import Machine
from autoperf.results.runfile import RunHeader
from autoperf.results.statistics import reference_samples

COLUMNS = (
    "result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b", "stats_q_25",
    "stats_q_75", "stats_number", "stats_repeat", "samples",
)  # fmt: skip
"""The columns that asv writes; autoperf's intervals are of 95%, so both of 99% are left empty."""
NO_COMMIT = "0" * 40


def lines(report: RunReport) -> Iterator[str]:
    """The document, a benchmark a line."""
    head = _head(*report.origin) if report.origin else {"commit_hash": NO_COMMIT}
    yield f'{json.dumps(head)[:-1]}, "version": 2,\n"results": {{'
    separator = "\n"
    for figure in exported_figures(report):
        for _, series in list(figure.clocks())[:1]:
            row = _row(series, figure.outcome.case, figure.outcome.seconds, report.reference(figure.outcome))
            yield f"{separator}{json.dumps(figure.name)}: {json.dumps(row)}"
            separator = ",\n"
    yield "\n}}\n"


def _head(header: RunHeader, machine: Machine) -> dict[str, Any]:
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
        "result_columns": list(COLUMNS),
        "durations": {},
    }


def _row(series: Series, case: str, seconds: float, reference: Reference | None) -> list[Any]:
    """The values of the columns; each is a list with an entry for each set of parameters, of which there is one."""
    samples = sorted(reference_samples(series, reference))
    low, high = (_seconds(samples[int(share * (len(samples) - 1))]) if samples else None for share in (0.25, 0.75))
    return [
        [_seconds(series.median)], [], case, None, seconds, [None], [None], [low], [high], [series.loops],
        [series.count], [[_seconds(sample) for sample in samples]],
    ]  # fmt: skip


def _seconds(microseconds: float) -> float:
    return microseconds / 1e6
