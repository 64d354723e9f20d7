"""Lines of CSV that are safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from autoperf.reports.units import one_line

_FORMULA = ("=", "+", "-", "@")


def csv_line(values: Iterable[object]) -> str:
    """One line. Text has no line breaks and cannot start a formula; numbers are unchanged."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_cell(value) for value in values])
    return line.getvalue()


def _cell(value: object) -> object:
    """An apostrophe before text that a spreadsheet would evaluate marks it as text."""
    if not isinstance(value, str):
        return value
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
