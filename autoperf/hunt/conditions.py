"""What the conditions of a family have in common, and the condition on the dtype."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from autoperf.hunt.point import Point, TypedCall
from autoperf.hunt.tensors import of_dtype


class Condition(Protocol):
    """A relation that an input meets or not, with inputs that do and that don't."""

    @property
    def words(self) -> str:
        """The relation in words."""

    def holds(self, point: Point) -> bool:
        """Whether an input meets it."""

    def inside(self, point: Point) -> list[TypedCall]:
        """Calls like the input's, changed so that they should meet it."""

    def outside(self, point: Point) -> list[TypedCall]:
        """Calls like the input's, changed so that they should not meet it."""


@dataclass(frozen=True)
class DtypeIs:
    """The dtype is one of these, or none of these where `negated`."""

    dtypes: tuple[str, ...]
    others: tuple[str, ...]
    negated: bool = False

    @property
    def words(self) -> str:
        """ "float16", "float32 or float64", "a dtype other than float64"."""
        if self.negated:
            return f"a dtype other than {' and '.join(self.dtypes)}"
        return " or ".join(self.dtypes)

    def holds(self, point: Point) -> bool:
        """Whether the dtype is one of them."""
        return (point.dtype in self.dtypes) != self.negated

    def inside(self, point: Point) -> list[TypedCall]:
        """The input in one of these dtypes."""
        return _in_dtype(point, self.others if self.negated else self.dtypes)

    def outside(self, point: Point) -> list[TypedCall]:
        """The input in one of the other dtypes."""
        return _in_dtype(point, self.dtypes if self.negated else self.others)


def _in_dtype(point: Point, dtypes: Sequence[str]) -> list[TypedCall]:
    return [(of_dtype(point.call, point.dtype, dtype), dtype) for dtype in dtypes]
