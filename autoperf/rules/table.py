"""Canonical inputs by profile and shape, what tensors hold, and rules as tables of operators and their inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from math import prod
from typing import Any, TypeVar

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Distinct, Integers, Shape
from autoperf.rules.rule import Canonical, Contents, Draft, DrawFunction, Inputs, InputSpec, Rule, RuleFacts, rule
from autoperf.strategies import shapes
from autoperf.strategies.shapes import extents

T = TypeVar("T")


def by_profile(small: T, common: T, large: T, skewed: T, **more: T) -> dict[str, T]:
    """The sizes or calls of the usual profiles, in this order, and of further ones."""
    return {"small": small, "common": common, "large": large, "skewed": skewed, **more}


MATRIX_SHAPES: Mapping[str, Shape] = by_profile((32, 32), (256, 256), (1024, 1024), (10_000, 10))
MODEST_SHAPES: Mapping[str, Shape] = {**MATRIX_SHAPES, "large": (512, 512)}
"""The shapes for operators that take tens of milliseconds for a million elements."""
ELEMENTWISE_SHAPES: Mapping[str, Shape] = {**MATRIX_SHAPES, "skewed": (10_000, 1)}
"""The shapes for elementwise operators."""
IMAGE_SHAPES: Mapping[str, Shape] = by_profile((1, 4, 16, 16), (4, 16, 32, 32), (8, 64, 32, 32), (1, 1024, 8, 8))
"""(batch, channels, height, width)."""


def data_name(spec: InputSpec) -> str:
    """The name of the operator's first tensor: data, a, x, arr, input, ..."""
    return spec.operator.tensors[0].name


def of_one(spec: InputSpec, shape: Shape, /, **params: Value) -> Inputs:
    """The call with a first tensor of this shape, and these parameters."""
    return Inputs({data_name(spec): Draft(shape)}, params)


def of_several(spec: InputSpec, several: list[Shape], /, **params: Value) -> Inputs:
    """The call with a list of tensors of these shapes, and these parameters."""
    return Inputs({data_name(spec): tuple(Draft(shape) for shape in several)}, params)


def where_known(spec: InputSpec, /, **params: Value) -> dict[str, Value]:
    """The parameters that this release's operator has: later modes are not drawn for earlier releases."""
    return {name: value for name, value in params.items() if spec.operator.parameter(name)}


def drawn_size(draw: st.DrawFn, sizes: Iterable[Shape], elements: int) -> Shape:
    """A size whose extents lie between the smallest and the largest of these, with a product within the limit."""
    bounds = [(min(extent), max(extent)) for extent in zip(*sizes, strict=True)]
    size: list[int] = []
    budget = elements // prod(low for low, _ in bounds)
    for low, high in bounds:
        size.append(draw(extents(low, max(low, min(high, low * budget)))))
        budget = max(1, budget * low // size[-1])
    return tuple(size)


def sized(
    build: Callable[[InputSpec, T], Inputs], profiles: Mapping[str, T], also: Mapping[str, Inputs] | None = None
) -> Canonical:
    """Canonical inputs: the calls that `build` makes of each profile's size, and further ones."""

    def canonical(spec: InputSpec) -> Mapping[str, Inputs]:
        return {**{profile: build(spec, size) for profile, size in profiles.items()}, **(also or {})}

    return canonical


def at_shapes(profiles: Mapping[str, Shape], also: Mapping[str, Inputs] | None = None, /, **params: Value) -> Canonical:
    """Canonical inputs: a first tensor of each profile's shape with these parameters, and further inputs by profile."""
    return sized(lambda spec, shape: of_one(spec, shape, **params), profiles, also)


def unpacked(build: Callable[..., Inputs]) -> Callable[[InputSpec, tuple[Any, ...]], Inputs]:
    """The function for sizes of several parts, which `build` takes as separate arguments."""
    return lambda spec, size: build(spec, *size)


@dataclass(frozen=True)
class SampleInputs:
    """A source of valid inputs: canonical ones by profile, drawn ones, and what the tensors of both hold."""

    canonical: Canonical
    drawn: DrawFunction
    contents: Contents | Mapping[str, AnyContent] | None = None


@dataclass(frozen=True)
class Row(RuleFacts):
    """Operators with a common source of inputs; `why` states the constraint. Other fields are those of `Rule`.

    Without a `category`, a row has its table's; without `contents`, those that its inputs state, if they do.
    """

    names: tuple[str, ...]
    inputs: SampleInputs
    why: str
    category: str = ""
    contents: Contents | Mapping[str, AnyContent] | None = field(default=None, kw_only=True)


def table(module: str, category: str, **rows: Row) -> tuple[Rule, ...]:
    """The rules of these rows, whose default is this category: `RULES = table(__name__, "power", roots=Row(...))`."""
    return tuple(_rule(module, name, row, row.category or category) for name, row in rows.items())


def _rule(module: str, name: str, row: Row, category: str) -> Rule:
    def drawn(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        return row.inputs.drawn(draw, spec)

    drawn.__module__, drawn.__name__, drawn.__doc__ = module, name, row.why
    facts = {each.name: getattr(row, each.name) for each in fields(RuleFacts)}
    contents = row.contents or row.inputs.contents
    return rule(*row.names, category=category, canonical=row.inputs.canonical, contents=contents, **facts)(drawn)


def named(pattern: str, *names: str) -> tuple[str, ...]:
    """The pattern with each name in place of the asterisk: `named("_npi_*_scalar", "add", "power")`."""
    return tuple(pattern.replace("*", name) for name in names)


def of_size(
    build: Callable[[InputSpec, T], Inputs],
    profiles: Mapping[str, T],
    sizes: Callable[[InputSpec], st.SearchStrategy[T]],
    contents: Contents | Mapping[str, AnyContent] | None = None,
) -> SampleInputs:
    """Inputs that `build` makes of a size: the size of each profile, or one that `sizes` draws."""

    def drawn(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        return build(spec, draw(sizes(spec)))

    return SampleInputs(sized(build, profiles), drawn, contents)


def of_shape(
    build: Callable[[InputSpec, Shape], Inputs],
    profiles: Mapping[str, Shape] = MATRIX_SHAPES,
    ranks: tuple[int, int] = (1, 4),
    contents: Contents | Mapping[str, AnyContent] | None = None,
) -> SampleInputs:
    """Inputs that follow from one shape; drawn shapes have a rank between these two."""
    return of_size(build, profiles, lambda spec: shapes(*ranks, spec.elements), contents)


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
