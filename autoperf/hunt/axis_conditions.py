"""Conditions on the axes that a parameter names, also by its default."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from autoperf.hunt.point import Point, TypedCall
from autoperf.hunt.tensors import axes_named, rank, with_named_axis

Place: TypeAlias = Literal["last", "not last", "first", "not first"]


@dataclass(frozen=True)
class AxisPlace:
    """Where the axes lie that a parameter names; an input that names none, also by default, doesn't meet it."""

    parameter: str
    place: Place
    default: int | None = None

    @property
    def words(self) -> str:
        """ "axis is not the last"."""
        return f"{self.parameter} is {self.place.replace('last', 'the last').replace('first', 'the first')}"

    def holds(self, point: Point) -> bool:
        """Whether the axes lie there."""
        listed = axes_named(point.call, self.parameter, self.default)
        return bool(listed) and _lies(listed, self.place, rank(point.call))

    def inside(self, point: Point) -> list[TypedCall]:
        """The input with an axis that lies there."""
        return self._with_axis(point, inside=True)

    def outside(self, point: Point) -> list[TypedCall]:
        """The input with an axis that lies elsewhere."""
        return self._with_axis(point, inside=False)

    def _with_axis(self, point: Point, *, inside: bool) -> list[TypedCall]:
        ndim = rank(point.call)
        fitting = (axis for axis in range(ndim) if _lies((axis,), self.place, ndim) is inside)
        return _with_axes(point, self.parameter, self.default, fitting)


@dataclass(frozen=True)
class AxisIs:
    """A parameter names exactly these axes."""

    parameter: str
    axes: tuple[int, ...]
    default: int | None = None

    @property
    def words(self) -> str:
        """ "axis is 1"."""
        return f"{self.parameter} is {self.axes[0] if len(self.axes) == 1 else self.axes}"

    def holds(self, point: Point) -> bool:
        """Whether it names them."""
        return axes_named(point.call, self.parameter, self.default) == self.axes

    def inside(self, point: Point) -> list[TypedCall]:
        """The input with these axes, where they are one."""
        if max(self.axes) >= rank(point.call) or len(self.axes) > 1:
            return []
        return _with_axes(point, self.parameter, self.default, self.axes)

    def outside(self, point: Point) -> list[TypedCall]:
        """The input with another axis."""
        others = (axis for axis in range(rank(point.call)) if (axis,) != self.axes)
        return _with_axes(point, self.parameter, self.default, others)


def _lies(axes: tuple[int, ...], place: Place, ndim: int) -> bool:
    end = 0 if place.endswith("first") else ndim - 1
    return (end in axes) != place.startswith("not")


def _with_axes(point: Point, parameter: str, default: int | None, axes: Iterable[int]) -> list[TypedCall]:
    """The input with each of these axes, if it names one, also by default."""
    if not axes_named(point.call, parameter, default):
        return []
    return [(with_named_axis(point.call, parameter, axis), point.dtype) for axis in axes]
