"""A run as opperf reports it: a dictionary of operators, each with a list of inputs and their figures.

Times are means in milliseconds, memory is in kilobytes (1,000 bytes), by opperf's keys. opperf's memory is that of
MXNet's pool with the inputs; here it is the larger peak of both passes' own allocations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from autoperf.core.case import with_lists
from autoperf.core.outcome import Outcome, Series, Status
from autoperf.reports.columns import csv_line
from autoperf.reports.layout import cells, heading
from autoperf.reports.totals import peak
from autoperf.summary.runs import RunReport

Entry: TypeAlias = dict[str, Any]
OpperfReport: TypeAlias = dict[str, list[Entry]]

STATISTICS = {"avg_time": "mean", "p50_time": "p50", "p90_time": "p90", "p99_time": "p99"}
_DIGITS = 6
_DEVICE = re.compile(r"(cpu|gpu)(?:\((\d+)\))?")


def opperf_entry(
    outcome: Outcome, name: str, inputs: Mapping[str, Any], *, profiler: str = "native", ctx: str = "cpu"
) -> Entry:
    """One case: its inputs, then the figures of `name`; a case without figures has its status and the reason."""
    if outcome.status is not Status.MEASURED:
        return {"inputs": dict(inputs), "status": outcome.status.value, "reason": outcome.reason}
    figures = _python_figures(outcome, name) if profiler == "python" else _native_figures(outcome, name, ctx)
    return {"inputs": dict(inputs), **figures}


def opperf_report(report: RunReport) -> OpperfReport:
    """The whole run by operator, sorted by name as opperf's files are."""
    profiler, ctx = _setting(report, "profiler", "native"), _setting(report, "ctx", "cpu")
    entries: OpperfReport = {}
    for outcome in report.rows:
        entry = opperf_entry(outcome, outcome.operator, plain_inputs(outcome), profiler=profiler, ctx=ctx)
        entries.setdefault(outcome.operator, []).append(entry)
    return dict(sorted(entries.items()))


def json_text(report: RunReport) -> str:
    """The dictionary as opperf's JSON file has it, indented as opperf does."""
    return json.dumps(opperf_report(report), indent=4) + "\n"


def markdown_lines(report: RunReport) -> Iterator[str]:
    """opperf's Markdown file: the features of the build, numbered from 0, then a row for each case."""
    features = _features(report)
    if features:
        yield "# Runtime Features\n\n"
    for number, (name, enabled) in enumerate(features.items()):
        yield f"{number}. {name} : {'✔' if enabled else '✖'} {name}\n"
    yield ("\n" if features else "") + "# Benchmark Results\n\n"
    titles, *rows = _table_rows(report)
    yield heading([(title, False) for title in titles])
    yield from map(cells, rows)


def csv_lines(report: RunReport) -> Iterator[str]:
    """The table of opperf's Markdown file as CSV."""
    return map(csv_line, _table_rows(report))


def _features(report: RunReport) -> dict[str, bool]:
    features = report.machines[0].environment.mxnet.get("features") if report.machines else None
    return dict(sorted((features or {}).items()))


def plain_inputs(outcome: Outcome) -> dict[str, Any]:
    """The shapes of the tensors and the parameters, by name; a list of tensors is a list of shapes."""
    return {**with_lists((item.name, tuple(item.tensor.shape)) for item in outcome.inputs), **outcome.params}


def _table_rows(report: RunReport) -> Iterator[tuple[str, ...]]:
    """The rows of opperf's table, the heading first; `---` where there is no figure."""
    columns = _python_columns() if _setting(report, "profiler", "native") == "python" else _native_columns()
    yield tuple(columns)
    for operator, entries in opperf_report(report).items():
        for entry in entries:
            yield tuple(spell(operator, entry) for spell in columns.values())


Cell: TypeAlias = Callable[[str, Entry], str]


def _native_columns() -> dict[str, Cell]:
    return {
        "Operator": lambda operator, _: operator,
        "Inputs": lambda _, entry: str(entry["inputs"]),
        "Max Mem Usage (Storage) (KB)": lambda _, entry: _by_prefix(entry, "max_storage_mem_alloc_"),
        "Avg Forward Time (ms)": lambda _, entry: _by_prefix(entry, "avg_time_forward_"),
        "Avg. Backward Time (ms)": lambda _, entry: _by_prefix(entry, "avg_time_backward_"),
    }


def _python_columns() -> dict[str, Cell]:
    titles = dict(zip(("Avg", "P50", "P90", "P99"), STATISTICS, strict=True))
    return {
        "Operator": lambda operator, _: operator,
        **{f"{title} Time (ms)": _figure_cell(f"{prefix}_") for title, prefix in titles.items()},
        "Inputs": lambda _, entry: str(entry["inputs"]),
    }


def _figure_cell(prefix: str) -> Cell:
    return lambda _, entry: _by_prefix(entry, prefix)


def _by_prefix(entry: Entry, prefix: str) -> str:
    return next((str(value) for key, value in entry.items() if key.startswith(prefix)), "---")


def _native_figures(outcome: Outcome, name: str, ctx: str) -> Entry:
    """Memory and the mean kernel time of each pass; wall time where no kernel was seen."""
    figures: Entry = {}
    memory = peak(outcome)
    if memory is not None:
        figures[f"max_storage_mem_alloc_{_device(ctx)}"] = memory / 1000
    for pass_name, timed in outcome.passes.items():
        series = timed.kernel_us or timed.wall_us
        if series:
            figures[f"avg_time_{pass_name}_{name}"] = _milliseconds(series.mean)
    return figures


def _python_figures(outcome: Outcome, name: str) -> Entry:
    """Statistics of the wall time of both passes together; a percentile is the sum of both passes' percentiles.

    Nothing of a case that was counted and not timed.
    """
    passes = [timed.wall_us for timed in outcome.passes.values() if timed.wall_us]
    if not passes:
        return {}
    return {f"{prefix}_{name}": _milliseconds(_sum(passes, statistic)) for prefix, statistic in STATISTICS.items()}


def _sum(passes: Iterable[Series], statistic: str) -> float:
    return float(sum(getattr(series, statistic) for series in passes))


def _milliseconds(microseconds: float) -> float:
    return round(microseconds / 1000, _DIGITS)


def _device(ctx: str) -> str:
    """The device in opperf's keys: `cpu/0`, `gpu/1`."""
    match = _DEVICE.fullmatch(ctx)
    return f"{match[1]}/{match[2] or 0}" if match else ctx


def _setting(report: RunReport, name: str, default: str) -> str:
    header = msgspec.to_builtins(report.header) if report.header is not None else {}
    settings = header.get("options", {}).get("settings")
    return str(settings.get(name, default)) if isinstance(settings, dict) else default
