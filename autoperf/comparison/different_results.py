"""Cases whose results differ between the sides of a comparison, in sentences and as a table."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from autoperf.comparison.comparison import Comparison, Different
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import INDENT, hanging
from autoperf.reports.table import Table
from autoperf.reports.units import brief_inputs, count, one_line, split_words

MAX_NAMED = 3
"""The number of cases that the answer names."""


def different_answer(comparison: Comparison) -> Iterator[str]:
    """The cases that compute something else, and those whose differences the user allows."""
    differing = comparison.differing
    if differing:
        names = [*map(_named, differing[:MAX_NAMED])]
        names += [f"and {len(differing) - MAX_NAMED} more"] if len(differing) > MAX_NAMED else []
        computes = "computes" if len(differing) == 1 else "compute"
        yield f"{count(len(differing), 'case')} {computes} something else: {'; '.join(names)}"
    allowed = [entry for entry in comparison.different if entry.allowed is not None]
    if allowed:
        reasons = dict.fromkeys(f"{entry.operator} ({entry.allowed or 'no reason given'})" for entry in allowed)
        yield f"{count(len(allowed), 'case')} with other results, as allowed: {', '.join(reasons)}"


def _named(entry: Different) -> str:
    return one_line(f"{entry.operator} ({brief_inputs(entry.inputs, entry.profile)}) {described(entry)}")


def described(entry: Different) -> str:
    """The difference in words, with the way in which it was found."""
    found = entry.difference
    words = found.words.replace(", expected ", " in new, in base ") if not found.timed else found.words
    if found.timed:
        return f"{words}; of the timed calls of {entry.side}, by contents {found.draw}"
    return f"{words}; by fingerprints" if entry.by_fingerprint else words


def different_tables(comparison: Comparison) -> Iterator[Table[Different]]:
    """The cases with other results, those that fail a gate first; nothing without any."""
    rows = sorted(comparison.different, key=lambda entry: (entry.allowed is not None, entry.case))
    if rows:
        yield Table(
            "", _COLUMNS, rows, part=lambda entry: "differs" if entry.allowed is None else "differs, as allowed",
            noun="case", title_style=lambda _: "bold red", below=_below,
            words=lambda entry: [entry.case, entry.profile, *split_words(one_line(entry.inputs))],
        )  # fmt: skip


def _below(entry: Different, width: int) -> Iterator[Text]:
    reason = f"; allowed: {entry.allowed}" if entry.allowed else ""
    return hanging(INDENT * 2, one_line(f"{described(entry)}{reason}").split(), width, "dim")


_COLUMNS: tuple[Column[Different], ...] = (
    fact("case", lambda entry: entry.case, place=Place.LEAD),
    fact("operator", lambda entry: entry.operator),
    fact("category", lambda entry: entry.category),
    fact("profile", lambda entry: entry.profile),
    fact("inputs", lambda entry: entry.inputs, place=Place.LEAD),
    fact("difference", described, place=Place.LEAD),
    fact("allowed", lambda entry: entry.allowed or ""),
)
