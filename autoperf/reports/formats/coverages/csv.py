"""The coverage of several releases as CSV."""

from __future__ import annotations

from autoperf.reports.coverage import CoverageView
from autoperf.reports.coverage_matrix import to_csv
from autoperf.reports.formats import Format, text

FORMAT: Format[CoverageView] = text(lambda view: [to_csv(view.shown)])
