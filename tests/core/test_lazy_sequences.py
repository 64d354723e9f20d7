"""Items of lazy sequences are made on access, and slices make none."""

from __future__ import annotations

import pytest

from autoperf.core.ndjson import LazySequence, Picked


class Squares(LazySequence[int]):
    """Counts what it makes."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.made = 0

    def __len__(self) -> int:
        return self.size

    def item(self, position: int) -> int:
        self.made += 1
        return position**2


def test_an_item_is_made_on_each_access() -> None:
    squares = Squares(5)
    assert (squares[1], squares[-1], squares[1], squares.made) == (1, 16, 1, 3)
    assert list(squares) == [0, 1, 4, 9, 16]
    with pytest.raises(IndexError):
        squares[5]


def test_a_slice_is_a_view() -> None:
    squares = Squares(6)
    view = squares[1:6:2][::-1]
    assert squares.made == 0
    assert (list(view), len(view), view[-1]) == ([25, 9, 1], 3, 1)


def test_items_are_picked_by_position() -> None:
    assert list(Picked("abcd", [3, 0])) == ["d", "a"]
