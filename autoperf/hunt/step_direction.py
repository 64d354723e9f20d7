"""The direction of a step between shapes: which outer dimensions it lengthens and shortens."""

from __future__ import annotations

import math
from typing import NamedTuple

from autoperf.core.tensors import Shape
from autoperf.hunt.tensors import drafts
from autoperf.rules.rule import Inputs


class Direction(NamedTuple):
    """By what logarithm the first and the last dimension of the largest tensor grow."""

    first: float
    last: float

    @property
    def size(self) -> float:
        """How far the step leads."""
        return abs(self.first) + abs(self.last)

    def disagreement(self, other: Direction) -> int:
        """How many of the two dimensions only one of the steps lengthens, or only one shortens."""
        return (_sign(self.first) != _sign(other.first)) + (_sign(self.last) != _sign(other.last))


NOWHERE = Direction(0.0, 0.0)


def direction(before: Inputs, after: Inputs) -> Direction:
    """The direction of the step from one call to another."""
    old, new = _largest(before), _largest(after)
    if not old or not new:
        return NOWHERE
    return Direction(_growth(old[0], new[0]), _growth(old[-1], new[-1]))


def _largest(call: Inputs) -> Shape:
    return max((draft.shape for _, _, draft in drafts(call)), key=math.prod, default=())


def _growth(old: int, new: int) -> float:
    return math.log2(max(new, 1) / max(old, 1))


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
