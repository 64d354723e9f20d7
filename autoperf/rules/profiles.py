"""Canonical shapes by profile, for rules whose inputs follow from one shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.rules.rule import PROFILES, Brief, Canonical, Draft, Inputs

SHAPES: Mapping[str, Shape] = dict(zip(PROFILES, ((32, 32), (256, 256), (1024, 1024), (10_000, 10)), strict=True))
MODEST: Mapping[str, Shape] = {**SHAPES, "large": (512, 512)}
"""For operators that take tens of milliseconds for a million elements."""
IMAGES: Mapping[str, Shape] = dict(
    zip(PROFILES, ((1, 4, 16, 16), (4, 16, 32, 32), (8, 64, 32, 32), (1, 1024, 8, 8)), strict=True)
)


def data_name(brief: Brief) -> str:
    """What the operator calls its first tensor: data, a, x, arr, input, ..."""
    return brief.operator.tensors[0].name


def of_one(brief: Brief, shape: Shape, /, **params: Value) -> Inputs:
    """The call with a first tensor of this shape, and these parameters."""
    return Inputs({data_name(brief): Draft(shape)}, params)


def of_several(brief: Brief, several: list[Shape], /, **params: Value) -> Inputs:
    """The call with a list of tensors of these shapes, and these parameters."""
    return Inputs({data_name(brief): tuple(Draft(shape) for shape in several)}, params)


def where_known(brief: Brief, /, **params: Value) -> dict[str, Value]:
    """Those of the parameters that this release's operator has: a mode that came later is not drawn before."""
    return {name: value for name, value in params.items() if brief.operator.parameter(name)}


def sized(build: Callable[[Brief, Shape], Inputs], shapes: Mapping[str, Shape] = SHAPES) -> Canonical:
    """Canonical inputs: what `build` makes of each profile's shape."""

    def canonical(brief: Brief) -> Mapping[str, Inputs]:
        return {profile: build(brief, shape) for profile, shape in shapes.items()}

    return canonical
