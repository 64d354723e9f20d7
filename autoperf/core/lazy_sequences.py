"""Sequences whose items are made on each access, so that memory doesn't grow with their number."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class LazySequence(Sequence[T]):
    """A sequence that makes its items by `item`; a slice of it is lazy too."""

    @abstractmethod
    def item(self, position: int) -> T:
        """The item at a position from the front."""

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Picked[T]: ...

    def __getitem__(self, index: int | slice) -> T | Picked[T]:
        positions = range(len(self))[index]
        return self.item(positions) if isinstance(positions, int) else Picked(self, positions)


class Picked(LazySequence[T]):
    """Some items of a sequence, by their positions in it; it keeps no items."""

    def __init__(self, items: Sequence[T], positions: Sequence[int]) -> None:
        self._items = items
        self._positions = positions

    def __len__(self) -> int:
        return len(self._positions)

    def item(self, position: int) -> T:
        """The item at a position of the selection."""
        return self._items[self._positions[position]]
