"""Variations of a slow input, one coordinate at a time, which show what its slowness depends on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autoperf.core.operator import Form, Operator, Value
from autoperf.hunt.point import Point, TypedCall
from autoperf.hunt.tensors import (
    Dimension,
    axes_given,
    dimensions,
    extent,
    is_axis,
    of_dtype,
    rank,
    resized,
    with_axes,
    with_axis,
    with_param,
    without,
)
from autoperf.rules.rule import Inputs

# Of a choice among many values, so many are tried.
MAX_CHOICES = 3


@dataclass(frozen=True)
class Variation:
    """One coordinate with another value: alternative calls, of which the first that inference accepts is used."""

    coordinate: str
    calls: tuple[TypedCall, ...]


def variations(point: Point, operator: Operator, dtypes: Sequence[str]) -> Iterator[Variation]:
    """Every variation, axes and parameters first."""
    for coordinate, calls in (*_axes(point.call), *_params(point.call, operator), *_sizes(point.call)):
        yield Variation(coordinate, tuple((call, point.dtype) for call in calls))
    for dtype in dtypes:
        if dtype != point.dtype:
            yield Variation("dtype", ((of_dtype(point.call, point.dtype, dtype), dtype),))


def _axes(call: Inputs) -> Iterator[tuple[str, list[Inputs]]]:
    """Each other axis, with one more dimension too, to distinguish the last axis from the second."""
    for wide in (call, with_axis(call)):
        for name, listed in axes_given(wide).items() if wide else ():
            for axis in range(rank(wide)) if wide else ():
                if wide and (axis,) != listed:
                    yield name, [with_axes(wide, {name: (axis,)})]


def _params(call: Inputs, operator: Operator) -> Iterator[tuple[str, list[Inputs]]]:
    for name, value in call.params.items():
        if is_axis(name):
            continue
        yield name, [without(call, name)]
        for other in other_values(operator, name, value):
            yield name, [with_param(call, name, other)]


def other_values(operator: Operator, name: str, value: Value) -> Sequence[Value]:
    """Other values of a parameter: neighbours, multiples and the reverse; of a tuple, with one entry changed."""
    known = operator.parameter(name)
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str) and known and known.type.form is Form.ENUM:
        return [choice for choice in known.type.choices if choice != value][:MAX_CHOICES]
    if type(value) is int:
        return [value + 1, 2 * value + 2, 1, *([value - 1, value // 2] if value > 1 else [])]
    if isinstance(value, float):
        return [2 * value + 1, value / 2, -value]
    if isinstance(value, tuple):
        return [
            (*value[:at], other, *value[at + 1 :])
            for at, entry in enumerate(value)
            if type(entry) is int
            for other in ((1, entry + 1, 2 * entry) if entry > 1 else (entry + 1, 4 * entry + 4))
        ]
    return []


def _sizes(call: Inputs) -> Iterator[tuple[str, list[Inputs]]]:
    """Each length shorter, longer and odd, alone and with the longest other dimension in proportion; one axis more."""
    for dimension in dimensions(call):
        for new in _lengths(extent(call, dimension)):
            yield f"{dimension}", resized(call, dimension, new)
            if kept := _kept_volume(call, dimension, new):
                yield f"{dimension}", kept
    if wider := with_axis(call):
        yield "rank", [wider]
        yield from _folded(wider)


def _folded(wider: Inputs) -> Iterator[tuple[str, list[Inputs]]]:
    """The call with a new first dimension that takes a part of the next one: as many elements in another shape."""
    for name, number, axis in dimensions(wider):
        second = (name, number, 1)
        old = extent(wider, second) if axis == 0 and second in dimensions(wider) else 1
        for new in (new for new in (2, 32, old // 2) if 1 < new < old):
            taller = resized(wider, (name, number, 0), new)
            yield "rank", [both for each in taller for both in resized(each, second, old // new)]


def _lengths(old: int) -> list[int]:
    return [new for new in dict.fromkeys((1, old // 2, old - 1, old + 1, 2 * old, 3 * old, 4 * old)) if new > 0 != old]


def _kept_volume(call: Inputs, dimension: Dimension, new: int) -> list[Inputs]:
    """The call with a new length, and about as many elements; empty where no other dimension allows that."""
    old = extent(call, dimension)
    others = [other for other in dimensions(call) if other[:2] == dimension[:2] and other != dimension]
    longest = max(others, key=lambda other: extent(call, other), default=None)
    if longest is None or new == old:
        return []
    length = round(extent(call, longest) * old / new)
    if length < 1 or length == extent(call, longest):
        return []
    return [both for each in resized(call, dimension, new) for both in resized(each, longest, length)]
