"""A history as one JSON document: `{"runs": [...]}`, `{"series": [...]}` or `{"changes": [...]}`."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from autoperf.reports.formats import text
from autoperf.reports.history import HistoryReport, SeriesRow


def lines(report: HistoryReport) -> Iterator[str]:
    """The document, a row a line, under the names of the CSV; a series has its `values` too."""
    body = ",\n".join(msgspec.json.encode(_fields(report, row)).decode() for row in report.rows)
    yield f'{{"{report.name}": [\n{body}\n]}}\n'


def _fields(report: HistoryReport, row: object) -> dict[str, object]:
    fields: dict[str, object] = {column.csv: column.value(row) for column in report.columns}
    return {**fields, "values": row.values} if isinstance(row, SeriesRow) else fields


FORMAT = text(lines)
