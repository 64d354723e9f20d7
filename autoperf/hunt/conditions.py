"""The conditions of a family: relations over dtypes, axes, parameters and numbers of an input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from autoperf.core.operator import Value
from autoperf.hunt.features import Elements, Feature, LengthRatio, Rank, number_of
from autoperf.hunt.point import Point, TypedCall
from autoperf.hunt.tensors import axes_given, of_dtype, rank, with_axes, with_param, without

# A number that lies beyond a limit is drawn up to this many times beyond it.
MAX_BEYOND = 8

Place: TypeAlias = Literal["last", "not last", "first", "not first"]


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


@dataclass(frozen=True)
class AxisPlace:
    """Where the axes lie that a parameter names; an input without the parameter doesn't meet it."""

    parameter: str
    place: Place

    @property
    def words(self) -> str:
        """ "axis is not the last"."""
        return f"{self.parameter} is {self.place.replace('last', 'the last').replace('first', 'the first')}"

    def holds(self, point: Point) -> bool:
        """Whether the axes lie there."""
        listed = axes_given(point.call).get(self.parameter)
        return bool(listed) and _lies(listed or (), self.place, rank(point.call))

    def inside(self, point: Point) -> list[TypedCall]:
        """The input with an axis that lies there."""
        return _with_axis(point, self.parameter, [axis for axis in _all_axes(point) if self._meets(point, axis)])

    def outside(self, point: Point) -> list[TypedCall]:
        """The input with an axis that lies elsewhere."""
        return _with_axis(point, self.parameter, [axis for axis in _all_axes(point) if not self._meets(point, axis)])

    def _meets(self, point: Point, axis: int) -> bool:
        return _lies((axis,), self.place, rank(point.call))


@dataclass(frozen=True)
class AxisIs:
    """A parameter names exactly these axes."""

    parameter: str
    axes: tuple[int, ...]

    @property
    def words(self) -> str:
        """ "axis is 1"."""
        return f"{self.parameter} is {self.axes[0] if len(self.axes) == 1 else self.axes}"

    def holds(self, point: Point) -> bool:
        """Whether it names them."""
        return axes_given(point.call).get(self.parameter) == self.axes

    def inside(self, point: Point) -> list[TypedCall]:
        """The input with these axes."""
        if max(self.axes) >= rank(point.call) or self.parameter not in point.call.params:
            return []
        return [(with_axes(point.call, {self.parameter: self.axes}), point.dtype)]

    def outside(self, point: Point) -> list[TypedCall]:
        """The input with another axis."""
        return _with_axis(point, self.parameter, [axis for axis in _all_axes(point) if (axis,) != self.axes])


@dataclass(frozen=True)
class ParameterIs:
    """A parameter has this value."""

    parameter: str
    value: Value

    @property
    def words(self) -> str:
        """ "mode=3"."""
        return f"{self.parameter}={self.value}"

    def holds(self, point: Point) -> bool:
        """Whether it has the value."""
        return same_value(point.call.params.get(self.parameter), self.value)

    def inside(self, point: Point) -> list[TypedCall]:
        """The input with the value."""
        return [(with_param(point.call, self.parameter, self.value), point.dtype)]

    def outside(self, point: Point) -> list[TypedCall]:
        """The input without the parameter."""
        return [(without(point.call, self.parameter), point.dtype)]


@dataclass(frozen=True)
class ParameterGiven:
    """A parameter has another value than its default; `value` is such a value, `default` None where there is none."""

    parameter: str
    value: Value
    default: str | None

    @property
    def words(self) -> str:
        """ "temperature other than 1", "use_length=True"."""
        if self.default in (None, "None"):
            return f"{self.parameter} is given"
        if isinstance(self.value, bool):
            return f"{self.parameter}={self.value}"
        return f"{self.parameter} other than {self.default}"

    def holds(self, point: Point) -> bool:
        """Whether it is given and isn't the default."""
        value = point.call.params.get(self.parameter)
        return value is not None and not same_value(value, self.default)

    def inside(self, point: Point) -> list[TypedCall]:
        """The input itself where it has another value, else with the known one."""
        value = point.call.params.get(self.parameter) if self.holds(point) else self.value
        return [(with_param(point.call, self.parameter, value), point.dtype)]

    def outside(self, point: Point) -> list[TypedCall]:
        """The input without the parameter."""
        return [(without(point.call, self.parameter), point.dtype)]


@dataclass(frozen=True)
class Within:
    """A number lies between two limits, either of which may be absent."""

    feature: Feature
    low: float | None = None
    high: float | None = None

    @property
    def words(self) -> str:
        """ "the last dimension is 1 or 2", "k is 3 or more", "65,536 elements or more"."""
        low, high = self.low, self.high
        if isinstance(self.feature, LengthRatio) and low is not None:
            longer, shorter = self.feature.longer.words, self.feature.shorter.words
            return f"{longer} is {_spell(low)} times {shorter} or more"
        amount = _range_words(low, high)
        if isinstance(self.feature, Elements):
            return amount.replace(" or more", " elements or more") if "more" in amount else f"{amount} elements"
        if isinstance(self.feature, Rank):
            return f"{amount} dimensions"
        return f"{self.feature.words} is {amount}"

    def holds(self, point: Point) -> bool:
        """Whether the number lies between the limits."""
        number = self.feature.of(point)
        if number is None:
            return False
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)

    def inside(self, point: Point) -> list[TypedCall]:
        """The input itself, or with a number between the limits."""
        if self.holds(point):
            return [(point.call, point.dtype)]
        low = max(1, round(self.low or 1))
        high = low * MAX_BEYOND if self.high is None else round(self.high)
        values = (low, high, low + 1, (low + high) // 2, 2 * low - 1, 3 * low)
        return _changed(self.feature, point, (value for value in values if low <= value <= high))

    def outside(self, point: Point) -> list[TypedCall]:
        """The input with a number beyond a limit, at most some times as large or small."""
        low, high = round(self.low or 1), round(self.high) if self.high is not None else None
        below = (low - 1, low // 2, low // 3, low // MAX_BEYOND)
        above = () if high is None else (high + 1, 2 * high + 1, 3 * high, MAX_BEYOND * high)
        return _changed(self.feature, point, (value for value in (*below, *above) if value > 0))


@dataclass(frozen=True)
class MultipleOf:
    """A length is a multiple of a number, or isn't where `negated`."""

    feature: Feature
    number: int
    negated: bool = False

    @property
    def words(self) -> str:
        """ "the last dimension is a multiple of 64"."""
        return f"{self.feature.words} is {'not ' if self.negated else ''}a multiple of {self.number:,}"

    def holds(self, point: Point) -> bool:
        """Whether it is a multiple."""
        value = self.feature.of(point)
        return value is not None and (value % self.number == 0) != self.negated

    def inside(self, point: Point) -> list[TypedCall]:
        """The input with a length that is a multiple, or isn't."""
        return self._near(point, self.negated)

    def outside(self, point: Point) -> list[TypedCall]:
        """The input with a length that isn't a multiple, or is."""
        return self._near(point, not self.negated)

    def _near(self, point: Point, uneven: bool) -> list[TypedCall]:
        value = self.feature.of(point)
        if value is None:
            return []
        multiple = max(1, round(value / self.number)) * self.number
        offsets = (1, self.number // 2, self.number - 1) if uneven else (0, self.number)
        return _changed(self.feature, point, (multiple + offset for offset in offsets))


def same_value(first: object, second: object) -> bool:
    """Whether two values are equal as numbers or as texts: MXNet's defaults are texts."""
    numbers = number_of(first), number_of(second)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return str(first) == str(second) or {str(first), str(second)} in ({"True", "1"}, {"False", "0"})


def merged_limits(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """The conditions with the limits of one number in one condition."""
    merged: dict[object, Condition] = {}
    for condition in conditions:
        key: object = condition.feature if isinstance(condition, Within) else condition
        known = merged.get(key)
        if isinstance(known, Within) and isinstance(condition, Within):
            lows = [low for low in (known.low, condition.low) if low is not None]
            highs = [high for high in (known.high, condition.high) if high is not None]
            merged[key] = Within(condition.feature, max(lows, default=None), min(highs, default=None))
        else:
            merged[key] = condition
    return tuple(merged.values())


def _range_words(low: float | None, high: float | None) -> str:
    if low is None or (low <= 1 and high is not None):
        limit = high or 0
        return {1: "1", 2: "1 or 2"}.get(round(limit), f"at most {_spell(limit)}")
    if high is None:
        return f"{_spell(low)} or more"
    return _spell(low) if low == high else f"{_spell(low)} to {_spell(high)}"


def _spell(number: float) -> str:
    return f"{round(number):,}" if number == round(number) else f"{number:g}"


def _changed(feature: Feature, point: Point, values: Iterable[int]) -> list[TypedCall]:
    """The input with each of these values of a feature."""
    return [call for value in dict.fromkeys(values) for call in feature.changed(point, value)]


def _in_dtype(point: Point, dtypes: Sequence[str]) -> list[TypedCall]:
    return [(of_dtype(point.call, point.dtype, dtype), dtype) for dtype in dtypes]


def _lies(axes: tuple[int, ...], place: Place, ndim: int) -> bool:
    end = 0 if place.endswith("first") else ndim - 1
    return (end in axes) != place.startswith("not")


def _all_axes(point: Point) -> range:
    return range(rank(point.call))


def _with_axis(point: Point, parameter: str, axes: Sequence[int]) -> list[TypedCall]:
    if parameter not in point.call.params:
        return []
    return [(with_axes(point.call, {parameter: (axis,)}), point.dtype) for axis in axes]
