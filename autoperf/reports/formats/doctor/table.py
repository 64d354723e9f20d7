"""The checks of a machine on a terminal; the roofline is one of them."""

from __future__ import annotations

from autoperf.reports.doctor import DoctorReport, table
from autoperf.reports.formats import Format, screen

FORMAT: Format[DoctorReport] = screen(lambda report: table(report.checks))
