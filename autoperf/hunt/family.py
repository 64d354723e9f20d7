"""Generalises the simplest slow input to its family: each coordinate is widened as far as inputs stay slow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from autoperf.core.operator import Value
from autoperf.core.outcome import PassName
from autoperf.hunt.contrast import TOLERANCE, Contrast, ContrastFinder
from autoperf.hunt.neighbours import DTYPES, SIZES, related_kinds
from autoperf.hunt.point import Point
from autoperf.hunt.shrinker import MAX_STEPS, FindContrast
from autoperf.hunt.tensors import (
    Dimension,
    axes_given,
    dimensions,
    drafts,
    extent,
    is_axis,
    of_dtype,
    rank,
    resized,
    with_axes,
    with_axis,
    with_param,
)
from autoperf.rules.rule import Inputs

# From this many elements on, a cliff may depend on the number of elements alone.
MIN_VOLUME = 4096
# A dimension that stays slow at this many times its length has no upper limit.
MAX_TIMES = 32

Test = Callable[[Point], bool]


@dataclass(frozen=True)
class Condition:
    """A predicate over inputs and its description; `limit`: it bounds a dimension from above."""

    words: str
    test: Test
    limit: bool = False


@dataclass(frozen=True)
class Family:
    """Inputs that are slow for one cause: those that meet all conditions."""

    conditions: tuple[Condition, ...]

    @property
    def words(self) -> str:
        """ "axis is not the last, and data.shape[1] >= 64"."""
        return " and ".join(condition.words for condition in self.conditions) or "every input"

    def holds(self, point: Point) -> bool:
        """Whether an input belongs to the family."""
        return all(condition.test(point) for condition in self.conditions)

    def widened(self, point: Point) -> Family | None:
        """The family without the limits that a slow input refutes; None if it refutes none, or other conditions."""
        refuted = [condition for condition in self.conditions if not condition.test(point)]
        if not refuted or not all(condition.limit for condition in refuted):
            return None
        return Family(tuple(condition for condition in self.conditions if condition not in refuted))


def generalised(finder: ContrastFinder, simplest: Contrast, pass_: PassName) -> Family:
    """Widens each coordinate of the simplest input separately; coordinates without effect give no condition."""
    min_ratio = max(finder.min_ratio * TOLERANCE, math.sqrt(simplest.ratio))
    kinds = related_kinds(simplest.step.kind)

    def still_slow(point: Point) -> Contrast | None:
        # A failure by noise would add a false condition, so it is repeated.
        contrasts = (
            finder.best_contrast(point, pass_, kinds, min_ratio=min_ratio, max_steps=MAX_STEPS, count=count)
            for count in (2, 5)
        )
        return next((contrast for contrast in contrasts if contrast), None)

    def slow_without_overhead(point: Point) -> bool:
        return finder.net_ratio(point, pass_, kinds, MAX_STEPS) >= min_ratio

    def slow_when_larger(point: Point) -> bool:
        return simplest.step.kind in SIZES and finder.scaled_ratio(point, simplest.fast, pass_) >= min_ratio

    widener = _Widener(finder, simplest.slow, still_slow, slow_without_overhead, slow_when_larger)
    conditions = (*widener.axes(), *widener.params(), *widener.dtype(), *widener.sizes())
    return _separated(Family(tuple(condition for condition in conditions if condition)), simplest)


class _Widener:
    """Times variations of a slow input, one coordinate at a time."""

    def __init__(
        self,
        finder: ContrastFinder,
        point: Point,
        still_slow: FindContrast,
        slow_without_overhead: Test,
        slow_when_larger: Test,
    ) -> None:
        self._finder, self._point = finder, point
        self._still_slow, self._slow_without_overhead, self._slow_when_larger = (
            still_slow,
            slow_without_overhead,
            slow_when_larger,
        )
        wider = with_axis(point.call)
        # One more axis in front shows from which end of the shape a dimension counts.
        self._from_back = wider is not None and self._is_slow([wider]) is True

    def _relative(self, dimension: Dimension) -> Dimension:
        """The dimension as conditions name it, counted from the back where that is what matters."""
        name, number, axis = dimension
        if not self._from_back:
            return dimension
        return (
            name,
            number,
            axis - len(next(draft.shape for key, at, draft in drafts(self._point.call) if (key, at) == dimension[:2])),
        )

    def _first_valid(self, calls: list[Inputs], dtype: str | None = None) -> Point | None:
        """The point of the first valid call."""
        points = self._finder.factory.make([(call, dtype or self._point.dtype) for call in calls])
        return next((point for point in points if point), None)

    def _is_slow(self, calls: list[Inputs], dtype: str | None = None) -> bool | None:
        """Whether the first valid call is slow too; None if none is valid or can be timed."""
        point = self._first_valid(calls, dtype)
        if point is None or self._finder.timings.expired or self._finder.timings.times(point) is None:
            return None
        return self._still_slow(point) is not None or (
            _elements(point) > _elements(self._point) and self._slow_when_larger(point)
        )

    def axes(self) -> list[Condition | None]:
        """Which axes: the last, any but the last, the first, or this one."""
        conditions: list[Condition | None] = []
        for name, listed in axes_given(self._point.call).items():
            if len(listed) != 1:
                conditions.append(_equal(name, self._point.call.params[name]))
                continue
            others = {
                axis: self._is_slow([with_axes(self._point.call, {name: (axis,)})])
                for axis in range(rank(self._point.call))
                if axis != listed[0]
            }
            conditions.append(_axis_condition(name, listed[0], others, rank(self._point.call), self._from_back))
        return conditions

    def params(self) -> list[Condition | None]:
        """Which values of each parameter that is passed; of an integer, perhaps all from it on."""
        conditions: list[Condition | None] = []
        for name, value in self._point.call.params.items():
            if is_axis(name):
                continue
            if type(value) is int and all(
                self._is_slow([with_param(self._point.call, name, value + add)]) for add in (1, 2)
            ):
                conditions.append(_at_least(name, value))
            else:
                conditions.append(_equal(name, value))
        return conditions

    def dtype(self) -> list[Condition | None]:
        """Which dtypes; no condition where all that can be timed are slow."""
        slow_dtype = self._point.dtype
        tried = {
            dtype: self._is_slow([of_dtype(self._point.call, slow_dtype, dtype)], dtype)
            for dtype in self._finder.factory.rule.dtypes or DTYPES
            if dtype != slow_dtype
        }
        if all(slow is not False for slow in tried.values()):
            return [None]
        fast = tuple(dtype for dtype, slow in tried.items() if slow is False)
        if len(fast) == 1:
            return [Condition(f"dtype is not {fast[0]}", lambda point: point.dtype not in fast)]
        kept = (slow_dtype, *(dtype for dtype, slow in tried.items() if slow))
        return [Condition(f"dtype is {' or '.join(kept)}", lambda point: point.dtype in kept)]

    def sizes(self) -> list[Condition | None]:
        """Volume, skew, or each dimension by itself."""
        call = self._point.call
        long = [dimension for dimension in self._independent(call) if extent(call, dimension) > 1]
        if len(long) == 1 and (by_volume := self._volume(long[0])):
            return [by_volume]
        if len(long) == 1 and (by_skew := self._skew(long[0])):
            return [by_skew]
        return [self._dimension(dimension) for dimension in self._independent(call)]

    def _independent(self, call: Inputs) -> list[Dimension]:
        """Dimensions without those that change along with an earlier one."""
        independent: list[Dimension] = []
        covered: set[Dimension] = set()
        for dimension in dimensions(call):
            if dimension in covered:
                continue
            independent.append(dimension)
            calls = resized(call, dimension, extent(call, dimension) + 1)
            points = self._finder.factory.make([(resized_call, self._point.dtype) for resized_call in calls])
            longer = next((point.call for point in points if point), call)
            covered |= {other for other in dimensions(longer) if extent(longer, other) != extent(call, other)}
        return independent

    def _volume(self, dimension: Dimension) -> Condition | None:
        """The condition on the number of elements, if every shape of as many is slow, and half as many aren't."""
        call, size = self._point.call, extent(self._point.call, dimension)
        if rank(call) == 1 and (wide := with_axis(call)):
            dimension, call = (dimension[0], dimension[1], dimension[2] + 1), wide
        others = [other for other in dimensions(call) if other[:2] == dimension[:2] and other != dimension]
        if size < MIN_VOLUME or size % 2 or not others or self._half_is_slow(dimension, call):
            return None
        aspects = [
            [grown for shorter in resized(call, dimension, length) for grown in resized(shorter, other, size // length)]
            for other in others
            for length in (2, size // 2)
        ]
        if not all(self._is_slow(calls) for calls in aspects):
            return None
        if not self._is_slow(resized(call, dimension, 2 * size)):
            return None
        return Condition(f"{size:,} elements or more", lambda point: _elements(point) >= size)

    def _skew(self, dimension: Dimension) -> Condition | None:
        """The condition on the ratio to another dimension, if only growth of both keeps the input slow."""
        call, size = self._point.call, extent(self._point.call, dimension)
        for other in dimensions(call):
            if other[:2] != dimension[:2] or extent(call, other) != 1:
                continue
            alone = self._is_slow(resized(call, other, 2))
            together = self._is_slow(
                [grown for wide in resized(call, other, 2) for grown in resized(wide, dimension, 2 * size)]
            )
            if alone is False and together:
                return _skewed(self._relative(dimension), self._relative(other), size)
        return None

    def _dimension(self, dimension: Dimension) -> Condition | None:
        """A multiple, or a range of lengths; None if shorter and longer ones are slow too."""
        size, named = extent(self._point.call, dimension), self._relative(dimension)
        highest = self._highest(dimension)
        odd = self._is_slow(self._kept_volume(dimension, 2 * size + 1)) if size > 1 else None
        if odd is False and highest > size:
            if self._is_slow(self._kept_volume(dimension, 3 * size)):
                words = f"{_spell(named)} is a multiple of {size:,}"
                return Condition(words, lambda point: _length(point, named) > 0 and _length(point, named) % size == 0)
            words = f"{_spell(named)} is {size:,} times a power of two"
            return Condition(words, lambda point: _is_power(_length(point, named), size))
        low = 0 if size == 1 or self._half_is_slow(dimension) else size
        high = math.inf if highest >= MAX_TIMES * size else highest
        return _between(_spell(named), low, high, lambda point: _length(point, named))

    def _highest(self, dimension: Dimension) -> int:
        """The largest length that is slow, by doubling, at most MAX_TIMES the length.

        The volume is kept where another dimension can shrink in proportion.
        """
        size = extent(self._point.call, dimension)
        for new in (size * 2**power for power in range(1, MAX_TIMES.bit_length())):
            slow = self._is_slow(self._kept_volume(dimension, new))
            if slow is not True:
                return int(new // 2 if slow is False else MAX_TIMES * size)
        return int(MAX_TIMES * size)

    def _kept_volume(self, dimension: Dimension, new: int) -> list[Inputs]:
        """The call with a new length of a dimension, and the longest other one shorter in proportion if possible."""
        call = self._point.call
        times = max(1, new // extent(call, dimension))
        others = [other for other in dimensions(call) if other[:2] == dimension[:2] and other != dimension]
        longest = max(others, key=lambda other: extent(call, other), default=None)
        calls = resized(call, dimension, new)
        if longest is None or extent(call, longest) < 4 * times:
            return calls
        return [short for each in calls for short in resized(each, longest, extent(call, longest) // times)]

    def _half_is_slow(self, dimension: Dimension, call: Inputs | None = None) -> bool:
        """Whether half the length is slow too, net of a call's overhead; then the length is no lower limit."""
        whole = call or self._point.call
        point = self._first_valid(resized(whole, dimension, max(1, extent(whole, dimension) // 2)))
        return point is not None and self._slow_without_overhead(point)


def _between(name: str, low: float, high: float, length: Callable[[Point], float]) -> Condition | None:
    if low == high:
        return Condition(f"{name} == {low:,}", lambda point: length(point) == low, limit=True)
    parts = [f"{low:,} <= "] if low else []
    if high < math.inf:
        words = f"{''.join(parts)}{name} <= {high:,}"
        return Condition(words, lambda point: low <= length(point) <= high, limit=True)
    return Condition(f"{name} >= {low:,}", lambda point: length(point) >= low) if low else None


def _separated(family: Family, simplest: Contrast) -> Family:
    """Adds the differences between both inputs to a family that would include the fast one."""
    if not family.holds(simplest.fast):
        return family
    slow, fast = simplest.slow.call, simplest.fast.call
    differences = list(_differences(simplest))
    for dimension in dimensions(slow):
        slow_length, fast_length = extent(slow, dimension), _length(simplest.fast, dimension)
        if fast_length and slow_length > fast_length:
            differences.append(_above(dimension, fast_length))
        elif fast_length and slow_length < fast_length:
            differences.append(_below(dimension, fast_length))
    return Family((*family.conditions, *differences)) if dimensions(fast) else family


def _differences(simplest: Contrast) -> Iterator[Condition]:
    """Conditions on the dtype and parameters in which the slow input differs from the fast one."""
    slow_dtype, params = simplest.slow.dtype, simplest.slow.call.params
    if slow_dtype != simplest.fast.dtype:
        yield Condition(f"dtype is {slow_dtype}", lambda point: point.dtype == slow_dtype)
    for name, value in params.items():
        if value != simplest.fast.call.params.get(name):
            yield _equal(name, value)


def _above(dimension: Dimension, limit: int) -> Condition:
    return Condition(f"{_spell(dimension)} > {limit:,}", lambda point: _length(point, dimension) > limit)


def _below(dimension: Dimension, limit: int) -> Condition:
    return Condition(f"{_spell(dimension)} < {limit:,}", lambda point: 0 < _length(point, dimension) < limit)


def _skewed(dimension: Dimension, other: Dimension, times: int) -> Condition:
    words = f"{_spell(dimension)} is {times:,} times {_spell(other)} or more"
    return Condition(words, lambda point: _ratio(point, dimension, other) >= times)


def _axis_condition(
    name: str, axis: int, others: dict[int, bool | None], ndim: int, from_back: bool = True
) -> Condition | None:
    """The condition on an axis; with two axes, `from_back` tells the first from all but the last."""
    slow = {axis, *(other for other, is_slow in others.items() if is_slow)}
    fast = {other for other, is_slow in others.items() if is_slow is False}
    if not fast:
        return None
    last = ndim - 1
    if slow == {last} and ndim > 1:
        return Condition(f"{name} is the last", lambda point: _axis(point, name) == rank(point.call) - 1)
    if fast == {last} and (ndim > 2 or from_back):
        return Condition(
            f"{name} is not the last", lambda point: _axis(point, name) not in (math.inf, rank(point.call) - 1)
        )
    kept = tuple(sorted(slow))
    spelled = " or ".join(map(str, kept))
    return Condition(f"{name} is {spelled}", lambda point: _axis(point, name) in kept)


def _axis(point: Point, name: str) -> float:
    """The single axis that a parameter names; infinity where there is none, or more than one."""
    listed = axes_given(point.call).get(name, ())
    return listed[0] if len(listed) == 1 else math.inf


def _equal(name: str, value: Value) -> Condition:
    return Condition(f"{name}={value}", lambda point: point.call.params.get(name) == value)


def _at_least(name: str, value: int) -> Condition:
    def test(point: Point) -> bool:
        given = point.call.params.get(name)
        return isinstance(given, int | float) and given >= value

    return Condition(f"{name} >= {value}", test)


def _spell(dimension: Dimension) -> str:
    """`data.shape[0]`; a negative axis counts from the back."""
    name, number, axis = dimension
    return f"{name}.shape[{axis}]" if number == 0 else f"{name}[{number}].shape[{axis}]"


def _length(point: Point, dimension: Dimension) -> int:
    """The length of a dimension, 0 where there is none; a negative axis counts from the back."""
    name, number, axis = dimension
    given = point.call.tensors.get(name, ())
    listed = given if isinstance(given, tuple) else (given,)
    shape = listed[number].shape if number < len(listed) else ()
    return shape[axis] if -len(shape) <= axis < len(shape) else 0


def _ratio(point: Point, dimension: Dimension, other: Dimension) -> float:
    return _length(point, dimension) / max(_length(point, other), 1)


def _elements(point: Point) -> float:
    return max((math.prod(item.tensor.shape) for item in point.case.inputs), default=0)


def _is_power(length: int, size: int) -> bool:
    times, rest = divmod(length, size)
    return rest == 0 and times > 0 and times & (times - 1) == 0
