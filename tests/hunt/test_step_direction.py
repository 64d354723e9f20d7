"""The direction of a step is told by the outer dimensions of the largest tensor."""

from __future__ import annotations

import pytest

from autoperf.hunt.step_direction import NOWHERE, Direction, direction
from autoperf.rules.rule import inputs, tensor


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((64, 8, 1), (1, 8, 64), Direction(-6.0, 6.0)),
        ((64, 8, 1), (64, 1, 8), Direction(0.0, 3.0)),
        ((64, 8, 1), (64, 8), Direction(0.0, 3.0)),
        ((), (), NOWHERE),
    ],
)
def test_directions(before: tuple[int, ...], after: tuple[int, ...], expected: Direction) -> None:
    assert direction(inputs(data=tensor(*before)), inputs(data=tensor(*after))) == expected


def test_the_largest_tensor_counts() -> None:
    before, after = inputs(data=tensor(4, 4), bias=tensor(9)), inputs(data=tensor(4, 16), bias=tensor(3))
    assert direction(before, after) == Direction(0.0, 2.0)


def test_steps_agree_by_what_they_lengthen_and_shorten() -> None:
    assert Direction(-6.0, 6.0).disagreement(Direction(-1.0, 3.0)) == 0
    assert Direction(-6.0, 6.0).disagreement(Direction(0.0, 3.0)) == 1
    assert Direction(-6.0, 6.0).disagreement(Direction(1.0, 0.0)) == 2
    assert Direction(-6.0, 6.0).size == 12
