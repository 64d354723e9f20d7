"""The shapes of the profiles, and canonical inputs of these shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import Any, TypeVar

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.rules.rule import Canonical, Draft, Inputs, InputSpec
from autoperf.strategies.shapes import extents

T = TypeVar("T")

MATRIX_SHAPES: Mapping[str, Shape] = {
    "small": (32, 32),
    "common": (256, 256),
    "large": (1024, 1024),
    "skewed": (10_000, 10),
}
MODEST_SHAPES: Mapping[str, Shape] = {**MATRIX_SHAPES, "large": (512, 512)}
"""For operators that take tens of milliseconds for a million elements."""
ELEMENTWISE_SHAPES: Mapping[str, Shape] = {**MATRIX_SHAPES, "skewed": (10_000, 1)}
"""For elementwise operators."""
IMAGE_SHAPES: Mapping[str, Shape] = {
    "small": (1, 4, 16, 16),
    "common": (4, 16, 32, 32),
    "large": (8, 64, 32, 32),
    "skewed": (1, 1024, 8, 8),
}
"""(batch, channels, height, width)."""


def data_name(spec: InputSpec) -> str:
    """What the operator calls its first tensor: data, a, x, arr, input, ..."""
    return spec.operator.tensors[0].name


def of_one(spec: InputSpec, shape: Shape, /, **params: Value) -> Inputs:
    """The call with a first tensor of this shape, and these parameters."""
    return Inputs({data_name(spec): Draft(shape)}, params)


def of_several(spec: InputSpec, several: list[Shape], /, **params: Value) -> Inputs:
    """The call with a list of tensors of these shapes, and these parameters."""
    return Inputs({data_name(spec): tuple(Draft(shape) for shape in several)}, params)


def where_known(spec: InputSpec, /, **params: Value) -> dict[str, Value]:
    """Those of the parameters that this release's operator has: a mode that came later is not drawn before."""
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
    """Canonical inputs: what `build` makes of each profile's size, and others that stand for themselves."""

    def canonical(spec: InputSpec) -> Mapping[str, Inputs]:
        return {**{profile: build(spec, size) for profile, size in profiles.items()}, **(also or {})}

    return canonical


def unpacked(build: Callable[..., Inputs]) -> Callable[[InputSpec, tuple[Any, ...]], Inputs]:
    """For sizes of several parts: `build` takes them one by one."""
    return lambda spec, size: build(spec, *size)
