"""A comparison as a comment on a pull request: the answer first, details folded, below GitHub's size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from autoperf.comparison.code_changes import function_text
from autoperf.comparison.comparison import CHANGED
from autoperf.comparison.documents import answer, comparison_reports
from autoperf.comparison.report import ComparisonReport
from autoperf.reports.layout import code, escape

MARK = "<!-- autoperf gate -->"
"""The first line, by which a job finds its former comment."""
MAX_CHARACTERS = 60_000
"""GitHub accepts 65,536."""
MAX_FUNCTIONS = 10


def comment_text(report: ComparisonReport) -> str:
    """The Markdown of the comment."""
    comparison = report.comparison
    *sentences, gate = answer(comparison)
    head = f"{MARK}\n**autoperf {escape(gate)}**\n\n" + "".join(f"- {escape(text)}\n" for text in sentences)
    (listed,) = comparison_reports(report)
    sections = [
        ("what changed", list(chain.from_iterable(replace(table, folded=()).markdown() for table in listed.tables))),
        ("functions that changed", list(_functions(report))),
        ("how it was measured", [*_notes(comparison.notices), *_notes(listed.notes), *_notes(listed.asides)]),
        ("commands", [f"- {escape(label)}: {code(command)}\n" for label, command in listed.commands]),
    ]
    return _bounded(head, [(title, lines) for title, lines in sections if lines])


def _functions(report: ComparisonReport) -> Iterator[str]:
    for figure in report.rows:
        if figure.code and figure.verdict in CHANGED:
            yield f"- {escape(f'{figure.case} {figure.pass_}')}\n"
            yield from (f"  - {code(function_text(each))}\n" for each in figure.code.functions[:MAX_FUNCTIONS])


def _notes(texts: Iterable[str]) -> list[str]:
    return [f"- {escape(text)}\n" for text in texts if text]


def _bounded(head: str, sections: list[tuple[str, list[str]]]) -> str:
    """The head and the folded sections, of which lines that don't fit are counted."""
    text = head
    for title, lines in sections:
        text += f"\n<details><summary>{title}</summary>\n\n"
        kept = 0
        for line in lines:
            if len(text) + len(line) > MAX_CHARACTERS:
                break
            text += line
            kept += 1
        left = len(lines) - kept
        text += f"\n{left} more lines don't fit here\n" if left else ""
        text += "\n</details>\n"
    return text
