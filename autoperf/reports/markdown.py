"""Tables as GitHub renders them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from autoperf.reports.units import one_line

# What GitHub's Markdown reads: emphasis, code, tables, HTML, entities, formulas; links, also bare addresses.
_SPECIAL = re.compile(r"[\\|`*<~$&]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[])|:(?=//)|(?<=\bwww)\.", re.IGNORECASE)
_MENTION = re.compile(r"@(?=\w)")


def escape(text: str) -> str:
    """The text as a cell shows it: what Markdown would take for its own escaped, all on one line.

    Underlines within a word mean nothing to GitHub and stay readable.
    """
    # Nothing is seen of an empty comment, but what follows it is no name and no address.
    return _MENTION.sub("@<!-- -->", _SPECIAL.sub(r"\\\g<0>", one_line(text)))


def code(text: str) -> str:
    """The text as code; one with a backtick of its own is escaped text."""
    line = one_line(text)
    return escape(line) if "`" in line else f"`{line}`"


def heading(columns: Sequence[tuple[str, bool]]) -> str:
    """The two lines that open a table, from (title, whether it is right-aligned)."""
    rule = "|".join("---:" if right else "---" for _, right in columns)
    return cells(title for title, _ in columns) + f"|{rule}|\n"


def cells(values: Iterable[str]) -> str:
    """One row."""
    return f"| {' | '.join(map(escape, values))} |\n"
