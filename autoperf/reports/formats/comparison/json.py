"""A comparison as one JSON document."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from autoperf.reports.comparison import ComparisonReport
from autoperf.reports.formats import text

_FIRST = ("cases", "unmatched", "summary")


def lines(report: ComparisonReport) -> Iterator[str]:
    """A figure a line: `cases`, `unmatched` and `summary` first, then what they were made from."""
    parts = msgspec.structs.asdict(report.shown)
    order = (*_FIRST, *(name for name in parts if name not in _FIRST))
    yield "{" + ",\n".join(f'"{name}": {_json(parts[name])}' for name in order) + "}\n"


def _json(value: object) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], msgspec.Struct):
        return "[\n" + ",\n".join(msgspec.json.encode(record).decode() for record in value) + "\n]"
    return msgspec.json.encode(value).decode()


FORMAT = text(lines, sort=True)
