"""Conditions of a family: relations on the dtype, axes, numbers and parameters of an input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from autoperf.core.operator import Value
from autoperf.core.tensors import Pattern
from autoperf.hunt.contents import WORDS, of_dtype, patterned_calls, patterns_of, with_pattern
from autoperf.hunt.edits import axes_named, rank, with_named_axis, with_param, without
from autoperf.hunt.features import Elements, Feature, LengthRatio, Number, Rank, same_value
from autoperf.hunt.point import Point, TypedCall

Place: TypeAlias = Literal["last", "not last", "first", "not first"]
PLACES: tuple[Place, ...] = ("not last", "last", "not first", "first")
# Numbers beyond a limit are drawn up to this factor beyond it.
MAX_BEYOND = 8


class Condition(Protocol):
    """A relation that an input meets or fails; it also makes inputs that should meet or fail it."""

    @property
    def words(self) -> str:
        """The relation in words."""

    def holds(self, point: Point) -> bool:
        """Whether an input meets it."""

    def variants(self, point: Point, *, meets: bool) -> list[TypedCall]:
        """Variants of the input's call that should meet it, or fail it."""


@dataclass(frozen=True)
class DtypeIs:
    """The dtype is one of these; `negated`: none of these."""

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

    def variants(self, point: Point, *, meets: bool) -> list[TypedCall]:
        """The input in one of these dtypes, or of the others."""
        dtypes = self.dtypes if meets != self.negated else self.others
        return [(of_dtype(point.call, point.dtype, dtype), dtype) for dtype in dtypes]


@dataclass(frozen=True)
class PatternIs:
    """The contents of a tensor have one of these patterns."""

    tensor: str
    patterns: tuple[Pattern, ...]
    others: tuple[Pattern, ...]

    @property
    def words(self) -> str:
        """ "sorted data", "sorted data or constant data"."""
        return " or ".join(WORDS[pattern][0].format(self.tensor) for pattern in self.patterns)

    def holds(self, point: Point) -> bool:
        """Whether the contents have one of them."""
        return patterns_of(point.call).get(self.tensor) in self.patterns

    def variants(self, point: Point, *, meets: bool) -> list[TypedCall]:
        """The input with each of these patterns, where the tensor can have it; or without a pattern or with others."""
        wanted = self.patterns if meets else ("", *self.others)
        return [entry for pattern in wanted for entry in self._with(point, pattern)]

    def _with(self, point: Point, pattern: Pattern) -> list[TypedCall]:
        calls = (call for _, found, call in patterned_calls(point, (self.tensor,)) if found == pattern)
        plain = [with_pattern(point.call, self.tensor, "", point.dtype)] if not pattern else calls
        return [(call, point.dtype) for call in plain]


@dataclass(frozen=True)
class AxisIs:
    """A parameter selects exactly these axes, or axes in this place; an input without axes, even by default, fails."""

    parameter: str
    axes: tuple[int, ...] | Place
    default: int | None = None

    @property
    def words(self) -> str:
        """ "axis is 1", "axis is not the last"."""
        if isinstance(self.axes, tuple):
            return f"{self.parameter} is {self.axes[0] if len(self.axes) == 1 else self.axes}"
        return f"{self.parameter} is {self.axes.replace('last', 'the last').replace('first', 'the first')}"

    def holds(self, point: Point) -> bool:
        """Whether it selects them."""
        listed = axes_named(point.call, self.parameter, self.default)
        return bool(listed) and self._has(listed, rank(point.call))

    def variants(self, point: Point, *, meets: bool) -> list[TypedCall]:
        """The input with such an axis (none for several axes), or with another one."""
        ndim = rank(point.call)
        if not axes_named(point.call, self.parameter, self.default):
            return []
        fitting = (axis for axis in range(ndim) if self._has((axis,), ndim) is meets)
        return [(with_named_axis(point.call, self.parameter, axis), point.dtype) for axis in fitting]

    def _has(self, axes: tuple[int, ...], ndim: int) -> bool:
        if isinstance(self.axes, tuple):
            return axes == self.axes
        end = 0 if self.axes.endswith("first") else ndim - 1
        return (end in axes) != self.axes.startswith("not")


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
            times = f"{low:,.0f}" if low >= 100 else f"{low:.3g}"
            return f"{longer} is {times} times {shorter} or more"
        amount = _range_words(low, high) if isinstance(self.feature, Number) else _size_words(low, high)
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

    def is_beyond(self, point: Point) -> bool:
        """Whether an input has the number, beyond a limit."""
        return self.feature.of(point) is not None and not self.holds(point)

    def variants(self, point: Point, *, meets: bool) -> list[TypedCall]:
        """The input itself, or with a number between the limits; or beyond one by at most the factor MAX_BEYOND."""
        return self._within(point) if meets else self._beyond(point)

    def _within(self, point: Point) -> list[TypedCall]:
        if self.holds(point):
            return [(point.call, point.dtype)]
        low = max(1, round(self.low or 1))
        high = low * MAX_BEYOND if self.high is None else round(self.high)
        values = (low, high, low + 1, (low + high) // 2, 2 * low - 1, 3 * low)
        return _changed(self.feature, point, (value for value in values if low <= value <= high))

    def _beyond(self, point: Point) -> list[TypedCall]:
        low, high = round(self.low or 1), round(self.high) if self.high is not None else None
        below = (low - 1, low // 2, low // 3, low // MAX_BEYOND)
        above = () if high is None else (high + 1, 2 * high + 1, 3 * high, MAX_BEYOND * high)
        return _changed(self.feature, point, (value for value in (*below, *above) if value > 0))


@dataclass(frozen=True)
class MultipleOf:
    """A length is a multiple of a number; `negated`: it isn't."""

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

    def variants(self, point: Point, *, meets: bool) -> list[TypedCall]:
        """The input with a length nearby that meets it, or fails it."""
        value = self.feature.of(point)
        if value is None:
            return []
        multiple = max(1, round(value / self.number)) * self.number
        is_even = meets != self.negated
        offsets = (0, self.number) if is_even else (1, self.number // 2, self.number - 1)
        return _changed(self.feature, point, (multiple + offset for offset in offsets))


def separate_limits(conditions: Iterable[Condition]) -> Iterator[Condition]:
    """The conditions, with two limits of one number as two conditions."""
    for condition in conditions:
        if (
            isinstance(condition, Within)
            and condition.low != condition.high
            and None not in (condition.low, condition.high)
        ):
            yield Within(condition.feature, low=condition.low)
            yield Within(condition.feature, high=condition.high)
        else:
            yield condition


def merged_limits(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """The conditions, with all limits of one number joined in one condition."""
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


def _size_words(low: float | None, high: float | None) -> str:
    """The limits of a size, which is 1 or more."""
    if (low is None or low <= 1) and high in (1, 2):
        return "1" if high == 1 else "1 or 2"
    return _range_words(None if low is not None and high is not None and low <= 1 else low, high)


def _range_words(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {_spell(high or 0)}"
    if high is None:
        return f"{_spell(low)} or more"
    return _spell(low) if low == high else f"{_spell(low)} to {_spell(high)}"


def _spell(number: float) -> str:
    return f"{round(number):,}" if number == round(number) else f"{number:g}"


def _changed(feature: Feature, point: Point, values: Iterable[int]) -> list[TypedCall]:
    return [call for value in dict.fromkeys(values) for call in feature.changed(point, value)]


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

    def variants(self, point: Point, *, meets: bool) -> list[TypedCall]:
        """The input with the value, or without the parameter."""
        call = with_param(point.call, self.parameter, self.value) if meets else without(point.call, self.parameter)
        return [(call, point.dtype)]


@dataclass(frozen=True)
class ParameterGiven:
    """A parameter differs from its default; `negated`: it has its default, or is absent.

    `value` differs from the default. `default` is None for a parameter without one.
    """

    parameter: str
    value: Value
    default: str | None
    negated: bool = False

    @property
    def words(self) -> str:
        """ "temperature other than 1", "use_length=True"; negated: "eps=0.001", "use_length=False"."""
        if self.default in (None, "None"):
            return f"{self.parameter} is {'not ' if self.negated else ''}given"
        if isinstance(self.value, bool):
            return f"{self.parameter}={self.default in ('1', 'True') if self.negated else self.value}"
        return f"{self.parameter}{'=' if self.negated else ' other than '}{self.default}"

    def holds(self, point: Point) -> bool:
        """Whether it is given and differs from the default; `negated`: whether not."""
        return self._is_given(point) != self.negated

    def variants(self, point: Point, *, meets: bool) -> list[TypedCall]:
        """The input with its own value or the known one, or without the parameter."""
        if meets == self.negated:
            return [(without(point.call, self.parameter), point.dtype)]
        value = point.call.params.get(self.parameter) if self._is_given(point) else self.value
        return [(with_param(point.call, self.parameter, value), point.dtype)]

    def _is_given(self, point: Point) -> bool:
        value = point.call.params.get(self.parameter)
        return value is not None and not same_value(value, self.default)
