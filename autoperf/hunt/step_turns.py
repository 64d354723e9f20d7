"""Which neighbours the systematic inputs are compared with: kinds of steps take turns, whatever was timed so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from autoperf.hunt.neighbours import Step, is_equivalent
from autoperf.hunt.point import Point

# Of the first visit only: what is compared with an equivalent operator, and with the natural dtype.
_ALWAYS = ("equivalent", "natural")


class StepTurns:
    """The steps from each systematic input that are still to be tried, one of each kind.

    They depend on the inputs and on the order in which they came, but on no time, so that hunts with different seeds
    make the same comparisons first. The first visit of an input takes a step to an equivalent operator, one to the
    `natural` dtype in place of any other, and `count` of the kinds that first visits took least often; each further one
    takes `count` other kinds. A kind that has several steps gives another one each time.
    """

    def __init__(self, natural: str, count: int) -> None:
        self._natural, self._count = natural, count
        self._turns: Counter[str] = Counter()
        self._visits: dict[str, list[list[Step]]] = {}

    def __contains__(self, point: Point) -> bool:
        """Whether an input was added."""
        return point.key in self._visits

    def add(self, point: Point, steps: Sequence[Step]) -> None:
        """Adds an input with every step from it."""
        by_kind: dict[str, list[Step]] = {}
        for step in steps:
            by_kind.setdefault(self._kind(step), []).append(step)
        if "natural" in by_kind:
            by_kind.pop("dtype", None)
        always = [self._next(by_kind.pop(kind)) for kind in _ALWAYS if kind in by_kind]
        kinds = sorted(by_kind, key=self._turns.__getitem__)
        chosen = [self._next(by_kind[kind]) for kind in kinds]
        visits = [chosen[at : at + self._count] for at in range(0, len(chosen), self._count)] or [[]]
        visits[0] = [*always, *visits[0]]
        self._turns.update(self._kind(step) for step in visits[0])
        self._visits[point.key] = visits

    @property
    def most_visits_left(self) -> int:
        """How many visits are left of the input that has most of them."""
        return max(map(len, self._visits.values()), default=0)

    def is_left(self, point: Point) -> bool:
        """Whether an added input has steps that weren't taken."""
        return bool(self._visits[point.key])

    def taken(self, point: Point) -> list[Step]:
        """Takes the steps of the next visit to an added input; none if all were taken."""
        visits = self._visits[point.key]
        return visits.pop(0) if visits else []

    def _next(self, alike: Sequence[Step]) -> Step:
        """The step of a kind whose turn it is."""
        return alike[self._turns[self._kind(alike[0])] % len(alike)]

    def _kind(self, step: Step) -> str:
        """The kind that takes turns: equivalent operators share one, and the natural dtype has its own."""
        if is_equivalent(step.kind):
            return "equivalent"
        return "natural" if step.kind == "dtype" and step.dtype == self._natural else step.kind
