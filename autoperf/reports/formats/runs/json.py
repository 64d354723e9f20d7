"""Runs of several releases as one JSON document: `{"runs": [...]}`, each as the JSON of one run has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autoperf.reports.formats import text
from autoperf.reports.formats.run import json
from autoperf.reports.side_by_side import ReleaseRun


def lines(runs: Sequence[ReleaseRun]) -> Iterator[str]:
    """The pieces of the document."""
    yield '{"runs": ['
    for number, run in enumerate(runs):
        yield ",\n" if number else "\n"
        yield from json.lines(run.run)
    yield "]}\n"


FORMAT = text(lines, sort=True, samples=True)
