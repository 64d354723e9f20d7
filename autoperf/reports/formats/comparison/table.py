"""A comparison on a terminal."""

from __future__ import annotations

from autoperf.reports.comparison import ComparisonReport, table_lines
from autoperf.reports.formats import Format

FORMAT: Format[ComparisonReport] = Format(table_lines, columns=True, sort=True)
