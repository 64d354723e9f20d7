"""Numbers of an input: those that a family limits, and the cost model over them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import msgspec
import numpy as np
from scipy.optimize import nnls

from autoperf.core.finding import Fit
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.hunt.edits import Dimension, axes_named, dimensions, extent, rank, tensor_name, with_param
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
        if self.of(point) is None or value < 1:
            return []
        return point.resized((self.tensor, self.number, self.axis % len(self._shape(point))), value)

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
        return point.resized(dimension, value) if dimension and value > 0 else []

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
        return point.resized(longest, max(1, length))


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
        if self.entry is None:
            return number_of(value)
        if not isinstance(value, tuple) or not -len(value) <= self.entry < len(value):
            return None
        return number_of(value[self.entry])

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
    ranks = Counter(dimension[:2] for dimension in dimensions(point.call))
    features: list[Length] = []
    for (name, number), ndim in ranks.items():
        owner = "" if len(ranks) == 1 else tensor_name(name, number)
        features += [Length(name, number, axis, owner) for axis in (*range(-1, -1 - ndim, -1), 0)]
    return features


def numbers(point: Point, parameter: str, default: float | None) -> Sequence[Number]:
    """The feature of a numeric parameter, or of each entry of a tuple of numbers, at most four."""
    value: Value = point.call.params.get(parameter)
    if number_of(value) is not None:
        return [Number(parameter, None, default)]
    if isinstance(value, tuple) and all(number_of(each) is not None for each in value):
        return [Number(parameter, -1 - back) for back in range(min(len(value), 4))]
    return []


Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

MIN_INPUTS = 16
ROUNDS = 12
# Weight of times above the model; times below it have weight 1 - ABOVE, since the model estimates attainable times.
ABOVE = 0.3
HUBER = 0.3
POOR = 1.6


class Model(msgspec.Struct, frozen=True):
    """Weights of `features` in microseconds, and their fit."""

    weights: tuple[float, ...]
    fit: Fit

    def expected_us(self, point: Point) -> float:
        """The predicted time in microseconds."""
        return float(np.dot(features(point), self.weights))

    def excess(self, point: Point, actual_us: float) -> float:
        """The ratio of the actual time to the predicted one."""
        return actual_us / max(self.expected_us(point), 1e-3)


def features(point: Point) -> Array:
    """1 (overhead), bytes, elements, operations, and elements times log2 of the last and of the longest axis.

    The logarithms model sorting and trees; the axes belong to the first tensor.
    """
    work = point.work
    shape = point.case.inputs[0].tensor.shape if point.case.inputs else ()
    last = np.log2(1 + (shape[-1] if shape else 1))
    longest = np.log2(1 + max(shape, default=1))
    bytes_ = work.bytes_in + work.bytes_out
    return np.array([1.0, bytes_, work.elements, work.flops, work.elements * last, work.elements * longest])


def fit_model(points: Sequence[Point], times_us: Sequence[float]) -> Model | None:
    """The model of these times in microseconds; None for fewer than MIN_INPUTS.

    Non-negative least squares (Lawson and Hanson 1974) on relative errors, reweighted: beyond 30% an error counts by
    its size and no longer by its square (Huber 1964), and a time above the model counts less than one below it, as in
    expectile regression (Newey and Powell 1987).
    """
    if len(points) < MIN_INPUTS:
        return None
    design = np.array([features(point) for point in points])
    times = np.maximum(np.asarray(times_us, dtype="float64"), 1e-3)
    relative = design / times[:, None]
    scale = np.maximum(relative.max(0), 1e-30)
    weights = np.ones(len(times))
    solution = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        root = np.sqrt(weights)
        solution = nnls(relative / scale * root[:, None], root)[0] / scale
        error = 1 - relative @ solution
        weights = np.where(error > 0, ABOVE, 1 - ABOVE) * np.minimum(1.0, HUBER / np.maximum(np.abs(error), 1e-9))
    factors = np.abs(np.log(times / np.maximum(design @ solution, 1e-3)))
    typical = float(np.exp(np.median(factors)))
    return Model(tuple(float(weight) for weight in solution), Fit(typical, len(times), typical > POOR))
