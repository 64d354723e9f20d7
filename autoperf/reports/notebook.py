"""Reports as a fragment of HTML, as a notebook shows results: the answer, and the tables with their notes folded."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any

from autoperf.reports.columns import Column
from autoperf.reports.table import Report, Table
from autoperf.reports.units import one_line

MAX_ROWS = 200
"""The rows of a part of a table; of more, the last line gives the number."""
_TONES = {"slower": "bad", "faster": "good", "undecided": "doubtful"}


def html_text(reports: Iterable[Report]) -> str:
    """The reports; every text is escaped. Colours fit the notebook's theme, and the layout the width of the cell."""
    parts = (part for report in reports for part in _parts(report))
    return f'<div class="autoperf"><style>{_style()}</style>{"".join(parts)}</div>'


@cache
def _style() -> str:
    return resources.files("autoperf.reports.html").joinpath("static/notebook.css").read_text(encoding="utf-8").strip()


def _parts(report: Report) -> Iterator[str]:
    """The parts in the order of a terminal; notes are folded, those that question the result are not."""
    yield from (_element("p", text, "answer") for text in filter(None, (report.title, *report.answer)))
    for table in report.tables:
        yield from _table(table)
    yield from (_element("p", text, "doubtful") for text in report.notices)
    legends = (text for table in report.tables for text in table.legends(table.shown))
    if notes := [_element("li", text) for text in (*legends, *report.notes) if text]:
        yield f"<details><summary>Notes</summary><ul>{''.join(notes)}</ul></details>"
    if lines := [f"<li>{_escaped(label)}: {_element('code', command)}</li>" for label, command in report.commands]:
        yield f"<details><summary>Commands</summary><ul>{''.join(lines)}</ul></details>"
    yield from (_element("p", text) for text in report.sums)


def _table(table: Table[Any]) -> Iterator[str]:
    columns = table.shown
    heading = "".join(_element("th", column.title, _side(column)) for column in columns)
    for name, title, rows in table.titled_parts():
        body = "".join(f"<tr>{''.join(_cells(columns, row))}</tr>" for row in rows[:MAX_ROWS])
        grid = f'<div class="grid"><table><thead><tr>{heading}</tr></thead><tbody>{body}</tbody></table></div>'
        more = _element("p", f"{len(rows) - MAX_ROWS:,} more rows") if len(rows) > MAX_ROWS else ""
        if name in table.folded:
            yield f"<details><summary>{_escaped(title)}</summary>{grid}{more}</details>"
        else:
            yield f"{_element('h4', title) if title else ''}{grid}{more}"


def _cells(columns: Sequence[Column[Any]], row: Any) -> Iterator[str]:
    for column in columns:
        text = column.spell(row)
        names = f"{_side(column)} {_TONES.get(text, '')}".strip()
        yield f'<td class="{names}" data-title="{_escaped(column.title)}">{_escaped(text)}</td>'


def _side(column: Column[Any]) -> str:
    return "right" if column.right else "left"


def _element(tag: str, text: str, name: str = "") -> str:
    return f"<{tag}{f' class={name}' if name else ''}>{_escaped(text)}</{tag}>"


def _escaped(text: str) -> str:
    return html.escape(one_line(text))
