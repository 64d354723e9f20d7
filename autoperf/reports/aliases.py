"""Operators of one name in several namespaces, which run the same kernel: in a ranking they share a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from autoperf.analysis.comparison import ComparedFigure
from autoperf.core.outcome import Outcome
from autoperf.reports.units import one_line

CLOSE = 1.2
"""How far the times of aliases may be apart in one row, as a ratio; beyond it they have rows of their own."""
_NAMESPACE = re.compile(r"^_?(?:np|npi|npx|contrib|sparse|image)?_|^(?:broadcast|elemwise)_")

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class RankedRow:
    """The position of a row in a ranking, and the names of the operators that share it."""

    position: int
    aliases: tuple[str, ...] = ()

    def label(self, operator: str) -> str:
        """The operator with its aliases: `exp (also _npi_exp)`."""
        return f"{operator} (also {', '.join(map(one_line, self.aliases))})" if self.aliases else operator


def plain_name(operator: str) -> str:
    """The name without its namespace: `_npi_exp` and `exp` are `exp`, `broadcast_add` is `add`."""
    name = operator
    while (shorter := _NAMESPACE.sub("", name)) not in ("", name):
        name = shorter
    return name


def ranked_rows(
    rows: Iterable[Row], key: Callable[[Row], Hashable], time: Callable[[Row], float | None], name: Callable[[Row], str]
) -> list[RankedRow]:
    """A ranking without the rows of aliases: equal keys, another name, and nearly equal times."""
    ranking: list[RankedRow] = []
    first: dict[int, tuple[int, float]] = {}
    for position, row in enumerate(rows):
        row_time, row_key = time(row), hash(key(row))
        place, shown_time = first.get(row_key, (-1, 0.0))
        if row_time and shown_time and 1 / CLOSE <= row_time / shown_time <= CLOSE:
            shown = ranking[place]
            ranking[place] = RankedRow(shown.position, (*shown.aliases, name(row)))
            continue
        if row_time and place < 0:
            first[row_key] = (len(ranking), row_time)
        ranking.append(RankedRow(position))
    return ranking


def case_key(outcome: Outcome) -> Hashable:
    """What the cases of aliases have in common: the plain name, the tensors and the parameters."""
    tensors = tuple((item.tensor.shape, item.tensor.dtype) for item in outcome.inputs)
    params = sorted((name, repr(value)) for name, value in outcome.params.items())
    return plain_name(outcome.operator), tensors, tuple(params)


def figure_key(figure: ComparedFigure) -> Hashable:
    """What the figures of aliases have in common."""
    return plain_name(figure.operator), figure.pass_, figure.clock, figure.inputs


def case_time(outcome: Outcome) -> float | None:
    """The forward median that ranks a case, in microseconds."""
    series = outcome.forward.ranking_series() if outcome.forward else None
    return series.median if series else None
