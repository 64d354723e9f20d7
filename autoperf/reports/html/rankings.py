"""The operators that stand out by a quantity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from autoperf.core.outcome import Outcome
from autoperf.reports.html.page import RankedRow, Ranking
from autoperf.reports.html.page_table import rounded

MAX_RANKED = 12


def ranking(
    title: str, outcomes: Sequence[Outcome], values: Sequence[float | None], spell: Callable[[float], str]
) -> Iterator[Ranking]:
    """The case of each operator with the largest value, the largest first; nothing if there are no values."""
    best: dict[str, tuple[float, int]] = {}
    for position, (outcome, value) in enumerate(zip(outcomes, values, strict=True)):
        if value and value > best.get(outcome.operator, (0.0, 0))[0]:
            best[outcome.operator] = (value, position)
    rows = sorted(best.values(), key=lambda pair: (-pair[0], pair[1]))[:MAX_RANKED]
    if rows:
        yield Ranking(title, tuple(RankedRow(position, rounded(value), spell(value)) for value, position in rows))
