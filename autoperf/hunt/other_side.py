"""The other side of a hunt between two builds or environments: it runs the same inputs, and is the contrast."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autoperf.core.errors import UserRuleError
from autoperf.hunt.point import Point, PointFactory


@dataclass(frozen=True)
class OtherSide:
    """The side that is compared with the searched one; `words` and `searched_words` name both for a reader.

    `takes_parameter` says whether its operator has a parameter: MXNet ignores many that it doesn't know, and would
    compute something else.
    """

    factory: PointFactory
    takes_parameter: Callable[[str], bool]
    words: str
    searched_words: str

    def applied_to(self, point: Point) -> Point | None:
        """The same call on this side; None where this side refuses it or takes other inputs."""
        if not all(map(self.takes_parameter, point.call.params)):
            return None
        try:
            (same,) = self.factory.make([(point.call, point.dtype)])
        except UserRuleError:
            # The search of the operator reports the error in its rule.
            return None
        return same if same and same.case.inputs == point.case.inputs else None
