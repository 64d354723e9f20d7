"""The releases on this machine as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence

from autoperf.core.releases import InstalledRelease
from autoperf.reports.formats import Format, text
from autoperf.reports.releases import to_json

FORMAT: Format[Sequence[InstalledRelease]] = text(lambda report: [to_json(report)])
