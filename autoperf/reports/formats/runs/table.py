"""Runs of several releases on a terminal, side by side."""

from __future__ import annotations

from autoperf.reports.formats import screen
from autoperf.reports.side_by_side import table

FORMAT = screen(table)
