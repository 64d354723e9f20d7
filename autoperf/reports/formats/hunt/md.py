"""A hunt as Markdown."""

from __future__ import annotations

from autoperf.reports.formats import Format, text
from autoperf.reports.hunt import HuntReport, to_markdown

FORMAT: Format[HuntReport] = text(lambda report: [to_markdown(report.findings, report.searched)])
