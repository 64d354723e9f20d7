"""The coverage of a release as Markdown."""

from __future__ import annotations

from autoperf.reports.coverage import CoverageView, to_markdown
from autoperf.reports.formats import Format, text

FORMAT: Format[CoverageView] = text(lambda view: [to_markdown(view.shown[0].report)])
