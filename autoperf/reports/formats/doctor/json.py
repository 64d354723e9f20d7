"""The checks of a machine as one JSON document."""

from __future__ import annotations

from autoperf.reports.doctor import DoctorReport, to_json
from autoperf.reports.formats import Format, text

FORMAT: Format[DoctorReport] = text(lambda report: [to_json(report.checks, report.roofline)])
