"""What elementwise rules share: tensors of one shape, tensors that broadcast, and the domains they are filled from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Integers, Mask, Shape, Uniform
from autoperf.rules.rule import PROFILES, Brief, Draft, Inputs
from autoperf.strategies import broadcast_pairs, shapes

SHAPES = dict(zip(PROFILES, ((32, 32), (256, 256), (1024, 1024), (10_000, 1)), strict=True))
PAIRS = dict(
    zip(
        PROFILES,
        (((32, 32), (32, 32)), ((256, 256), (1, 256)), ((1024, 1024), (1024, 1)), ((10_000, 1), (10_000, 10))),
        strict=True,
    )
)
REAL = Uniform(-1.0, 1.0)
POSITIVE = Uniform(0.1, 2.0)
OPEN_UNIT = Uniform(-0.9, 0.9)
TRUTH = Mask()
FEW = Integers(0, 4)
COUNTS = Integers(1, 100)


def twins(*names: str) -> tuple[str, ...]:
    """The nd names and their twins of the NumPy namespace."""
    return (*names, *(f"_npi_{name}" for name in names))


def suited(content: AnyContent | None, dtype: str) -> AnyContent | None:
    """`content`, or whole numbers from 1 on where a range of fractions would collapse to zeros in an integer dtype."""
    if isinstance(content, Uniform) and not dtype.startswith(("float", "bfloat")):
        return Mask(1.0) if dtype == "bool" else Integers(1, 8)
    return content


def drafts(brief: Brief, shapes_: tuple[Shape, ...], contents: tuple[AnyContent, ...]) -> dict[str, Draft]:
    """A draft for each tensor of the operator, by whatever name it has; the last shape and content go on and on."""
    found = {}
    for index, argument in enumerate(brief.operator.tensors):
        shape = shapes_[min(index, len(shapes_) - 1)]
        found[argument.name] = Draft(shape, content=suited(contents[min(index, len(contents) - 1)], brief.dtype))
    return found


@dataclass(frozen=True)
class Alike:
    """Tensors of one shape; `contents` in the order of the tensors, the last one for all that follow."""

    contents: tuple[AnyContent, ...] = (REAL,)

    def inputs(self, brief: Brief, shape: Shape, params: Mapping[str, Value] | None = None) -> Inputs:
        """One call with tensors of this shape."""
        tensors: dict[str, Draft | tuple[Draft, ...]] = {**drafts(brief, (shape,), self.contents)}
        return Inputs(tensors, dict(params or {}))

    def canonical(self, brief: Brief) -> Mapping[str, Inputs]:
        """The four profiles, without parameters."""
        return {profile: self.inputs(brief, shape) for profile, shape in SHAPES.items()}

    def drawn(self, draw: st.DrawFn, brief: Brief, params: Mapping[str, Value] | None = None) -> Inputs:
        """Any shape of one to four dimensions."""
        return self.inputs(brief, draw(shapes(1, 4, brief.elements)), params)


@dataclass(frozen=True)
class Broadcast:
    """Two tensors that broadcast; `contents` of the left one and of the right one, or one for both."""

    contents: tuple[AnyContent, ...] = (REAL,)

    def inputs(self, brief: Brief, left: Shape, right: Shape) -> Inputs:
        """One call with tensors of these shapes."""
        return Inputs({**drafts(brief, (left, right), self.contents)})

    def canonical(self, brief: Brief) -> Mapping[str, Inputs]:
        """The four profiles: equal shapes, a row, a column, and a long column against a matrix."""
        return {profile: self.inputs(brief, *pair) for profile, pair in PAIRS.items()}

    def drawn(self, draw: st.DrawFn, brief: Brief) -> Inputs:
        """Every pattern of broadcasting; leading ones may be left out, as NumPy allows."""
        left, right = draw(broadcast_pairs(4, brief.elements))
        if draw(st.booleans()):
            right = without_leading_ones(right)
        return self.inputs(brief, left, right)


def without_leading_ones(shape: Shape) -> Shape:
    """The same shape as NumPy's broadcasting reads it, of one dimension at least."""
    start = next((index for index, extent in enumerate(shape) if extent != 1), len(shape) - 1)
    return shape[start:]
