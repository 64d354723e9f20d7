"""A comparison as one HTML page."""

from __future__ import annotations

from autoperf.reports.comparison import ComparisonReport
from autoperf.reports.formats import Format, text
from autoperf.reports.html.comparison_page import comparison_page
from autoperf.reports.html.page import render

FORMAT: Format[ComparisonReport] = text(lambda report: [render(comparison_page(report))], columns=True, sort=True)
