"""A hunt as one JSON document, as its folder has it."""

from __future__ import annotations

from autoperf.reports.formats import Format, text
from autoperf.reports.hunt import HuntReport

FORMAT: Format[HuntReport] = text(lambda report: [report.document()])
