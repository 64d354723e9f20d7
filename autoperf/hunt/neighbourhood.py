"""The inputs one step away from an input of an operator, on its side or the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from autoperf.hunt.equivalents import Equivalent, OtherSide
from autoperf.hunt.neighbours import DTYPES, Step, equivalent_steps, neighbours, other_side_step, pattern_steps
from autoperf.hunt.point import Point, PointFactory

# Number of refusals after which a dtype is no longer tried.
MAX_REFUSED = 3
# Maximum elements of a neighbour, as a multiple of the point's and in absolute terms: larger inputs take long.
MAX_GROWTH, MIN_LARGE = 8, 2**16


class Neighbourhood:
    """The steps from inputs of one operator, and the points that they lead to.

    With an `other_side`, a contrast is the same input there; else steps to `equivalents` may show one too.
    """

    def __init__(
        self, factory: PointFactory, equivalents: Sequence[Equivalent] = (), other_side: OtherSide | None = None
    ) -> None:
        self.factory, self.equivalents, self.other_side = factory, equivalents, other_side
        self._refused: Counter[str] = Counter()

    def steps(self, point: Point) -> list[Step]:
        """Every step from a point to inputs of the same operator, also those that can't show a contrast."""
        return [*neighbours(point, self.factory.operator, self.dtypes), *pattern_steps(point)]

    def contrast_steps(self, point: Point) -> list[Step]:
        """Every step from a point that may show a contrast, without steps to equivalent operators."""
        if self.other_side:
            return [other_side_step(point, self.other_side)]
        return list(neighbours(point, self.factory.operator, self.dtypes))

    def all_steps(self, point: Point) -> list[Step]:
        """Every step from a point that may show a contrast, with steps to equivalent operators."""
        return [*self.contrast_steps(point), *self.equivalent_steps(point)]

    def equivalent_steps(self, point: Point) -> list[Step]:
        """The steps from a point to equivalent operators."""
        return equivalent_steps(point, self.equivalents)

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The dtypes to try, without those that the operator has refused repeatedly and never accepted."""
        known = self.factory.rule.dtypes or DTYPES
        return tuple(dtype for dtype in known if self._refused[dtype] < MAX_REFUSED)

    def neighbour_points(self, point: Point, steps: Sequence[Step]) -> list[tuple[Step, Point]]:
        """Each step that inference accepts, with the point that it leads to."""
        calls = [(call, step.dtype) for step in steps for call in step.calls]
        points = iter(self.factory.make(calls))
        reached: list[tuple[Step, Point]] = []
        for step in steps:
            made = [step.equivalent.applied_to(point)] if step.equivalent else [next(points) for _ in step.calls]
            accepted = [neighbour for neighbour in made if neighbour and is_beside(neighbour, point)]
            if accepted:
                reached.append((step, accepted[0]))
        return reached

    def note(self, dtype: str, *, runs: bool) -> None:
        """Counts an input in another dtype that runs or is refused."""
        self._refused[dtype] += -(10**6) if runs else 1


def is_beside(neighbour: Point, point: Point) -> bool:
    """Whether a neighbour differs from the point and isn't many times as large."""
    most = max(MIN_LARGE, MAX_GROWTH * point.work.elements)
    return neighbour.key != point.key and neighbour.work.elements <= most
