"""A history as one HTML page."""

from __future__ import annotations

from autoperf.reports.formats import Format, text
from autoperf.reports.history import HistoryReport
from autoperf.reports.html.history_page import history_page
from autoperf.reports.html.page import render

FORMAT: Format[HistoryReport] = text(lambda report: [render(history_page(report))])
