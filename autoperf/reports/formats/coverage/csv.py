"""The coverage of a release as CSV."""

from __future__ import annotations

from autoperf.reports.coverage import CoverageView, to_csv
from autoperf.reports.formats import Format, text

FORMAT: Format[CoverageView] = text(lambda view: [to_csv(view.shown[0].report)])
