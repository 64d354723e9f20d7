"""Inputs of elementwise operators: tensors of one shape, two that broadcast, one and a number; and their domains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Integers, Mask, Shape, Uniform
from autoperf.rules.profiles import ELEMENTWISE_SHAPES, sized
from autoperf.rules.rule import Canonical, Draft, Inputs, InputSpec
from autoperf.strategies import broadcast_pairs, shapes

PAIRS: Mapping[str, tuple[Shape, Shape]] = {
    "small": ((32, 32), (32, 32)),
    "common": ((256, 256), (1, 256)),
    "large": ((1024, 1024), (1024, 1)),
    "skewed": ((10_000, 1), (10_000, 10)),
}
REAL = Uniform(-1.0, 1.0)
POSITIVE = Uniform(0.1, 2.0)
OPEN_UNIT = Uniform(-0.9, 0.9)
TRUTH = Mask()
FEW = Integers(0, 4)
"""Few distinct numbers, so that some are equal."""
COUNTS = Integers(1, 100)
SHIFTS = Integers(0, 8)
"""Fewer bits than any dtype has."""
EXPONENTS = Uniform(-4.0, 4.0)
"""Of two."""

LOGICAL = ("logical_and", "logical_or", "logical_xor")
_ORDERS = ("equal", "not_equal", "greater", "greater_equal")
COMPARISONS = (*_ORDERS, "lesser", "lesser_equal")
NUMPY_COMPARISONS = (*_ORDERS, "less", "less_equal")


def in_both_namespaces(*names: str) -> tuple[str, ...]:
    """The names in nd, and in the NumPy namespace."""
    return (*names, *(f"_npi_{name}" for name in names))


def suited(content: AnyContent | None, dtype: str) -> AnyContent | None:
    """`content`, or whole numbers from 1 on where a range of fractions would collapse to zeros in an integer dtype."""
    if isinstance(content, Uniform) and not dtype.startswith(("float", "bfloat")):
        return Mask(1.0) if dtype == "bool" else Integers(1, 8)
    return content


def drafts(spec: InputSpec, shapes_: tuple[Shape, ...], contents: tuple[AnyContent, ...]) -> dict[str, Draft]:
    """A draft for each tensor of the operator, by whatever name it has; the last shape and content repeat."""
    by_name = {}
    for index, argument in enumerate(spec.operator.tensors):
        shape = shapes_[min(index, len(shapes_) - 1)]
        by_name[argument.name] = Draft(shape, content=suited(contents[min(index, len(contents) - 1)], spec.dtype))
    return by_name


@dataclass(frozen=True)
class SameShape:
    """Tensors of one shape; `contents` in the order of the tensors, the last one for all that follow."""

    contents: tuple[AnyContent, ...]

    def inputs(self, spec: InputSpec, shape: Shape, params: Mapping[str, Value] | None = None) -> Inputs:
        """One call with tensors of this shape."""
        tensors: dict[str, Draft | tuple[Draft, ...]] = {**drafts(spec, (shape,), self.contents)}
        return Inputs(tensors, dict(params or {}))

    def canonical(self, spec: InputSpec, /) -> Mapping[str, Inputs]:
        """The four profiles, without parameters."""
        return sized(self.inputs, ELEMENTWISE_SHAPES)(spec)

    def drawn(self, draw: st.DrawFn, spec: InputSpec, /, params: Mapping[str, Value] | None = None) -> Inputs:
        """Any shape of one to four dimensions."""
        return self.inputs(spec, draw(shapes(1, 4, spec.elements)), params)

    def with_params(self, **params: Value) -> Canonical:
        """The four profiles, each with these parameters."""
        return sized(lambda spec, shape: self.inputs(spec, shape, params), ELEMENTWISE_SHAPES)


@dataclass(frozen=True)
class Broadcast:
    """Two tensors that broadcast; `contents` of the left one and of the right one, or one for both."""

    contents: tuple[AnyContent, ...]

    def inputs(self, spec: InputSpec, pair: tuple[Shape, Shape]) -> Inputs:
        """One call with tensors of these shapes."""
        return Inputs({**drafts(spec, pair, self.contents)})

    def canonical(self, spec: InputSpec, /) -> Mapping[str, Inputs]:
        """The four profiles: equal shapes, a row, a column, and a long column against a matrix."""
        return sized(self.inputs, PAIRS)(spec)

    def drawn(self, draw: st.DrawFn, spec: InputSpec, /) -> Inputs:
        """Every pattern of broadcasting; leading ones may be left out, as NumPy allows."""
        left, right = draw(broadcast_pairs(4, spec.elements))
        if draw(st.booleans()):
            right = without_leading_ones(right)
        return self.inputs(spec, (left, right))


@dataclass(frozen=True)
class WithScalar:
    """A tensor with contents of one domain, and numbers on [low, high]; `whole` where a fraction means nothing."""

    content: AnyContent
    low: int = -4
    high: int = 4
    whole: bool = False

    def canonical(self, spec: InputSpec, /) -> Mapping[str, Inputs]:
        """The four profiles, with the largest number."""
        return self._data.with_params(**self._params(float(self.high), self.whole))(spec)

    def drawn(self, draw: st.DrawFn, spec: InputSpec, /) -> Inputs:
        """Any shape; a whole number or a fraction of eighths, as the front end would pass it (`is_int`)."""
        is_int = self.whole or draw(st.booleans())
        steps = 1 if is_int else 8
        number = draw(st.integers(self.low * steps, self.high * steps)) / steps
        return self._data.drawn(draw, spec, self._params(number, is_int))

    @property
    def _data(self) -> SameShape:
        return SameShape((self.content,))

    @staticmethod
    def _params(number: float, is_int: bool) -> dict[str, Value]:
        return {"scalar": number, "is_int": is_int}


def without_leading_ones(shape: Shape) -> Shape:
    """The same shape as NumPy's broadcasting reads it, of one dimension at least."""
    start = next((index for index, extent in enumerate(shape) if extent != 1), len(shape) - 1)
    return shape[start:]
