"""The coverage of a release as one JSON document."""

from __future__ import annotations

from autoperf.reports.coverage import CoverageView, to_json
from autoperf.reports.formats import Format, text

FORMAT: Format[CoverageView] = text(lambda view: [to_json(view.shown[0].report)])
