"""Tables as GitHub renders them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from autoperf.reports.units import one_line

# GitHub's Markdown syntax: emphasis, code, tables, HTML, entities, formulas; links, also bare addresses.
_SPECIAL = re.compile(r"[\\|`*<~$&]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[])|:(?=//)|(?<=\bwww)\.", re.IGNORECASE)
_MENTION = re.compile(r"@(?=\w)")


def escape(text: str) -> str:
    """The text for a table cell: on one line, Markdown syntax escaped.

    Underscores within a word need no escape on GitHub.
    """
    # An empty comment is invisible and prevents a mention or an e-mail link.
    return _MENTION.sub("@<!-- -->", _SPECIAL.sub(r"\\\g<0>", one_line(text)))


def code(text: str) -> str:
    """The text as code; one with a backtick of its own is escaped text."""
    line = one_line(text)
    return escape(line) if "`" in line else f"`{line}`"


def bullets(title: str, lines: Iterable[str]) -> Iterator[str]:
    """A list below its title, if it has one; nothing if the list is empty."""
    items = [f"- {escape(line)}\n" for line in lines]
    if items:
        yield f"\n{escape(title)}:\n\n" if title else "\n"
    yield from items


def heading(columns: Sequence[tuple[str, bool]]) -> str:
    """The two lines that open a table, from (title, whether it is right-aligned)."""
    rule = "|".join("---:" if right else "---" for _, right in columns)
    return cells(title for title, _ in columns) + f"|{rule}|\n"


def cells(values: Iterable[str]) -> str:
    """One row."""
    return f"| {' | '.join(map(escape, values))} |\n"
