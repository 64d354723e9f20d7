"""Operators of one name in several namespaces: in a ranking they share a row if their times are nearly equal.

Many of them run the same kernel. That isn't known here: MXNet's traces name operators, not kernels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from autoperf.core.outcome import Outcome
from autoperf.reports.units import one_line

CLOSE = 1.2
"""Maximum ratio of the times of aliases that share a row."""
_NAMESPACE = re.compile(r"^_?(?:np|npi|npx|contrib|sparse|image)?_|^(?:broadcast|elemwise)_")

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class SharedRow:
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
) -> list[SharedRow]:
    """A ranking without the rows of aliases: equal keys, another name, and nearly equal times."""
    ranking: list[SharedRow] = []
    first: dict[int, _FirstRow] = {}
    for position, row in enumerate(rows):
        row_time, row_name = time(row), name(row)
        shown = first.get(hash(key(row)))
        if shown and row_time and shown.takes(row_name, row_time):
            shown.names.append(row_name)
            ranking[shown.place] = SharedRow(ranking[shown.place].position, tuple(shown.names[1:]))
            continue
        if row_time and not shown:
            first[hash(key(row))] = _FirstRow(len(ranking), row_time, [row_name])
        ranking.append(SharedRow(position))
    return ranking


@dataclass(slots=True)
class _FirstRow:
    """The first row of some aliases: its place in the ranking, its time, and the names that share it."""

    place: int
    time: float
    names: list[str]

    def takes(self, name: str, time: float) -> bool:
        """Whether a row of this name and time shares it; two cases of one operator never do."""
        return name not in self.names and 1 / CLOSE <= time / self.time <= CLOSE


def case_key(outcome: Outcome) -> Hashable:
    """The key that the cases of aliases share: the plain name, the tensors and the parameters."""
    tensors = tuple((item.tensor.shape, item.tensor.dtype) for item in outcome.inputs)
    params = sorted((name, repr(value)) for name, value in outcome.params.items())
    return plain_name(outcome.operator), tensors, tuple(params)


def case_time(outcome: Outcome) -> float | None:
    """The forward median that ranks a case, in microseconds."""
    series = outcome.forward.ranking_series() if outcome.forward else None
    return series.median if series else None
