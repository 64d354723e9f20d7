"""All-pairs coverage: few inputs that have every pair of dtypes, parameters, places of axes and classes of lengths."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from autoperf.core.operator import Value
from autoperf.hunt.features import number_of
from autoperf.hunt.point import Point
from autoperf.hunt.tensors import axes_given, drafts, is_axis, rank

Property: TypeAlias = tuple[str, object]
Pair: TypeAlias = frozenset[Property]

# Lengths from the upper limits on are of the next class; elements are classed by powers of this.
LENGTHS = (1, 2, 16, 128, 1024)
ELEMENTS_BASE = 8
# Of a tensor, the first and the last two lengths are properties.
LAST_LENGTHS = 2


class PairCoverage:
    """The pairs of properties that the selected inputs have so far."""

    def __init__(self) -> None:
        self._covered: set[Pair] = set()
        self._parameters: set[str] = set()

    def selected(self, points: Sequence[Point]) -> Iterator[Point]:
        """The points that have new pairs; in each place the one that has the most of them (greedy)."""
        self._parameters |= {name for point in points for name in point.call.params}
        left = [(point, pairs(point, self._parameters)) for point in points]
        while left := [(point, new) for point, all_pairs in left if (new := all_pairs - self._covered)]:
            point, new = max(left, key=lambda each: len(each[1]))
            self._covered |= new
            yield point


def pairs(point: Point, parameters: Iterable[str]) -> set[Pair]:
    """Every pair of the point's properties; `parameters` that it doesn't give have their defaults."""
    return {frozenset(pair) for pair in combinations(properties(point, parameters), 2)}


def properties(point: Point, parameters: Iterable[str]) -> set[Property]:
    """What kernels choose their code by: the dtype, parameters, where axes lie, and classes of lengths."""
    return {
        ("dtype", point.dtype),
        ("rank", rank(point.call)),
        ("elements", _magnitude(point.work.elements)),
        *((name, _value_class(point, name)) for name in parameters),
        *_tensor_properties(point),
    }


def _tensor_properties(point: Point) -> Iterator[Property]:
    """Classes of a few lengths of each tensor, and how it is stored."""
    for name, number, draft in drafts(point.call):
        label = f"{name}[{number}]"
        yield f"{label} stored", draft.storage
        if draft.shape:
            yield f"{label} first", _length_class(draft.shape[0])
        for back, length in enumerate(reversed(draft.shape[-LAST_LENGTHS:]), 1):
            yield f"{label} -{back}", _length_class(length)


def _value_class(point: Point, name: str) -> object:
    """The class of a parameter's value; None where it isn't given."""
    value = point.call.params.get(name)
    if is_axis(name) and name in (listed := axes_given(point.call)):
        last = rank(point.call) - 1
        return frozenset("last" if axis == last else "first" if axis == 0 else "middle" for axis in listed[name])
    if isinstance(value, tuple):
        return tuple(_number_class(entry) for entry in value)
    return _number_class(value)


def _number_class(value: Value) -> object:
    """The sign and the magnitude of a number; any other value is a class of its own."""
    number = None if isinstance(value, str) else number_of(value)
    if number is None:
        return value
    return (math.copysign(1, number), min(3, math.ceil(abs(number)))) if number else 0


def _length_class(length: int) -> int:
    return sum(length > limit for limit in LENGTHS)


def _magnitude(elements: float) -> int:
    return round(math.log(max(elements, 1), ELEMENTS_BASE))
