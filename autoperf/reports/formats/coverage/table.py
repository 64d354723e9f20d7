"""The coverage of a release on a terminal."""

from __future__ import annotations

from autoperf.reports.coverage import CoverageView, listing, table
from autoperf.reports.formats import Format, screen

FORMAT: Format[CoverageView] = screen(lambda view: (listing if view.detailed else table)(view.shown[0].report))
