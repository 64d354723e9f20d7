"""The layers of releases on a terminal."""

from __future__ import annotations

from autoperf.reports.formats import Format
from autoperf.reports.layer_coverage import LayerView, table_lines

FORMAT: Format[LayerView] = Format(table_lines)
