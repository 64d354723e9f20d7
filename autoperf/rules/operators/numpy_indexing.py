"""NumPy's indexing by arrays and masks, and its updates at points, as MXNet 2.0 has them."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from autoperf.core.tensors import Literal_, Shape
from autoperf.rules.derivatives import Derivative, arrays
from autoperf.rules.operators.indexing import GATHERED, coordinates, positions
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.strategies import shapes
from autoperf.strategies.arrays import patterns

WHOLE = ("int32", "int64")
MAX_WRITTEN = 2**16
"""Most elements that are written at points: MXNet locks each of them."""


def _mask(length: int, pattern: tuple[float, ...] = (1.0, 0.0)) -> Draft:
    return Draft((length,), "bool", Literal_(pattern))


@rule(
    "_npi_advanced_indexing",
    category="indexing",
    canonical={
        "small": inputs(data=tensor(32, 32), indices=positions((32,), 32)),
        "common": inputs(data=tensor(1000, 64), indices=positions((1024,), 1000)),
        "large": inputs(data=tensor(10_000, 128), indices=positions((8192,), 10_000)),
        "skewed": inputs(data=tensor(10_000, 1), indices=positions((10_000,), 10_000)),
        "mask": inputs(data=tensor(1000, 64), indices=_mask(1000)),
    },
    backward=Derivative(arrays("indices")),
)
def by_one(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Slices along the first axis, by whole numbers inside it, or by a mask that keeps one slice at least."""
    shape = draw(shapes(1, 4, spec.elements))
    if draw(st.booleans()):
        return inputs(data=Draft(shape), indices=_mask(shape[0], draw(patterns())))
    slices = max(1, spec.elements * shape[0] // math.prod(shape))
    places = positions(draw(shapes(1, 2, slices)), shape[0], draw(st.sampled_from(WHOLE)))
    return inputs(data=Draft(shape), indices=places)


@rule(
    "_npi_advanced_indexing_multiple", category="indexing", canonical=GATHERED, backward=Derivative(arrays("indices"))
)
def by_several(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """What lies at points given by (depth, *points) whole numbers, inside the first `depth` axes."""
    shape = draw(shapes(1, 4, spec.elements))
    indices, _ = draw(coordinates(shape, spec.elements, 2, WHOLE))
    return inputs(data=Draft(shape), indices=indices)


def _written(shape: Shape, count: int, depth: int) -> Inputs:
    """The call that writes at so many points of the first `depth` axes."""
    indices = positions((depth, count), min(shape[:depth]))
    return inputs(a=Draft(shape), ind=indices, val=Draft((count, *shape[depth:])))


@rule(
    *("_npx_index_add", "_npx_index_update"),
    category="indexing",
    canonical={
        "small": _written((32, 32), 256, 2),
        "common": _written((256, 256), 64, 1),
        "large": _written((1024, 1024), 64, 1),
        "skewed": _written((10_000, 10), 1000, 1),
    },
    backward=Derivative(arrays("ind")),
)
def write_at(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(depth, points) indices, and values in the shape of what lies there; each of their axes may be 1."""
    shape = draw(shapes(1, 4, spec.elements))
    indices, values = draw(coordinates(shape, min(spec.elements, MAX_WRITTEN), 1, WHOLE))
    val = tuple(1 if draw(st.integers(0, 3)) == 0 else extent for extent in values)
    return inputs(a=Draft(shape), ind=indices, val=Draft(val))
