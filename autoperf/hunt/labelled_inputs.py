"""Labelled inputs: those that are slow for one cause, and those that are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from autoperf.hunt.point import Point

LabelledInput: TypeAlias = tuple[Point, bool]
"""An input, and whether it is slow."""


@dataclass(frozen=True)
class LabelledInputs:
    """Inputs that are slow, and inputs that are fast or slow for another cause."""

    slow: tuple[Point, ...] = ()
    fast: tuple[Point, ...] = ()

    def __len__(self) -> int:
        """How many they are."""
        return len(self.slow) + len(self.fast)

    def has(self, point: Point) -> bool:
        """Whether an input is among them."""
        return any(known.key == point.key for known in (*self.slow, *self.fast))

    def with_labels(self, labels: Iterable[LabelledInput]) -> LabelledInputs:
        """With these inputs too, each of which is slow or not; an input that is known keeps its label."""
        known = {point.key for point in (*self.slow, *self.fast)}
        fresh = {point.key: (point, slow) for point, slow in labels if point.key not in known}.values()
        return LabelledInputs(
            (*self.slow, *(point for point, slow in fresh if slow)),
            (*self.fast, *(point for point, slow in fresh if not slow)),
        )

    def joined(self, other: LabelledInputs) -> LabelledInputs:
        """These and others; a label of these has precedence."""
        labels = [*((point, True) for point in other.slow), *((point, False) for point in other.fast)]
        return self.with_labels(labels)

    def meeting(self, test: Callable[[Point], bool]) -> LabelledInputs:
        """Only those that meet a test."""
        return LabelledInputs(tuple(filter(test, self.slow)), tuple(filter(test, self.fast)))
