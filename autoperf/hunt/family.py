"""Families: the conditions that slow inputs share and fast inputs lack, learned from labelled inputs."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from autoperf.core.operator import Operator, Value, is_axis
from autoperf.hunt.conditions import (
    PLACES,
    AxisIs,
    Condition,
    DtypeIs,
    MultipleOf,
    ParameterGiven,
    ParameterIs,
    PatternIs,
    Within,
    merged_limits,
)
from autoperf.hunt.contents import patterns_of
from autoperf.hunt.edits import axes_named
from autoperf.hunt.features import (
    Elements,
    Feature,
    Length,
    LengthAlong,
    LengthRatio,
    Rank,
    lengths,
    number_of,
    numbers,
)
from autoperf.hunt.point import Point

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
    tests = [_Tested.of(condition, examples) for condition in candidates]
    needed = examples.fast.index(contrast) if contrast in examples.fast else None
    best = _best(tests, _Tested.of_all(examples), needed)
    conditions = merged_limits(best.conditions)
    return Family(tuple(sorted(conditions, key=lambda each: contrast is not None and each.holds(contrast))))


@dataclass(frozen=True)
class _Tested:
    """Conditions, and the examples that meet them all: bit i of `slow` stands for slow input i."""

    conditions: tuple[Condition, ...]
    slow: int
    fast: int
    all_slow: int
    all_fast: int

    @classmethod
    def of(cls, condition: Condition, examples: LabelledInputs) -> _Tested:
        """A condition, with the examples that meet it."""
        slow, fast = (_bits(map(condition.holds, points)) for points in (examples.slow, examples.fast))
        return cls((condition,), slow, fast, len(examples.slow), len(examples.fast))

    @classmethod
    def of_all(cls, examples: LabelledInputs) -> _Tested:
        """No condition, which all examples meet."""
        slow, fast = len(examples.slow), len(examples.fast)
        return cls((), (1 << slow) - 1, (1 << fast) - 1, slow, fast)

    def and_also(self, other: _Tested) -> _Tested:
        """The conditions of both, with the examples that meet all."""
        conditions = (*self.conditions, *other.conditions)
        return replace(self, conditions=conditions, slow=self.slow & other.slow, fast=self.fast & other.fast)

    @property
    def cost(self) -> float:
        """The share of fast inputs kept, plus a multiple of the share of slow inputs lost, plus a cost by length."""
        lost = 1 - self.slow.bit_count() / max(self.all_slow, 1)
        return self.fast.bit_count() / self.all_fast + LOSS * lost + SIZE * len(self.conditions)

    def excludes(self, fast: int | None) -> bool:
        """Whether the fast input with this number fails the conditions."""
        return fast is None or not self.fast >> fast & 1


def _best(tests: Sequence[_Tested], start: _Tested, needed: int | None) -> _Tested:
    """The cheapest conjunction that excludes the fast input `needed`; ties go to earlier tests."""
    beam, best = [start], start
    for _ in range(MAX_CONDITIONS):
        wider = (known.and_also(test) for known in beam for test in tests if test.conditions[0] not in known.conditions)
        distinct = {(each.slow, each.fast): each for each in reversed(list(wider))}
        beam = heapq.nsmallest(BEAM, reversed(distinct.values()), key=lambda each: each.cost)
        fitting = (each for each in beam if each.excludes(needed))
        best = min((best, *fitting), key=lambda each: (not each.excludes(needed), each.cost))
    return best


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << number for number, flag in enumerate(flags) if flag)


@dataclass(frozen=True)
class LabelledInputs:
    """Inputs that are slow, and inputs that are fast or slow for another cause."""

    slow: tuple[Point, ...] = ()
    fast: tuple[Point, ...] = ()

    def __len__(self) -> int:
        """The number of inputs."""
        return len(self.slow) + len(self.fast)

    def has(self, point: Point) -> bool:
        """Whether an input is among them."""
        return any(known.key == point.key for known in (*self.slow, *self.fast))

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
    axes = _axes_with_defaults(operator, simplest, examples)
    conditions = (
        *_dtypes(simplest, examples),
        *_patterns(simplest, examples),
        *_axes(simplest, axes),
        *_parameters(operator, simplest, examples),
        *_left_parameters(operator, simplest, examples),
        *_sizes(simplest, examples, axes),
        *_multiples(simplest, examples),
    )
    return [condition for condition in dict.fromkeys(conditions) if condition.holds(simplest)]


def _axes_with_defaults(operator: Operator, simplest: Point, examples: LabelledInputs) -> dict[str, int | None]:
    names = (name for point in (simplest, *examples.slow, *examples.fast) for name in point.call.params)
    return {name: _default_axis(operator, name) for name in names if is_axis(name)}


def _default_axis(operator: Operator, name: str) -> int | None:
    known = operator.parameter(name)
    default = number_of(known.default) if known else None
    return None if default is None else int(default)


def _dtypes(simplest: Point, examples: LabelledInputs) -> Iterator[Condition]:
    slow = _names(examples.slow)
    fast = tuple(dtype for dtype in _names(examples.fast) if dtype not in slow)
    if fast:
        yield DtypeIs((simplest.dtype,), tuple(dict.fromkeys((*fast, *slow))))
        if len(fast) == 1:
            yield DtypeIs(fast, slow, negated=True)
        if len(slow) > 1:
            yield DtypeIs(slow, fast)


def _patterns(simplest: Point, examples: LabelledInputs) -> Iterator[Condition]:
    for tensor, own in patterns_of(simplest.call).items():
        slow, fast = (
            dict.fromkeys(patterns_of(point.call).get(tensor, "") for point in points)
            for points in (examples.slow, examples.fast)
        )
        others = tuple(pattern for pattern in fast if pattern and pattern not in slow)
        yield PatternIs(tensor, (own,), others)
        if len(slow) > 1:
            yield PatternIs(tensor, tuple(pattern for pattern in slow if pattern), others)


def _names(points: Iterable[Point]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(point.dtype for point in points))


def _axes(simplest: Point, axes: Mapping[str, int | None]) -> Iterator[Condition]:
    for name, default in axes.items():
        yield from (AxisIs(name, place, default) for place in PLACES)
        if listed := axes_named(simplest.call, name, default):
            yield AxisIs(name, listed, default)


def _parameters(operator: Operator, simplest: Point, examples: LabelledInputs) -> Iterator[Condition]:
    for name, value in simplest.call.params.items():
        if is_axis(name):
            continue
        known = operator.parameter(name)
        default = known.default if known else None
        yield ParameterGiven(name, value, default)
        for number in numbers(simplest, name, number_of(default)):
            yield from _limits(number, simplest, examples)
        yield ParameterIs(name, value)


def _left_parameters(operator: Operator, simplest: Point, examples: LabelledInputs) -> Iterator[Condition]:
    """Conditions that parameters given only in other inputs have their defaults."""
    others: dict[str, Value] = {}
    for point in (*examples.fast, *examples.slow):
        others = {**point.call.params, **others}
    for name, value in others.items():
        if not is_axis(name) and name not in simplest.call.params and value is not None:
            known = operator.parameter(name)
            yield ParameterGiven(name, value, known.default if known else None, negated=True)


def _sizes(simplest: Point, examples: LabelledInputs, axes: Mapping[str, int | None]) -> Iterator[Condition]:
    dimensions = lengths(simplest)
    along = [LengthAlong(name, default) for name, default in axes.items()]
    features: tuple[Feature, ...] = (*dimensions, *along, Elements(), Rank())
    for feature in features:
        yield from _limits(feature, simplest, examples)
    for longer in dimensions:
        for shorter in dimensions:
            ratio = LengthRatio(longer, shorter)
            if _same_tensor(longer, shorter) and (ratio.of(simplest) or 0) >= MIN_LENGTH_RATIO:
                limits = _limits(ratio, simplest, examples)
                yield from (each for each in limits if (each.low or 0) >= MIN_LENGTH_RATIO)
    yield from (Within(feature, feature.of(simplest), feature.of(simplest)) for feature in dimensions)


def _limits(feature: Feature, simplest: Point, examples: LabelledInputs) -> Iterator[Within]:
    """Limits at the extreme numbers of the slow inputs, and at the number of the simplest one.

    A limit has a fast input beyond it; otherwise it is only the edge of the inputs tried.
    """
    slow = sorted({number for point in (simplest, *examples.slow) if (number := feature.of(point)) is not None})
    mine = feature.of(simplest)
    if mine is None:
        return
    highs = (Within(feature, high=high) for high in (*reversed(slow[-LIMITS_TRIED:]), mine) if high >= mine)
    lows = (Within(feature, low=low) for low in (*slow[:LIMITS_TRIED], mine) if low <= mine)
    yield from (limit for limit in (*highs, *lows) if any(map(limit.is_beyond, examples.fast)))


def _multiples(simplest: Point, examples: LabelledInputs) -> Iterator[Condition]:
    for feature in lengths(simplest):
        slow = {round(number) for point in examples.slow if (number := feature.of(point)) is not None}
        if len(slow) < MIN_LENGTHS:
            continue
        own = round(feature.of(simplest) or 0)
        for number in (*MULTIPLES, math.gcd(*slow)):
            if number >= MIN_MULTIPLE and own % number == 0:
                yield MultipleOf(feature, number)
            elif number > 1 and own % number:
                yield MultipleOf(feature, number, negated=True)


def _same_tensor(first: Length, second: Length) -> bool:
    return first.axis != second.axis and (first.tensor, first.number) == (second.tensor, second.number)
