"""A run on a terminal."""

from __future__ import annotations

from autoperf.reports.formats import Format
from autoperf.reports.run_table import table_lines
from autoperf.reports.runs import RunReport

FORMAT: Format[RunReport] = Format(table_lines, columns=True, sort=True)
