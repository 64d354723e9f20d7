"""The layers of releases as one JSON document."""

from __future__ import annotations

from autoperf.reports.formats import Format, text
from autoperf.reports.layer_coverage import LayerView, to_json

FORMAT: Format[LayerView] = text(lambda view: [to_json(view)])
