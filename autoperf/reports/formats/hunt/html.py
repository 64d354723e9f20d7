"""A hunt as one HTML page."""

from __future__ import annotations

from autoperf.reports.formats import Format, text
from autoperf.reports.html.hunt_page import hunt_page
from autoperf.reports.html.page import render
from autoperf.reports.hunt import HuntReport

FORMAT: Format[HuntReport] = text(lambda report: [render(hunt_page(report))])
