"""Groups as one JSON document: `{"by": "operator", "groups": [...]}`."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from autoperf.reports.formats import text
from autoperf.reports.groups import GroupedReport


def lines(report: GroupedReport) -> Iterator[str]:
    """The document, a group a line, under the names of the CSV."""
    columns = [column for column in report.columns if column.csv]
    groups = [{column.csv: column.value(group) for column in columns} for group in report.rows]
    body = ",\n".join(msgspec.json.encode(group).decode() for group in groups)
    yield f'{{"by": {msgspec.json.encode(report.by).decode()}, "groups": [\n{body}\n]}}\n'


FORMAT = text(lines, sort=True)
