"""Runs of several releases as CSV: the rows of each run, with the release in a first column `release`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autoperf.reports.columns import csv_columns
from autoperf.reports.csv_text import csv_line
from autoperf.reports.formats import text
from autoperf.reports.side_by_side import ReleaseRun


def lines(runs: Sequence[ReleaseRun]) -> Iterator[str]:
    """The heading, and each outcome's row."""
    rows = (outcome for run in runs for outcome in run.run.rows)
    chosen = csv_columns(runs[0].run.view, runs[0].run.columns, rows)
    # The label is the release, numbered where there are two of one version.
    kept = [column for column in chosen if column.name != "release"]
    yield csv_line(["release", *(column.csv or column.name for column in kept)])
    for run in runs:
        by_name = {column.name: column for column in run.run.columns}
        columns = [by_name[column.name] for column in kept]
        for outcome in run.run.rows:
            yield csv_line([run.label, *(column.value(outcome) for column in columns)])


FORMAT = text(lines, columns=True, sort=True)
