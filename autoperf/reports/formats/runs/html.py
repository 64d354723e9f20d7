"""Runs of several releases as one HTML page."""

from __future__ import annotations

from collections.abc import Sequence

from autoperf.reports.formats import Format, text
from autoperf.reports.html.page import render
from autoperf.reports.html.releases_page import releases_page
from autoperf.reports.side_by_side import ReleaseRun

FORMAT: Format[Sequence[ReleaseRun]] = text(lambda runs: [render(releases_page(runs))])
