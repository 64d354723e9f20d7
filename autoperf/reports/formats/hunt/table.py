"""A hunt on a terminal."""

from __future__ import annotations

from autoperf.reports.formats import Format, screen
from autoperf.reports.hunt import HuntReport, table

FORMAT: Format[HuntReport] = screen(lambda report: table(report.findings, report.searched))
