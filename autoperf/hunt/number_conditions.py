"""Conditions on numbers: limits and multiples of lengths, elements, ratios and parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autoperf.hunt.conditions import Condition
from autoperf.hunt.features import Elements, Feature, LengthRatio, Rank
from autoperf.hunt.point import Point, TypedCall

# A number that lies beyond a limit is drawn up to this many times beyond it.
MAX_BEYOND = 8


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
