"""From the simplest slow input to the family that it stands for: each coordinate widened to what still holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from autoperf.core.operator import Value
from autoperf.core.outcome import PassName
from autoperf.hunt.contrast import LENIENCE, Contrast, ContrastFinder
from autoperf.hunt.neighbours import DTYPES, SIZES, related_kinds
from autoperf.hunt.point import Point
from autoperf.hunt.shrinker import MAX_STEPS, Holds
from autoperf.hunt.tensors import (
    Place,
    axes_given,
    drafts,
    extent,
    is_axis,
    of_dtype,
    places,
    rank,
    resized,
    with_axes,
    with_axis,
    with_param,
)
from autoperf.rules.rule import Inputs

# A cliff that depends on the number of elements alone is looked for from this many on.
MIN_VOLUME = 4096
# A dimension that may be this many times as long has no upper limit.
MAX_TIMES = 32

Test = Callable[[Point], bool]


@dataclass(frozen=True)
class Condition:
    """A predicate over inputs, and how a person would write it; `limit`: it says how long a dimension is at most."""

    words: str
    test: Test
    limit: bool = False


@dataclass(frozen=True)
class Family:
    """Inputs that are slow for one reason: those of which all conditions hold."""

    conditions: tuple[Condition, ...]

    @property
    def words(self) -> str:
        """ "axis is not the last, and data.shape[1] >= 64"."""
        return " and ".join(condition.words for condition in self.conditions) or "every input"

    def holds(self, point: Point) -> bool:
        """Whether an input is one of them."""
        return all(condition.test(point) for condition in self.conditions)

    def widened(self, point: Point) -> Family | None:
        """The family without the limits that a slow input refutes; None if it refutes more than limits."""
        refuted = [condition for condition in self.conditions if not condition.test(point)]
        if not refuted or not all(condition.limit for condition in refuted):
            return None
        return Family(tuple(condition for condition in self.conditions if condition not in refuted))


def generalised(judge: ContrastFinder, simplest: Contrast, pass_: PassName) -> Family:
    """Widens each coordinate of the simplest input by itself; what doesn't change anything is no condition."""
    least = max(judge.least * LENIENCE, math.sqrt(simplest.ratio))
    kinds = related_kinds(simplest.step.kind)

    def holds(point: Point) -> Contrast | None:
        # What fails by a disturbance would be a condition that isn't there.
        found = (judge.best(point, pass_, kinds, least=least, most=MAX_STEPS, count=count) for count in (2, 5))
        return next((one for one in found if one), None)

    def fades(point: Point) -> bool:
        return judge.net_ratio(point, pass_, kinds, MAX_STEPS) >= least

    def larger(point: Point) -> bool:
        return simplest.step.kind in SIZES and judge.scaled_ratio(point, simplest.fast, pass_) >= least

    widener = _Widener(judge, simplest.slow, holds, fades, larger)
    conditions = (*widener.axes(), *widener.params(), *widener.dtype(), *widener.sizes())
    return _told_apart(Family(tuple(condition for condition in conditions if condition)), simplest)


class _Widener:
    """Tries what else is slow, one coordinate at a time."""

    def __init__(self, judge: ContrastFinder, point: Point, holds: Holds, fades: Test, larger: Test) -> None:
        self._judge, self._point = judge, point
        self._holds, self._fades, self._larger = holds, fades, larger
        wider = with_axis(point.call)
        # Which end of the shape a dimension belongs to shows once there is one more axis in front.
        self._from_back = wider is not None and self._slow([wider]) is True

    def _named(self, place: Place) -> Place:
        """The dimension as conditions name it, in inputs of any rank."""
        name, number, axis = place
        if not self._from_back:
            return place
        return (
            name,
            number,
            axis - len(next(draft.shape for key, at, draft in drafts(self._point.call) if (key, at) == place[:2])),
        )

    def _made(self, calls: list[Inputs], dtype: str | None = None) -> Point | None:
        """The first of these that is a call."""
        made = self._judge.maker.make([(call, dtype or self._point.dtype) for call in calls])
        return next((one for one in made if one), None)

    def _slow(self, calls: list[Inputs], dtype: str | None = None) -> bool | None:
        """Whether the first of these that is a call is slow too; None if none is."""
        point = self._made(calls, dtype)
        if point is None or self._judge.trials.over or self._judge.trials.times(point) is None:
            return None
        return self._holds(point) is not None or (_elements(point) > _elements(self._point) and self._larger(point))

    def axes(self) -> list[Condition | None]:
        """Which axes: the last, any but the last, the first, or this one."""
        found: list[Condition | None] = []
        for name, listed in axes_given(self._point.call).items():
            if len(listed) != 1:
                found.append(_equal(name, self._point.call.params[name]))
                continue
            others = {
                axis: self._slow([with_axes(self._point.call, {name: (axis,)})])
                for axis in range(rank(self._point.call))
                if axis != listed[0]
            }
            found.append(_axis_condition(name, listed[0], others, rank(self._point.call), self._from_back))
        return found

    def params(self) -> list[Condition | None]:
        """Which values of each parameter that is given; of a number, perhaps all from it on."""
        found: list[Condition | None] = []
        for name, value in self._point.call.params.items():
            if is_axis(name):
                continue
            if type(value) is int and all(
                self._slow([with_param(self._point.call, name, value + add)]) for add in (1, 2)
            ):
                found.append(_at_least(name, value))
            else:
                found.append(_equal(name, value))
        return found

    def dtype(self) -> list[Condition | None]:
        """Which dtypes; none is named where all that can be tried are slow."""
        own = self._point.dtype
        tried = {
            dtype: self._slow([of_dtype(self._point.call, own, dtype)], dtype)
            for dtype in self._judge.maker.rule.dtypes or DTYPES
            if dtype != own
        }
        if all(slow is not False for slow in tried.values()):
            return [None]
        fast = tuple(dtype for dtype, slow in tried.items() if slow is False)
        if len(fast) == 1:
            return [Condition(f"dtype is not {fast[0]}", lambda point: point.dtype not in fast)]
        kept = (own, *(dtype for dtype, slow in tried.items() if slow))
        return [Condition(f"dtype is {' or '.join(kept)}", lambda point: point.dtype in kept)]

    def sizes(self) -> list[Condition | None]:
        """Volume, skew, or each dimension by itself."""
        call = self._point.call
        long = [place for place in self._free(call) if extent(call, place) > 1]
        if len(long) == 1 and (by_volume := self._volume(long[0])):
            return [by_volume]
        if len(long) == 1 and (by_skew := self._skew(long[0])):
            return [by_skew]
        return [self._dimension(place) for place in self._free(call)]

    def _free(self, call: Inputs) -> list[Place]:
        """Dimensions that aren't those of an earlier tensor over again."""
        found: list[Place] = []
        covered: set[Place] = set()
        for place in places(call):
            if place in covered:
                continue
            found.append(place)
            calls = resized(call, place, extent(call, place) + 1)
            made = self._judge.maker.make([(one, self._point.dtype) for one in calls])
            taken = next((one.call for one in made if one), call)
            covered |= {other for other in places(taken) if extent(taken, other) != extent(call, other)}
        return found

    def _volume(self, place: Place) -> Condition | None:
        """Whether any shape of as many elements will do: half of the dimension with 2 of another; not half of all."""
        call, size = self._point.call, extent(self._point.call, place)
        if rank(call) == 1 and (wide := with_axis(call)):
            place, call = (place[0], place[1], place[2] + 1), wide
        others = [other for other in places(call) if other[:2] == place[:2] and other != place]
        if size < MIN_VOLUME or size % 2 or not others or self._fading(place, call):
            return None
        aspects = [
            [grown for less in resized(call, place, here) for grown in resized(less, other, size // here)]
            for other in others
            for here in (2, size // 2)
        ]
        if not all(self._slow(calls) for calls in aspects):
            return None
        if not self._slow(resized(call, place, 2 * size)):
            return None
        return Condition(f"{size:,} elements or more", lambda point: _elements(point) >= size)

    def _skew(self, place: Place) -> Condition | None:
        """Whether another dimension that grows takes the reason away, unless this one grows as much."""
        call, size = self._point.call, extent(self._point.call, place)
        for other in places(call):
            if other[:2] != place[:2] or extent(call, other) != 1:
                continue
            alone = self._slow(resized(call, other, 2))
            both = self._slow([grown for wide in resized(call, other, 2) for grown in resized(wide, place, 2 * size)])
            if alone is False and both:
                return _skewed(self._named(place), self._named(other), size)
        return None

    def _dimension(self, place: Place) -> Condition | None:
        """A multiple, or from where to where; nothing if neither shorter nor longer ones take the reason away."""
        size, named = extent(self._point.call, place), self._named(place)
        highest = self._highest(place)
        odd = self._slow(self._kept_volume(place, 2 * size + 1)) if size > 1 else None
        if odd is False and highest > size:
            if self._slow(self._kept_volume(place, 3 * size)):
                words = f"{_spell(named)} is a multiple of {size:,}"
                return Condition(words, lambda point: _length(point, named) > 0 and _length(point, named) % size == 0)
            words = f"{_spell(named)} is {size:,} times a power of two"
            return Condition(words, lambda point: _is_power(_length(point, named), size))
        low = 0 if size == 1 or self._fading(place) else size
        high = math.inf if highest >= MAX_TIMES * size else highest
        return _between(_spell(named), low, high, lambda point: _length(point, named))

    def _highest(self, place: Place) -> int:
        """The longest that is slow, by doubling, as far as that can be told.

        The volume is kept where another dimension can give as much.
        """
        size = extent(self._point.call, place)
        for new in (size * 2**power for power in range(1, MAX_TIMES.bit_length())):
            slow = self._slow(self._kept_volume(place, new))
            if slow is not True:
                return int(new // 2 if slow is False else MAX_TIMES * size)
        return int(MAX_TIMES * size)

    def _kept_volume(self, place: Place, new: int) -> list[Inputs]:
        """The call with a dimension of another length, the longest other one shorter by as much if it can be."""
        call = self._point.call
        times = max(1, new // extent(call, place))
        others = [other for other in places(call) if other[:2] == place[:2] and other != place]
        longest = max(others, key=lambda other: extent(call, other), default=None)
        calls = resized(call, place, new)
        if longest is None or extent(call, longest) < 4 * times:
            return calls
        return [short for each in calls for short in resized(each, longest, extent(call, longest) // times)]

    def _fading(self, place: Place, call: Inputs | None = None) -> bool:
        """Whether half of it is slow too, as far as that can be told without a call's overhead: then it is no limit."""
        whole = call or self._point.call
        point = self._made(resized(whole, place, max(1, extent(whole, place) // 2)))
        return point is not None and self._fades(point)


def _between(name: str, low: float, high: float, length: Callable[[Point], float]) -> Condition | None:
    if low == high:
        return Condition(f"{name} == {low:,}", lambda point: length(point) == low, limit=True)
    parts = [f"{low:,} <= "] if low else []
    if high < math.inf:
        words = f"{''.join(parts)}{name} <= {high:,}"
        return Condition(words, lambda point: low <= length(point) <= high, limit=True)
    return Condition(f"{name} >= {low:,}", lambda point: length(point) >= low) if low else None


def _told_apart(family: Family, simplest: Contrast) -> Family:
    """A family that would hold of the fast input too gets what the two differ in."""
    if not family.holds(simplest.fast):
        return family
    slow, fast = simplest.slow.call, simplest.fast.call
    apart = list(_otherwise(simplest))
    for place in places(slow):
        here, there = extent(slow, place), _length(simplest.fast, place)
        if there and here > there:
            apart.append(_beyond(place, there))
        elif there and here < there:
            apart.append(_below(place, there))
    return Family((*family.conditions, *apart)) if places(fast) else family


def _otherwise(simplest: Contrast) -> Iterator[Condition]:
    """The dtype and the parameters, where those of the slow input aren't those of the fast one."""
    own, params = simplest.slow.dtype, simplest.slow.call.params
    if own != simplest.fast.dtype:
        yield Condition(f"dtype is {own}", lambda point: point.dtype == own)
    for name, value in params.items():
        if value != simplest.fast.call.params.get(name):
            yield _equal(name, value)


def _beyond(place: Place, limit: int) -> Condition:
    return Condition(f"{_spell(place)} > {limit:,}", lambda point: _length(point, place) > limit)


def _below(place: Place, limit: int) -> Condition:
    return Condition(f"{_spell(place)} < {limit:,}", lambda point: 0 < _length(point, place) < limit)


def _skewed(place: Place, other: Place, times: int) -> Condition:
    words = f"{_spell(place)} is {times:,} times {_spell(other)} or more"
    return Condition(words, lambda point: _ratio(point, place, other) >= times)


def _axis_condition(
    name: str, axis: int, others: dict[int, bool | None], most: int, from_back: bool = True
) -> Condition | None:
    """Of two axes the first may stand for itself or for all but the last; one more axis in front tells."""
    slow = {axis, *(other for other, found in others.items() if found)}
    fast = {other for other, found in others.items() if found is False}
    if not fast:
        return None
    last = most - 1
    if slow == {last} and most > 1:
        return Condition(f"{name} is the last", lambda point: _axis(point, name) == rank(point.call) - 1)
    if fast == {last} and (most > 2 or from_back):
        return Condition(
            f"{name} is not the last", lambda point: _axis(point, name) not in (math.inf, rank(point.call) - 1)
        )
    kept = tuple(sorted(slow))
    spelled = " or ".join(map(str, kept))
    return Condition(f"{name} is {spelled}", lambda point: _axis(point, name) in kept)


def _axis(point: Point, name: str) -> float:
    """The one axis that is named; infinitely far where there is none, or more than one."""
    listed = axes_given(point.call).get(name, ())
    return listed[0] if len(listed) == 1 else math.inf


def _equal(name: str, value: Value) -> Condition:
    return Condition(f"{name}={value}", lambda point: point.call.params.get(name) == value)


def _at_least(name: str, value: int) -> Condition:
    def test(point: Point) -> bool:
        given = point.call.params.get(name)
        return isinstance(given, int | float) and given >= value

    return Condition(f"{name} >= {value}", test)


def _spell(place: Place) -> str:
    """`data.shape[0]`; a negative axis counts from the back."""
    name, number, axis = place
    return f"{name}.shape[{axis}]" if number == 0 else f"{name}[{number}].shape[{axis}]"


def _length(point: Point, place: Place) -> int:
    """0 where there is no such dimension; a negative axis counts from the back."""
    name, number, axis = place
    given = point.call.tensors.get(name, ())
    listed = given if isinstance(given, tuple) else (given,)
    shape = listed[number].shape if number < len(listed) else ()
    return shape[axis] if -len(shape) <= axis < len(shape) else 0


def _ratio(point: Point, place: Place, other: Place) -> float:
    return _length(point, place) / max(_length(point, other), 1)


def _elements(point: Point) -> float:
    return max((math.prod(item.tensor.shape) for item in point.case.inputs), default=0)


def _is_power(length: int, size: int) -> bool:
    times, rest = divmod(length, size)
    return rest == 0 and times > 0 and times & (times - 1) == 0
