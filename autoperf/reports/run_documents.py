"""Runs as documents: Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autoperf.reports import table
from autoperf.reports.columns import filled, markdown_columns
from autoperf.reports.composites import composite_markdown, composite_records
from autoperf.reports.layers import layer_markdown, layer_record
from autoperf.reports.markdown import bullets, cells, escape, heading
from autoperf.reports.networks import network_markdown, network_record
from autoperf.reports.provenance import provenance_lines
from autoperf.reports.run_table import WARNINGS
from autoperf.reports.runs import RunReport
from autoperf.reports.side_by_side import ReleaseRun
from autoperf.reports.summary import summarise
from autoperf.reports.warnings import ANOMALIES, anomaly_sentences, legend, load
from autoperf.results.anomalies import anomalies


def markdown_lines(report: RunReport) -> Iterator[str]:
    """GitHub tables, one for each category, with the sum below.

    A category that comes back gets another table, so that memory doesn't grow with the run.
    """
    columns = filled(markdown_columns(report.view, report.columns), report.rows)
    title = heading([(column.title, column.right) for column in columns])
    category = None
    if report.ranks_networks:
        yield from network_markdown(report.networks, report.view.limit)
    if report.pairs_layers:
        yield from layer_markdown(report.layers)
    if report.compares_composites:
        yield from composite_markdown(report.composites, report.view.limit)
    if report.view.sort:
        yield title
    for outcome in report.tabled:
        if not report.view.sort and outcome.category != category:
            gap = "" if category is None else "\n"
            category = outcome.category
            yield f"{gap}### {escape(category)}\n\n{title}"
        yield cells(column.spell(outcome) for column in columns)
    explained = list(legend(report.rows)) if any(column.name == WARNINGS for column in columns) else []
    notes = [*explained, *filter(None, [load(report.rows)])]
    yield "".join(f"\n- {escape(note)}" for note in notes) + ("\n" if notes else "")
    yield f"\n{summarise(report.selected, report.asked).sentence()}\n"
    yield from bullets(ANOMALIES, anomaly_sentences(report.selected))
    yield from bullets("", filter(None, report.left_out))
    yield from bullets("", provenance_lines(report.provenance) if report.provenance else ())


def json_lines(report: RunReport) -> Iterator[str]:
    """A JSON object: an outcome a line, as the run file has it.

    `{"run": header, "machines": [...], "outcomes": [...], "summary": {...}, "anomalies": [...],
    "provenance": {...}, "end": end}`; where there are networks, layers and composites, `"networks": [...]`,
    `"layers": [...]` and `"composites": [...]` too.
    """
    groups: dict[str, object] = {
        "networks": [network_record(network) for network in report.networks],
        "layers": [layer_record(layer) for layer in report.layers],
        "composites": composite_records(report.composites),
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
