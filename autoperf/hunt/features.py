"""Features of inputs that conditions refer to: lengths, elements, ratios of lengths, and values of parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.hunt.edits import Dimension, axes_named, dimensions, extent, rank, resized, tensor_name, with_param
from autoperf.hunt.point import Point, TypedCall


class Feature(Protocol):
    """A number that an input has or lacks, with variants of the input that have another number."""

    @property
    def words(self) -> str:
        """The name: "the last dimension"."""

    def of(self, point: Point) -> float | None:
        """The number; None where the input lacks it."""

    def changed(self, point: Point, value: int) -> list[TypedCall]:
        """Variants of the input's call with this number, some of which inference may refuse."""


@dataclass(frozen=True)
class Length:
    """The length of a dimension; a negative `axis` counts from the back. `owner` is empty for a single tensor."""

    tensor: str
    number: int
    axis: int
    owner: str = ""

    @property
    def words(self) -> str:
        """ "the last dimension of data", "the last dimension but two"."""
        before = {-1: "", -2: " but one", -3: " but two", -4: " but three"}.get(self.axis, f" but {-self.axis - 1}")
        name = f"the last dimension{before}" if self.axis else "the first dimension"
        return f"{name} of {self.owner}" if self.owner else name

    def of(self, point: Point) -> float | None:
        """The length; None where the tensor lacks the dimension."""
        shape = self._shape(point)
        return shape[self.axis] if -len(shape) <= self.axis < len(shape) else None

    def changed(self, point: Point, value: int) -> list[TypedCall]:
        """The input with another length."""
        shape = self._shape(point)
        if not -len(shape) <= self.axis < len(shape) or value < 1:
            return []
        return _resized(point, (self.tensor, self.number, self.axis % len(shape)), value)

    def _shape(self, point: Point) -> Shape:
        given = point.call.tensors.get(self.tensor, ())
        listed = given if isinstance(given, tuple) else (given,)
        return listed[self.number].shape if self.number < len(listed) else ()


@dataclass(frozen=True)
class LengthAlong:
    """The length of the largest tensor along the axis that a parameter selects."""

    parameter: str
    default: int | None = None

    @property
    def words(self) -> str:
        """ "the length along axis"."""
        return f"the length along {self.parameter}"

    def of(self, point: Point) -> float | None:
        """The length; None unless the parameter selects one axis."""
        dimension = self._dimension(point)
        return extent(point.call, dimension) if dimension else None

    def changed(self, point: Point, value: int) -> list[TypedCall]:
        """The input with another length along the axis."""
        dimension = self._dimension(point)
        return _resized(point, dimension, value) if dimension and value > 0 else []

    def _dimension(self, point: Point) -> Dimension | None:
        listed = axes_named(point.call, self.parameter, self.default)
        ranked = [each for each in dimensions(point.call) if each[2] == rank(point.call) - 1]
        if len(listed) != 1 or not ranked:
            return None
        name, number, _ = ranked[0]
        return name, number, listed[0]


@dataclass(frozen=True)
class Elements:
    """The number of elements of the largest tensor."""

    words = "the number of elements"

    def of(self, point: Point) -> float | None:
        """The number of elements."""
        return max((math.prod(entry.tensor.shape) for entry in point.case.inputs), default=0)

    def changed(self, point: Point, value: int) -> list[TypedCall]:
        """The input with its longest dimension in proportion."""
        longest = max(dimensions(point.call), key=lambda each: extent(point.call, each), default=None)
        if longest is None:
            return []
        length = math.ceil(value * extent(point.call, longest) / max(self.of(point) or 1, 1))
        return _resized(point, longest, max(1, length))


@dataclass(frozen=True)
class Rank:
    """The largest number of dimensions of any tensor."""

    words = "the number of dimensions"

    def of(self, point: Point) -> float | None:
        """The number of dimensions."""
        return rank(point.call)

    def changed(self, point: Point, value: int) -> list[TypedCall]:  # noqa: ARG002 - the protocol's
        """No variants: draws cover other ranks."""
        return []


@dataclass(frozen=True)
class LengthRatio:
    """The ratio of the lengths of two dimensions of a tensor."""

    longer: Length
    shorter: Length

    @property
    def words(self) -> str:
        """ "the last dimension divided by the first dimension"."""
        return f"{self.longer.words} divided by {self.shorter.words}"

    def of(self, point: Point) -> float | None:
        """The ratio; None where the tensor lacks a dimension."""
        longer, shorter = self.longer.of(point), self.shorter.of(point)
        return longer / shorter if longer is not None and shorter else None

    def changed(self, point: Point, value: int) -> list[TypedCall]:
        """The input with a longer dimension."""
        return self.longer.changed(point, round(value * (self.shorter.of(point) or 0)))


@dataclass(frozen=True)
class Number:
    """A numeric parameter, or one entry of a tuple counted from its end; `default` stands in for an absent one."""

    parameter: str
    entry: int | None = None
    default: float | None = None

    @property
    def words(self) -> str:
        """ "k", "reps[-1]"."""
        return self.parameter if self.entry is None else f"{self.parameter}[{self.entry}]"

    def of(self, point: Point) -> float | None:
        """The number; None where the parameter has none."""
        value = point.call.params.get(self.parameter, self.default)
        return number_of(_entry(value, self.entry))

    def changed(self, point: Point, value: int) -> list[TypedCall]:
        """The input with another value of the parameter or of its entry."""
        if self.entry is None:
            return [(with_param(point.call, self.parameter, value), point.dtype)]
        listed = point.call.params.get(self.parameter)
        if not isinstance(listed, tuple) or not -len(listed) <= self.entry:
            return []
        entries = list(listed)
        entries[self.entry] = value
        return [(with_param(point.call, self.parameter, tuple(entries)), point.dtype)]


def number_of(value: object) -> float | None:
    """The value of an integer, a float, or a text that spells one; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def same_value(first: object, second: object) -> bool:
    """Whether two values are equal as numbers or as texts, since MXNet states defaults as texts."""
    numbers = number_of(first), number_of(second)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return str(first) == str(second) or {str(first), str(second)} in ({"True", "1"}, {"False", "0"})


def lengths(point: Point) -> list[Length]:
    """Every dimension, counted from the back; the first one also from the front."""
    tensors: dict[tuple[str, int], list[int]] = {}
    for name, number, axis in dimensions(point.call):
        tensors.setdefault((name, number), []).append(axis)
    owners = {key: "" if len(tensors) == 1 else tensor_name(*key) for key in tensors}
    features: list[Length] = []
    for (name, number), axes in tensors.items():
        owner = owners[name, number]
        features += [Length(name, number, axis - len(axes), owner) for axis in reversed(axes)]
        features.append(Length(name, number, 0, owner))
    return features


def numbers(point: Point, parameter: str, default: float | None) -> Sequence[Number]:
    """The feature of a numeric parameter, or of each entry of a tuple of numbers, at most four."""
    value: Value = point.call.params.get(parameter)
    if number_of(value) is not None:
        return [Number(parameter, None, default)]
    if isinstance(value, tuple) and all(number_of(each) is not None for each in value):
        return [Number(parameter, -1 - back) for back in range(min(len(value), 4))]
    return []


def _resized(point: Point, dimension: Dimension, value: int) -> list[TypedCall]:
    return [(call, point.dtype) for call in resized(point.call, dimension, value)]


def _entry(value: object, entry: int | None) -> object:
    if entry is None:
        return value
    return value[entry] if isinstance(value, tuple) and -len(value) <= entry < len(value) else None
