"""Operators that repeat an array's elements, or the array, or an axis of size 1."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from autoperf.core.tensors import Shape
from autoperf.rules.derivatives import LINEAR, Derivative
from autoperf.rules.profiles import MATRIX_SHAPES, of_one, sized, unpacked
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.strategies import axes, axis_sets, extents, shapes
from autoperf.strategies.arrays import multiples, signed_axes, widened

MAX_TILED = 2
"""The gradient of tile reduces over at most five groups of axes."""
HALF: Mapping[str, Shape] = {"small": (32, 16), "common": (256, 128), "large": (512, 512), "skewed": (10_000, 5)}
GROWING: Mapping[str, tuple[Shape, Shape]] = {
    "small": ((32, 1), (32, 32)),
    "common": ((256, 1), (256, 256)),
    "large": ((1024, 1), (1024, 1024)),
    "skewed": ((1, 10), (10_000, 10)),
}
"""A shape, and the one that it grows to."""


@rule(
    *("repeat", "_np_repeat"),
    category="expanding",
    canonical=sized(lambda spec, shape: of_one(spec, shape, repeats=2, axis=1), HALF),
    backward=LINEAR,
)
def repeat(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Each element several times along an axis, or (axis None) in a flat array."""
    repeats = draw(st.integers(1, min(16, spec.elements)))
    shape = draw(shapes(1, 4, spec.elements // repeats))
    return of_one(spec, shape, repeats=repeats, axis=draw(st.one_of(st.none(), signed_axes(len(shape)))))


@rule(
    *("tile",),
    category="expanding",
    canonical=sized(lambda spec, shape: of_one(spec, shape, reps=(1, 2)), HALF),
    backward=LINEAR,
)
def tile(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The array several times along each axis; fewer numbers than axes apply to the last axes, more add axes."""
    rank = draw(st.integers(1, 4))
    shape, times = draw(multiples(spec.elements, rank, MAX_TILED))
    ones = next((place for place, extent in enumerate(shape) if extent != 1), rank - 1)
    plain = next((place for place, count in enumerate(times) if count != 1), rank - 1)
    way = draw(st.sampled_from(("all", "last", "more")))
    if way == "last":
        return of_one(spec, shape, reps=times[plain:])
    return of_one(spec, shape[ones:] if way == "more" else shape, reps=times)


@rule(
    *("broadcast_to", "_npi_broadcast_to", "_np_broadcast_to"),
    category="expanding",
    canonical=sized(unpacked(lambda spec, narrow, wide: of_one(spec, narrow, shape=wide)), GROWING),
    backward=LINEAR,
)
def broadcast_to(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Axes of size 1 grow to a shape of the same rank."""
    narrow, wide = draw(widened(spec.elements))
    return of_one(spec, narrow, shape=wide)


@rule(
    "broadcast_axis",
    category="expanding",
    canonical=sized(lambda spec, shape: of_one(spec, (shape[0], 1), axis=(1,), size=(shape[1],)), MATRIX_SHAPES),
    backward=LINEAR,
)
def broadcast_axis(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Some axes, which must have size 1, and the sizes they grow to."""
    wide = draw(shapes(1, 4, spec.elements))
    chosen = draw(axis_sets(len(wide)))
    narrow = tuple(1 if axis in chosen else extent for axis, extent in enumerate(wide))
    return of_one(spec, narrow, axis=chosen, size=tuple(wide[axis] for axis in chosen))


@rule(
    "broadcast_like",
    category="expanding",
    canonical=sized(unpacked(lambda _spec, narrow, wide: inputs(lhs=Draft(narrow), rhs=Draft(wide))), GROWING),
    backward=Derivative(zero=("rhs",)),
)
def broadcast_like(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Axes of size 1 grow as another array has them: all of them, or one axis of each."""
    if draw(st.booleans()):
        narrow, wide = draw(widened(spec.elements))
        return inputs(lhs=Draft(narrow), rhs=Draft(wide))
    kept = draw(extents(1, max(1, spec.elements // 2)))
    like = draw(shapes(1, 3, spec.elements // kept))
    mine = draw(axes(2))
    grown = (1, kept) if mine == 0 else (kept, 1)
    theirs = draw(signed_axes(len(like)))
    return inputs(lhs=Draft(grown), rhs=Draft(like), lhs_axes=(mine,), rhs_axes=(theirs,))


MAX_REPEATED = 256
"""Longest axis that is repeated: for each element of the result the places are counted from the first."""


@rule(
    "_npi_repeats",
    category="expanding",
    canonical={
        "small": inputs(data=tensor(32, 32), repeats=(2,), axis=0),
        "common": inputs(data=tensor(64, 512), repeats=(2,), axis=0),
        "large": inputs(data=tensor(64, 4096), repeats=(2,), axis=0),
        "skewed": inputs(data=tensor(1000, 10), repeats=(2,), axis=0),
        "uneven": inputs(data=tensor(8, 4096), repeats=(1, 2, 3, 4, 0, 1, 2, 3), axis=0),
    },
)
def repeats(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One number, or one for each place of the first axis or of the flat array (the front end brings others here).

    Of any other axis MXNet reads the wrong elements, and some that are beyond the end.
    """
    rows = draw(extents(1, min(MAX_REPEATED, spec.elements)))
    flat = draw(st.booleans())
    rest = () if flat else draw(shapes(1, 3, max(1, spec.elements // (4 * rows))))
    count = 1 if draw(st.booleans()) else rows
    each = tuple(draw(st.lists(st.integers(1, 4), min_size=count, max_size=count)))
    return inputs(data=Draft((rows, *rest)), repeats=each, axis=None if flat else 0)
