"""A run as Markdown: GitHub tables, one for each category, with the sum below."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.reports.anomalies import TITLE, sentences
from autoperf.reports.columns import filled, markdown_columns
from autoperf.reports.composites import composite_markdown
from autoperf.reports.formats import text
from autoperf.reports.layers import layer_markdown
from autoperf.reports.markdown import bullets, cells, escape, heading
from autoperf.reports.networks import network_markdown
from autoperf.reports.provenance import provenance_lines
from autoperf.reports.run_table import WARNINGS
from autoperf.reports.runs import RunReport
from autoperf.reports.summary import summarise
from autoperf.reports.warnings import legend, load


def lines(report: RunReport) -> Iterator[str]:
    """The lines; a category that comes back gets another table, so that nothing has to be kept."""
    columns = filled(markdown_columns(report.view, report.columns), report.rows)
    title = heading([(column.title, column.right) for column in columns])
    category = None
    if report.ranks_networks:
        yield from network_markdown(report.networks, report.view.limit)
    if report.pairs_layers:
        yield from layer_markdown(report.layers)
    if report.compares_composites:
        yield from composite_markdown(report.composites, report.view.limit)
    if report.view.sort:
        yield title
    for outcome in report.tabled:
        if not report.view.sort and outcome.category != category:
            gap = "" if category is None else "\n"
            category = outcome.category
            yield f"{gap}### {escape(category)}\n\n{title}"
        yield cells(column.spell(outcome) for column in columns)
    explained = list(legend(report.rows)) if any(column.name == WARNINGS for column in columns) else []
    notes = [*explained, *filter(None, [load(report.rows)])]
    yield "".join(f"\n- {escape(note)}" for note in notes) + ("\n" if notes else "")
    yield f"\n{summarise(report.selected, report.asked).sentence()}\n"
    yield from bullets(TITLE, sentences(report.selected))
    yield from bullets("", filter(None, report.left_out))
    yield from bullets("", provenance_lines(report.provenance) if report.provenance else ())


FORMAT = text(lines, columns=True, sort=True)
