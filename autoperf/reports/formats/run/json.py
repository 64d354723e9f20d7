"""A run as one JSON document: an outcome a line.

`{"run": header, "outcomes": [...], "summary": {...}, "anomalies": [...], "provenance": {...}, "end": end}`; with
networks and composites also `"networks": [...]` and `"composites": [...]`.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from autoperf.reports.composites import composite_records
from autoperf.reports.formats import text
from autoperf.reports.layers import layer_record
from autoperf.reports.networks import network_record
from autoperf.reports.runs import RunReport
from autoperf.reports.summary import summarise
from autoperf.results.anomalies import anomalies


def lines(report: RunReport) -> Iterator[str]:
    """The pieces, each as soon as its outcome is there, as the run file has it."""
    separator = "\n"
    yield f'{{"run": {_json(report.header)},\n"outcomes": ['
    for outcome in report.rows:
        yield separator + _json(outcome)
        separator = ",\n"
    yield f'\n],\n"summary": {_json(summarise(report.selected, report.asked))},\n'
    if report.networks:
        yield f'"networks": {_json([network_record(network) for network in report.networks])},\n'
    if report.layers:
        yield f'"layers": {_json([layer_record(layer) for layer in report.layers])},\n'
    if report.composites:
        yield f'"composites": {_json(composite_records(report.composites))},\n'
    yield f'"anomalies": {_json(anomalies(report.selected))},\n'
    yield f'"provenance": {_json(report.provenance)},\n"end": {_json(report.end)}}}\n'


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


FORMAT = text(lines, sort=True, samples=True)
