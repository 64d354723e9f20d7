"""The conditions that may explain why some inputs are slow: all relations that the simplest slow input meets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from autoperf.core.operator import Operator, Value
from autoperf.hunt.axis_conditions import AxisIs, AxisPlace
from autoperf.hunt.conditions import Condition, DtypeIs
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
from autoperf.hunt.labelled_inputs import LabelledInputs
from autoperf.hunt.number_conditions import MultipleOf, Within
from autoperf.hunt.parameter_conditions import ParameterGiven, ParameterIs, ParameterLeft
from autoperf.hunt.point import Point
from autoperf.hunt.tensors import axes_named, is_axis

# Limits are taken from the least and the largest numbers of the slow inputs; a few of each, since one may be wrong.
LIMITS_TRIED = 3
# Multiples of so few different lengths prove nothing, and multiples of less are common.
MIN_LENGTHS = 3
MIN_MULTIPLE = 4
MULTIPLES = (2, 4, 8, 16, 32, 64, 128, 256)
# A dimension is named as so many times another one from this ratio on.
MIN_LENGTH_RATIO = 16


def candidate_conditions(operator: Operator, simplest: Point, examples: LabelledInputs) -> list[Condition]:
    """Every condition that the simplest input meets, the plainest first."""
    axes = _axes_with_defaults(operator, simplest, examples)
    conditions = (
        *_dtypes(simplest, examples),
        *_axes(simplest, axes),
        *_parameters(operator, simplest, examples),
        *_left_parameters(operator, simplest, examples),
        *_sizes(simplest, examples, axes),
        *_multiples(simplest, examples),
    )
    return [condition for condition in dict.fromkeys(conditions) if condition.holds(simplest)]


def _axes_with_defaults(operator: Operator, simplest: Point, examples: LabelledInputs) -> dict[str, int | None]:
    """The parameters of single axes in any of the inputs, each with its default."""
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


def _names(points: Iterable[Point]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(point.dtype for point in points))


def _axes(simplest: Point, axes: Mapping[str, int | None]) -> Iterator[Condition]:
    for name, default in axes.items():
        yield from (AxisPlace(name, place, default) for place in ("not last", "last", "not first", "first"))
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
    """Defaults of the parameters that only other inputs have."""
    others: dict[str, Value] = {}
    for point in (*examples.fast, *examples.slow):
        others = {**point.call.params, **others}
    for name, value in others.items():
        if not is_axis(name) and name not in simplest.call.params and value is not None:
            known = operator.parameter(name)
            yield ParameterLeft(name, value, known.default if known else None)


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
                yield Within(ratio, low=ratio.of(simplest))
    yield from (Within(feature, feature.of(simplest), feature.of(simplest)) for feature in dimensions)


def _limits(feature: Feature, simplest: Point, examples: LabelledInputs) -> Iterator[Condition]:
    """Limits at the extreme numbers of the slow inputs, the number of the simplest one among them."""
    slow = sorted({number for point in (simplest, *examples.slow) if (number := feature.of(point)) is not None})
    mine = feature.of(simplest)
    if mine is None:
        return
    yield from (Within(feature, high=high) for high in (*reversed(slow[-LIMITS_TRIED:]), mine) if high >= mine)
    yield from (Within(feature, low=low) for low in (*slow[:LIMITS_TRIED], mine) if low <= mine)


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
