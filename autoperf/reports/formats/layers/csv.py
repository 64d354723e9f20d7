"""The layers of releases as CSV."""

from __future__ import annotations

from autoperf.reports.formats import Format, text
from autoperf.reports.layer_coverage import LayerView, to_csv

FORMAT: Format[LayerView] = text(lambda view: [to_csv(view)])
