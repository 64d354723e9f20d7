"""Tables as GitHub renders them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from autoperf.reports.units import one_line

_SPECIAL = re.compile(r"[\\|`*<~]|(?<![^\W_])_|_(?![^\W_])")


def escape(text: str) -> str:
    """The text as a cell shows it: what Markdown would take for its own escaped, all on one line.

    Underlines within a word mean nothing to GitHub and stay readable.
    """
    return _SPECIAL.sub(r"\\\g<0>", one_line(text))


def heading(columns: Sequence[tuple[str, bool]]) -> str:
    """The two lines that open a table, from (title, whether it is right-aligned)."""
    rule = "|".join("---:" if right else "---" for _, right in columns)
    return cells(title for title, _ in columns) + f"|{rule}|\n"


def cells(values: Iterable[str]) -> str:
    """One row."""
    return f"| {' | '.join(map(escape, values))} |\n"
