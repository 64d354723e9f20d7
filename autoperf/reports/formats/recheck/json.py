"""A finding that was measured again as one JSON document."""

from __future__ import annotations

from autoperf.core.finding import Rechecked
from autoperf.reports.formats import Format, text
from autoperf.reports.recheck import to_json

FORMAT: Format[Rechecked] = text(lambda report: [to_json(report)])
