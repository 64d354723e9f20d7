"""The layers of releases as Markdown."""

from __future__ import annotations

from autoperf.reports.formats import Format, text
from autoperf.reports.layer_coverage import LayerView, to_markdown

FORMAT: Format[LayerView] = text(lambda view: [to_markdown(view)])
