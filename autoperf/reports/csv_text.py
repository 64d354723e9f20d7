"""Lines of CSV that a spreadsheet reads as what they are."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from autoperf.reports.units import one_line

_FORMULA = ("=", "+", "-", "@")


def csv_line(values: Iterable[object]) -> str:
    """One line. Text is on one line, and none of it begins as a formula does; numbers stay as they are."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_cell(value) for value in values])
    return line.getvalue()


def _cell(value: object) -> object:
    """Text that a spreadsheet would compute has an apostrophe before it, which marks it as text."""
    if not isinstance(value, str):
        return value
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
