"""The releases on this machine on a terminal."""

from __future__ import annotations

from autoperf.reports.formats import screen
from autoperf.reports.releases import table

FORMAT = screen(table)
