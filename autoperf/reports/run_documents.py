"""Runs as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autoperf.analysis.modes import composite_times
from autoperf.core.modes import LAYERS
from autoperf.reports import table
from autoperf.reports.layers import composite_record, layer_record
from autoperf.reports.networks import network_record
from autoperf.reports.runs import RunReport
from autoperf.reports.side_by_side import ReleaseRun
from autoperf.reports.summary import summarise
from autoperf.results.anomalies import anomalies


def json_lines(report: RunReport) -> Iterator[str]:
    """A JSON object: an outcome a line, as the run file has it.

    `{"run": header, "machines": [...], "outcomes": [...], "summary": {...}, "anomalies": [...],
    "provenance": {...}, "end": end}`; where there are networks, layers and composites, `"networks": [...]`,
    `"layers": [...]` and `"composites": [...]` too.
    """
    groups: dict[str, object] = {
        "networks": list(map(network_record, report.networks)),
        "layers": [layer_record(times) for times in report.modes if times.outcome.category == LAYERS],
        "composites": list(map(composite_record, composite_times(report.selected))),
    }
    return table.json_lines({
        "run": report.header,
        "machines": report.machines,
        "outcomes": iter(report.rows),
        "summary": summarise(report.selected, report.asked),
        **{name: records for name, records in groups.items() if records},
        "anomalies": anomalies(report.selected),
        "provenance": report.provenance,
        "end": report.end,
    })  # fmt: skip


def json_of_runs(runs: Sequence[ReleaseRun]) -> Iterator[str]:
    """`{"runs": [...]}`, each as the JSON of one run."""
    yield '{"runs": ['
    for number, run in enumerate(runs):
        yield ",\n" if number else "\n"
        yield from json_lines(run.run)
    yield "]}\n"
