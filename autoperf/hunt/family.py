"""Families: relations on an input's dtype, axes, numbers and parameters that slow inputs share and fast ones lack."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal, TypeAlias

from autoperf.core.operator import Operator, Value, is_axis
from autoperf.core.tensors import Pattern
from autoperf.hunt.contents import WORDS, of_dtype, patterned_calls, patterns_of, with_pattern
from autoperf.hunt.edits import axes_named, rank, with_named_axis, with_param, without
from autoperf.hunt.point import (
    Elements,
    Feature,
    LengthAlong,
    LengthRatio,
    Number,
    Point,
    Rank,
    TypedCall,
    lengths,
    number_of,
    numbers,
    same_value,
)

Place: TypeAlias = Literal["last", "not last", "first", "not first"]
PLACES: tuple[Place, ...] = ("not last", "last", "not first", "first")
# Numbers beyond a limit are drawn up to this factor beyond it.
MAX_BEYOND = 8


@dataclass(frozen=True)
class DtypeIs:
    """The dtype is one of these; `negated`: none of these."""

    dtypes: tuple[str, ...]
    others: tuple[str, ...]
    negated: bool = False

    @property
    def words(self) -> str:
        """ "float16", "float32 or float64", "a dtype other than float64"."""
        return f"a dtype other than {' and '.join(self.dtypes)}" if self.negated else " or ".join(self.dtypes)

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
        possible = {pattern: call for _, pattern, call in patterned_calls(point, (self.tensor,))}
        plain = [] if meets else [with_pattern(point.call, self.tensor, "", point.dtype)]
        wanted = (possible.get(pattern) for pattern in (self.patterns if meets else self.others))
        return [(call, point.dtype) for call in (*plain, *wanted) if call]


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
        return f"{amount} dimensions" if isinstance(self.feature, Rank) else f"{self.feature.words} is {amount}"

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
        low, high = round(self.low or 1), None if self.high is None else round(self.high)
        if not meets:
            below = (low - 1, low // 2, low // 3, low // MAX_BEYOND)
            above = () if high is None else (high + 1, 2 * high + 1, 3 * high, MAX_BEYOND * high)
            return _changed(self.feature, point, (value for value in (*below, *above) if value > 0))
        if self.holds(point):
            return [(point.call, point.dtype)]
        low = max(1, low)
        high = low * MAX_BEYOND if high is None else high
        values = (low, high, low + 1, (low + high) // 2, 2 * low - 1, 3 * low)
        return _changed(self.feature, point, (value for value in values if low <= value <= high))


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
    for each in conditions:
        if isinstance(each, Within) and each.low != each.high and None not in (each.low, each.high):
            yield from (Within(each.feature, low=each.low), Within(each.feature, high=each.high))
        else:
            yield each


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


Condition: TypeAlias = DtypeIs | PatternIs | AxisIs | Within | MultipleOf | ParameterIs | ParameterGiven
"""A relation that an input meets or fails; it also makes variants of an input that should meet or fail it."""

# A condition may lose a share of the slow inputs, since labels may be wrong, if it excludes more than LOSS times that
# share of the fast ones.
LOSS = 3
# Minimum gain of a further condition, as a share of the fast examples.
SIZE = 0.02
MAX_CONDITIONS = 7
# Number of conjunctions of each length that are extended.
BEAM = 16
LabelledInput: TypeAlias = tuple[Point, bool]
"""An input, and its label: whether it is slow."""
# Limits are taken from this many of the smallest and largest numbers of the slow inputs, since one may be wrong.
LIMITS_TRIED = 3
# Minimum number of different lengths for a multiple, and the minimum multiple: smaller ones are common.
MIN_LENGTHS = 3
MIN_MULTIPLE = 4
MULTIPLES = (2, 4, 8, 16, 32, 64, 128, 256)
# Minimum ratio of two dimensions for a condition on their ratio.
MIN_LENGTH_RATIO = 16


@dataclass(frozen=True)
class Family:
    """The inputs that meet all conditions, and are slow for one cause."""

    conditions: tuple[Condition, ...]

    @property
    def words(self) -> str:
        """ "float16", "axis is not the last, and the last dimension is 64 or more"."""
        return ", and ".join(condition.words for condition in self.conditions) or "every input"

    def holds(self, point: Point) -> bool:
        """Whether an input belongs to the family."""
        return all(condition.holds(point) for condition in self.conditions)

    def share(self, points: Sequence[Point]) -> float:
        """The share of these inputs that belongs to the family; 0 without inputs."""
        return sum(map(self.holds, points)) / len(points) if points else 0.0


def learned(candidates: Sequence[Condition], examples: LabelledInputs, contrast: Point | None) -> Family:
    """The few conditions that best exclude the fast examples and hold for the slow ones, by beam search.

    Together they exclude the contrast; conditions that exclude it come first. Conditions that exclude nothing are left
    out, so a property that never varied gives none.
    """
    if not examples.fast:
        return Family(())
    tests = [_Tested.of(Family((condition,)), examples) for condition in candidates]
    needed = examples.fast.index(contrast) if contrast in examples.fast else None
    best = _Tested.of(Family(()), examples)
    beam = [best]
    for _ in range(MAX_CONDITIONS):
        wider = (known.and_also(test) for known in beam for test in tests if test.conditions[0] not in known.conditions)
        # Ties go to earlier tests.
        distinct = {(each.slow, each.fast): each for each in reversed(list(wider))}
        beam = heapq.nsmallest(BEAM, reversed(distinct.values()), key=lambda each: each.cost)
        fitting = (each for each in beam if each.excludes(needed))
        best = min((best, *fitting), key=lambda each: (not each.excludes(needed), each.cost))
    conditions = merged_limits(best.conditions)
    return Family(tuple(sorted(conditions, key=lambda each: contrast is not None and each.holds(contrast))))


@dataclass(frozen=True)
class _Tested:
    """Conditions, and the examples that meet them all: bit i of `slow` stands for slow input i."""

    conditions: tuple[Condition, ...]
    slow: int
    fast: int
    examples: LabelledInputs

    @classmethod
    def of(cls, family: Family, examples: LabelledInputs) -> _Tested:
        slow, fast = (
            sum(1 << number for number, point in enumerate(points) if family.holds(point))
            for points in (examples.slow, examples.fast)
        )
        return cls(family.conditions, slow, fast, examples)

    def and_also(self, other: _Tested) -> _Tested:
        conditions = (*self.conditions, *other.conditions)
        return _Tested(conditions, self.slow & other.slow, self.fast & other.fast, self.examples)

    @property
    def cost(self) -> float:
        """The share of fast inputs kept, plus a multiple of the share of slow inputs lost, plus a cost by length."""
        lost = 1 - self.slow.bit_count() / max(len(self.examples.slow), 1)
        return self.fast.bit_count() / len(self.examples.fast) + LOSS * lost + SIZE * len(self.conditions)

    def excludes(self, fast: int | None) -> bool:
        return fast is None or not self.fast >> fast & 1


@dataclass(frozen=True)
class LabelledInputs:
    """Inputs that are slow, and inputs that are fast or slow for another cause."""

    slow: tuple[Point, ...] = ()
    fast: tuple[Point, ...] = ()

    def __len__(self) -> int:
        """The number of inputs."""
        return len(self.slow) + len(self.fast)

    def with_labels(self, labels: Iterable[LabelledInput]) -> LabelledInputs:
        """Adds labelled inputs; a known input keeps its label."""
        known = {point.key for point in (*self.slow, *self.fast)}
        fresh = {point.key: (point, slow) for point, slow in labels if point.key not in known}.values()
        return LabelledInputs(
            (*self.slow, *(point for point, slow in fresh if slow)),
            (*self.fast, *(point for point, slow in fresh if not slow)),
        )

    def joined(self, other: LabelledInputs) -> LabelledInputs:
        """These inputs and others; labels of these take precedence."""
        labels = [*((point, True) for point in other.slow), *((point, False) for point in other.fast)]
        return self.with_labels(labels)


def candidate_conditions(operator: Operator, simplest: Point, examples: LabelledInputs) -> list[Condition]:
    """All conditions that the simplest slow input meets and that may explain its slowness, the plainest first."""
    names = (name for point in (simplest, *examples.slow, *examples.fast) for name in point.call.params)
    defaults = {name: number_of(_default(operator, name)) for name in names if is_axis(name)}
    axes = {name: None if default is None else int(default) for name, default in defaults.items()}
    conditions = (
        *_contents(simplest, examples),
        *_parameters(operator, simplest, examples, axes),
        *_sizes(simplest, examples, axes),
    )
    return [condition for condition in dict.fromkeys(conditions) if condition.holds(simplest)]


def _default(operator: Operator, name: str) -> str | None:
    known = operator.parameter(name)
    return known.default if known else None


def _contents(simplest: Point, examples: LabelledInputs) -> Iterator[Condition]:
    slow, tried = (tuple(dict.fromkeys(point.dtype for point in points)) for points in (examples.slow, examples.fast))
    fast = tuple(dtype for dtype in tried if dtype not in slow)
    if fast:
        yield DtypeIs((simplest.dtype,), tuple(dict.fromkeys((*fast, *slow))))
        if len(fast) == 1:
            yield DtypeIs(fast, slow, negated=True)
        if len(slow) > 1:
            yield DtypeIs(slow, fast)
    for tensor, own in patterns_of(simplest.call).items():
        of_slow, of_fast = (
            dict.fromkeys(patterns_of(point.call).get(tensor, "") for point in points)
            for points in (examples.slow, examples.fast)
        )
        others = tuple(pattern for pattern in of_fast if pattern and pattern not in of_slow)
        yield PatternIs(tensor, (own,), others)
        if len(of_slow) > 1:
            yield PatternIs(tensor, tuple(pattern for pattern in of_slow if pattern), others)


def _parameters(
    operator: Operator, simplest: Point, examples: LabelledInputs, axes: Mapping[str, int | None]
) -> Iterator[Condition]:
    """The conditions of axes, then of other parameters; those that only other inputs give have their defaults."""
    for name, axis in axes.items():
        yield from (AxisIs(name, place, axis) for place in PLACES)
        if listed := axes_named(simplest.call, name, axis):
            yield AxisIs(name, listed, axis)
    for name, value in simplest.call.params.items():
        if is_axis(name):
            continue
        default = _default(operator, name)
        yield ParameterGiven(name, value, default)
        for number in numbers(simplest, name, number_of(default)):
            yield from _limits(number, simplest, examples)
        yield ParameterIs(name, value)
    others: dict[str, Value] = {}
    for point in (*examples.fast, *examples.slow):
        others = {**point.call.params, **others}
    for name, value in others.items():
        if not is_axis(name) and name not in simplest.call.params and value is not None:
            yield ParameterGiven(name, value, _default(operator, name), negated=True)


def _sizes(simplest: Point, examples: LabelledInputs, axes: Mapping[str, int | None]) -> Iterator[Condition]:
    dimensions = lengths(simplest)
    along = [LengthAlong(name, default) for name, default in axes.items()]
    features: tuple[Feature, ...] = (*dimensions, *along, Elements(), Rank())
    for feature in features:
        yield from _limits(feature, simplest, examples)
    for longer, shorter in permutations(dimensions, 2):
        ratio = LengthRatio(longer, shorter)
        is_of_one = (longer.tensor, longer.number) == (shorter.tensor, shorter.number)
        if is_of_one and (ratio.of(simplest) or 0) >= MIN_LENGTH_RATIO:
            limits = _limits(ratio, simplest, examples)
            yield from (each for each in limits if (each.low or 0) >= MIN_LENGTH_RATIO)
    yield from (Within(feature, feature.of(simplest), feature.of(simplest)) for feature in dimensions)
    for length in dimensions:
        slow = {round(number) for point in examples.slow if (number := length.of(point)) is not None}
        own = round(length.of(simplest) or 0)
        for number in (*MULTIPLES, math.gcd(*slow)) if len(slow) >= MIN_LENGTHS else ():
            if number >= MIN_MULTIPLE and own % number == 0:
                yield MultipleOf(length, number)
            elif number > 1 and own % number:
                yield MultipleOf(length, number, negated=True)


def _limits(feature: Feature, simplest: Point, examples: LabelledInputs) -> Iterator[Within]:
    """Limits at the extreme numbers of the slow inputs, and at the number of the simplest one."""
    slow = sorted({number for point in (simplest, *examples.slow) if (number := feature.of(point)) is not None})
    mine = feature.of(simplest)
    if mine is None:
        return
    highs = (Within(feature, high=high) for high in (*reversed(slow[-LIMITS_TRIED:]), mine) if high >= mine)
    lows = (Within(feature, low=low) for low in (*slow[:LIMITS_TRIED], mine) if low <= mine)
    # A limit has a fast input beyond it; otherwise it is only the edge of the inputs tried.
    yield from (limit for limit in (*highs, *lows) if any(map(limit.is_beyond, examples.fast)))
