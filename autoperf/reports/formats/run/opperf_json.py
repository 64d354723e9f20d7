"""A run as opperf's JSON file: operators, each with a list of inputs and figures."""

from __future__ import annotations

import json
from collections.abc import Iterator

from autoperf.reports.formats import text
from autoperf.reports.opperf import opperf_report
from autoperf.reports.runs import RunReport


def lines(report: RunReport) -> Iterator[str]:
    """The document in one piece, indented as opperf does."""
    yield json.dumps(opperf_report(report), indent=4) + "\n"


FORMAT = text(lines, sort=True)
