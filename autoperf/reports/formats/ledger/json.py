"""A check against a ledger as one JSON document."""

from __future__ import annotations

from autoperf.reports.formats import Format, text
from autoperf.reports.ledger import LedgerReport, to_json

FORMAT: Format[LedgerReport] = text(lambda report: [to_json(report.check, report.path, report.refresh)])
