"""What tensors hold, as rules state it: numbers within an axis of another tensor; and who takes NaN."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from autoperf.core.case import Case
from autoperf.core.tensors import AnyContent, Distinct, Integers

TAKES_NAN = frozenset(
    f"_npi_{name}" for name in ("nan_to_num", "isnan", "isinf", "isposinf", "isneginf", "isfinite")
) | {"nansum", "nanprod"}
"""Registered names of operators that take NaN; others may read it as an index, or never end a search for it."""


def below(count: int) -> Integers:
    """Whole numbers on [0, count): indices, classes."""
    return Integers(0, max(1, count))


def up_to(longest: int, least: int = 1) -> Integers:
    """Lengths from `least` to `longest`."""
    return Integers(min(least, longest), max(1, longest) + 1)


def ascending(count: int) -> Distinct:
    """Different whole numbers on [0, count), ascending."""
    return Distinct(count, ordered=True)


def extent(case: Case, name: str, axis: int | None, parameter: str = "axis") -> int:
    """The length of a tensor along the axis of a parameter, by default `axis`; None is the flattened tensor."""
    shape, chosen = case.shape(name), case.params.get(parameter, axis)
    return math.prod(shape) if chosen in (None, "None") else shape[int(str(chosen))]


def first_of(content: AnyContent) -> Callable[[Case], Mapping[str, AnyContent]]:
    """The content of the first tensor, whatever its name."""
    return lambda case: {case.inputs[0].name: content} if case.inputs else {}
