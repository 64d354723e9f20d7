"""The coverage of several releases on a terminal."""

from __future__ import annotations

from autoperf.reports.coverage import CoverageView
from autoperf.reports.coverage_matrix import table
from autoperf.reports.formats import Format, screen

FORMAT: Format[CoverageView] = screen(lambda view: table(view.shown, view.detailed))
