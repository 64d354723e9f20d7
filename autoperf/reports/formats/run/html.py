"""A run as one HTML page."""

from __future__ import annotations

from autoperf.reports.formats import Format, text
from autoperf.reports.html.page import render
from autoperf.reports.html.run_page import run_page
from autoperf.reports.runs import RunReport

FORMAT: Format[RunReport] = text(lambda report: [render(run_page(report))], columns=True, sort=True, samples=True)
