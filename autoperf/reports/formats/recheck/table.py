"""A finding that was measured again on a terminal."""

from __future__ import annotations

from autoperf.reports.formats import screen
from autoperf.reports.recheck import table

FORMAT = screen(table)
