"""A run as opperf's Markdown file: the features of the build, then a row for each case."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.reports.formats import text
from autoperf.reports.markdown import cells, heading
from autoperf.reports.opperf import features_of, table_rows
from autoperf.reports.runs import RunReport


def lines(report: RunReport) -> Iterator[str]:
    """The lines; opperf numbers the features from 0."""
    features = features_of(report)
    if features:
        yield "# Runtime Features\n\n"
    for number, (name, enabled) in enumerate(features.items()):
        yield f"{number}. {name} : {'✔' if enabled else '✖'} {name}\n"
    yield ("\n" if features else "") + "# Benchmark Results\n\n"
    titles, *rows = table_rows(report)
    yield heading([(title, False) for title in titles])
    for row in rows:
        yield cells(row)


FORMAT = text(lines, sort=True)
