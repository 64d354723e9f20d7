"""A comparison as documents: Markdown for a pull request, and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from autoperf.analysis.comparison import CHANGED, ComparedFigure, Comparison, Unmatched, Verdict
from autoperf.reports.columns import Column, filled, markdown_columns
from autoperf.reports.comparison import (
    ComparisonReport,
    counted_operators,
    not_lost,
    ranked,
    sentence,
    without_partner,
)
from autoperf.reports.layout import grouped, listed
from autoperf.reports.markdown import cells, escape, heading
from autoperf.reports.provenance import provenance_lines
from autoperf.reports.table import json_lines

_FIRST = ("cases", "unmatched", "summary")


def markdown_lines(report: ComparisonReport) -> Iterator[str]:
    """The counts, missing entries, changes, and the rest folded away; a brief report omits the rest."""
    comparison = report.comparison
    columns = filled(markdown_columns(report.view, report.columns), report.rows)
    yield from _head(comparison)
    rows = report.ranking if report.view.sort else ranked(report.ranking)
    by_verdict = grouped(rows, lambda figure: figure.verdict)
    changed = [figure for figure in rows if figure.verdict in CHANGED]
    if changed:
        yield from _rows(changed, columns)
        yield "\n"
    for line in filter(None, report.left_out):
        yield f"- {escape(line)}\n"
    for notice in comparison.notices:
        yield f"- {escape(notice)}\n"
    yield f"- base: {escape(comparison.base)}\n- new: {escape(comparison.new)}\n"
    for side, provenance in report.provenances:
        for line in provenance_lines(provenance):
            yield f"- {side}: {escape(line)}\n"
    if report.brief:
        return
    for verdict in (Verdict.UNDECIDED, Verdict.SAME):
        members = by_verdict.get(verdict, [])
        if members:
            yield from _folded(f"{len(members)} {verdict.value}", _rows(members, columns))
    others = not_lost(comparison)
    if others:
        yield from _folded(f"{len(others)} without a partner", _partners(others))


def _head(comparison: Comparison) -> Iterator[str]:
    """The counts, and the entries missing in new."""
    total, lost = comparison.summary, comparison.lost
    slower = f"**{total.slower} slower**" if total.slower else "nothing slower"
    missing = f", **{len(lost)} missing**" if lost else ""
    yield f"### Operator benchmarks: {slower}{missing}, {total.faster} faster\n\n"
    yield f"{sentence(comparison)}; a change counts from {100 * comparison.threshold:.3g}%\n\n"
    if lost:
        yield "Missing in new:\n\n"
        for reason, members in without_partner(lost):
            yield f"- {escape(reason)}: {escape(' '.join(listed(counted_operators(members))))}\n"
        yield "\n"


def _rows(figures: Sequence[ComparedFigure], columns: Sequence[Column[ComparedFigure]]) -> Iterator[str]:
    yield heading([(column.title, column.right) for column in columns])
    for figure in figures:
        yield cells(column.spell(figure) for column in columns)


def _folded(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"\n<details><summary>{title}</summary>\n\n"
    yield from lines
    yield "\n</details>\n"


def _partners(unmatched: Sequence[Unmatched]) -> Iterator[str]:
    for reason, members in without_partner(unmatched):
        names = " ".join(listed(member.case for member in members))
        yield f"- {escape(reason)}: {escape(names)}\n"


def json_document(report: ComparisonReport) -> Iterator[str]:
    """A JSON object: `cases`, `unmatched` and `summary` first, then their sources and settings."""
    parts = msgspec.structs.asdict(report.shown)
    return json_lines({name: parts.pop(name) for name in _FIRST} | parts)
