"""Runs of several releases as Markdown, side by side."""

from __future__ import annotations

from autoperf.reports.formats import text
from autoperf.reports.side_by_side import markdown_lines

FORMAT = text(markdown_lines)
