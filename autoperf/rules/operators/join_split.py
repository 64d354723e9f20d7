"""Operators that repeat the elements of an array, join several arrays, or split one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.rules.arithmetic import LINEAR, Derivative
from autoperf.rules.rule import ANY_RANK, Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import (
    IMAGE_SHAPES,
    MATRIX_SHAPES,
    MODEST_SHAPES,
    Row,
    SampleInputs,
    at_shapes,
    by_profile,
    of_one,
    of_several,
    of_size,
    sized,
    table,
    unpacked,
)
from autoperf.strategies import axes, axis_sets, extents, shapes
from autoperf.strategies.shapes import cuts, multiples, signed_axes, widened

expanding_rule = partial(rule, category="expanding")
linear_expanding_rule = partial(expanding_rule, backward=LINEAR)
linear_join_split_rule = partial(rule, category="join_split", backward=LINEAR)

MAX_TILED = 2
"""The gradient of tile reduces over at most five groups of axes."""
HALF: Mapping[str, Shape] = {"small": (32, 16), "common": (256, 128), "large": (512, 512), "skewed": (10_000, 5)}
GROWING: Mapping[str, tuple[Shape, Shape]] = by_profile(
    ((32, 1), (32, 32)), ((256, 1), (256, 256)), ((1024, 1), (1024, 1024)), ((1, 10), (10_000, 10))
)
"""A shape, and the one that it grows to."""


@linear_expanding_rule("repeat", "_np_repeat", canonical=at_shapes(HALF, repeats=2, axis=1))
def repeat(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Each element several times along an axis, or (axis None) in a flat array."""
    repeats = draw(st.integers(1, min(16, spec.elements)))
    shape = draw(shapes(1, 4, spec.elements // repeats))
    return of_one(spec, shape, repeats=repeats, axis=draw(st.one_of(st.none(), signed_axes(len(shape)))))


@linear_expanding_rule("tile", canonical=at_shapes(HALF, reps=(1, 2)))
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


@linear_expanding_rule(
    *("broadcast_to", "_npi_broadcast_to", "_np_broadcast_to"),
    canonical=sized(unpacked(lambda spec, narrow, wide: of_one(spec, narrow, shape=wide)), GROWING),
)
def broadcast_to(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Axes of size 1 grow to a shape of the same rank."""
    narrow, wide = draw(widened(spec.elements))
    return of_one(spec, narrow, shape=wide)


@linear_expanding_rule(
    "broadcast_axis",
    canonical=sized(lambda spec, shape: of_one(spec, (shape[0], 1), axis=(1,), size=(shape[1],)), MATRIX_SHAPES),
)
def broadcast_axis(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Some axes, which must have size 1, and the sizes they grow to."""
    wide = draw(shapes(1, 4, spec.elements))
    chosen = draw(axis_sets(len(wide)))
    narrow = tuple(1 if axis in chosen else extent for axis, extent in enumerate(wide))
    return of_one(spec, narrow, axis=chosen, size=tuple(wide[axis] for axis in chosen))


@expanding_rule(
    "broadcast_like",
    canonical=sized(unpacked(lambda _spec, narrow, wide: inputs(lhs=Draft(narrow), rhs=Draft(wide))), GROWING),
    backward=Derivative(zero=("rhs",)),
    unread=("rhs",),
)
def broadcast_like(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Axes of size 1 grow as another array has them: all of them, or one axis of each."""
    if draw(st.booleans()):
        narrow, wide = draw(widened(spec.elements))
        return inputs(lhs=Draft(narrow), rhs=Draft(wide))
    kept = draw(extents(1, max(1, spec.elements // 2)))
    like, mine = draw(shapes(1, 3, spec.elements // kept)), draw(axes(2))
    grown = (1, kept) if mine == 0 else (kept, 1)
    return inputs(lhs=Draft(grown), rhs=Draft(like), lhs_axes=(mine,), rhs_axes=(draw(signed_axes(len(like))),))


MAX_REPEATED = 256
"""Longest axis that is repeated: for each element of the result the places are counted from the first."""


@expanding_rule(
    "_npi_repeats",
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
    rows, flat = draw(extents(1, min(MAX_REPEATED, spec.elements))), draw(st.booleans())
    rest = () if flat else draw(shapes(1, 3, max(1, spec.elements // (4 * rows))))
    count = 1 if draw(st.booleans()) else rows
    each = tuple(draw(st.lists(st.integers(1, 4), min_size=count, max_size=count)))
    return inputs(data=Draft((rows, *rest)), repeats=each, axis=None if flat else 0)


MAX_PARTS = 8
PAIRS = {profile: [shape, shape] for profile, shape in MATRIX_SHAPES.items()}


@st.composite
def joinable(draw: st.DrawFn, shape: Shape, axis: int, elements: int) -> list[Shape]:
    """One to eight shapes that differ only in `axis` and have at most `elements` elements together."""
    room = max(1, elements // (math.prod(shape) // shape[axis]))
    count = draw(st.integers(1, min(MAX_PARTS, room)))
    lengths = [draw(extents(1, room // count)) for _ in range(count)]
    return [(*shape[:axis], length, *shape[axis + 1 :]) for length in lengths]


@st.composite
def alike(draw: st.DrawFn, elements: int, ranks: tuple[int, int] = (1, 4)) -> list[Shape]:
    """One to eight times the same shape."""
    count = draw(st.integers(1, MAX_PARTS))
    return [draw(shapes(*ranks, max(1, elements // count)))] * count


def _pair(spec: InputSpec, shape: Shape, /, **params: Value) -> Inputs:
    return of_several(spec, [shape, shape], **params)


def _axis_word(spec: InputSpec) -> str:
    """The parameter's name: `dim`, but on 1.9.1 NumPy's operator reads `axis`, although it documents `dim`."""
    return "axis" if spec.name == "_npi_concatenate" else "dim"


@linear_join_split_rule(
    *("Concat", "_npi_concatenate"),
    canonical=lambda spec: {
        **sized(lambda spec, shape: _pair(spec, shape, **{_axis_word(spec): 1}), MODEST_SHAPES)(spec),
        "channels": of_several(spec, [(1, 256, 28, 28), (1, 32, 28, 28), (1, 32, 28, 28)], **{_axis_word(spec): 1}),
    },
)
def concat(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Arrays that differ only in the joined axis; NumPy's operator flattens them if the axis is None."""
    shape = draw(shapes(1, 4, spec.elements))
    axis = draw(signed_axes(len(shape)))
    parts = draw(joinable(shape, axis % len(shape), spec.elements))
    word = _axis_word(spec)
    flat = word == "axis" and draw(st.booleans())
    return of_several(spec, parts, **{word: None if flat else axis})


@linear_join_split_rule(
    "stack",
    "_npi_stack",
    canonical=sized(lambda spec, shape: _pair(spec, shape, axis=0), MATRIX_SHAPES),
    dims={"data": ANY_RANK},
)
def stack(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Arrays of one shape along a new axis, in any place."""
    parts = draw(alike(spec.elements))
    return of_several(spec, parts, axis=draw(signed_axes(len(parts[0]) + 1)))


def stacked(axis: int, ranks: tuple[int, int] = (1, 4), flat_axis: int | None = None) -> SampleInputs:
    """One to eight arrays that differ only in `axis`, or of rank 1 that differ in their length if `flat_axis` is 0."""

    def drawn(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        shape = draw(shapes(*ranks, spec.elements))
        joined = axis if len(shape) > axis and len(shape) > 1 else flat_axis
        if joined is None:
            room = spec.elements // math.prod(shape)
            return of_several(spec, [shape] * draw(st.integers(1, min(MAX_PARTS, room))))
        return of_several(spec, draw(joinable(shape, joined, spec.elements)))

    return SampleInputs(sized(_pair, MODEST_SHAPES), drawn)


linear_row = partial(Row, backward=LINEAR)
RULES = table(
    __name__,
    "join_split",
    rnn_param_concat=linear_row(
        ("_rnn_param_concat",),
        of_size(
            lambda spec, several: of_several(spec, several, dim=0), PAIRS, lambda spec: joinable((1,), 0, spec.elements)
        ),
        "A recurrent layer's parameters, flat, one after another.",
    ),
    horizontal_stack=linear_row(
        ("_npi_hstack",),
        stacked(1, flat_axis=0),
        "Arrays that differ only in their second axis; vectors of any length.",
    ),
    vertical_stack=linear_row(
        ("_npi_vstack",),
        stacked(0),
        "Arrays that differ only in their first axis; vectors of one length, which become rows.",
    ),
    depth_stack=linear_row(
        ("_npi_dstack",),
        stacked(2),
        "Arrays that differ only in their third axis; vectors and matrices of one shape, which get a third axis.",
    ),
    column_stack=linear_row(
        ("_npi_column_stack",),
        stacked(1, ranks=(1, 2)),
        "Matrices with equally many rows; vectors of one length, which become columns.",
    ),
    add_n=linear_row(
        ("add_n",),
        of_size(of_several, PAIRS, lambda spec: alike(spec.elements)),
        "Arrays of one shape.",
        flops=lambda case: float(sum(item.tensor.type.elements for item in case.inputs[1:])),
    ),
)


@linear_join_split_rule(
    "SliceChannel",
    canonical=lambda spec: {
        **at_shapes(MODEST_SHAPES, num_outputs=2, axis=1)(spec),
        "gates": of_one(spec, (32, 2048), num_outputs=4, axis=1),
    },
)
def slice_channel(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Equal parts of an axis; parts of one position may lose it, if another axis is left."""
    shape = draw(shapes(1, 4, spec.elements))
    axis = draw(signed_axes(len(shape)))
    extent = shape[axis % len(shape)]
    parts = draw(st.sampled_from([number for number in range(1, MAX_PARTS + 1) if extent % number == 0]))
    squeeze = parts == extent and len(shape) > 1 and draw(st.booleans())
    return of_one(spec, shape, num_outputs=parts, axis=axis, squeeze_axis=squeeze)


@st.composite
def sections(draw: st.DrawFn, extent: int) -> dict[str, Value]:
    """A number of sections, or the positions at which they begin (the first is 0)."""
    if draw(st.booleans()):
        return {"indices": (), "sections": draw(st.integers(1, min(MAX_PARTS, extent)))}
    return {"indices": (0, *draw(cuts(extent, MAX_PARTS - 1)))}


SPLIT_IN_TWO = at_shapes(MODEST_SHAPES, indices=(), axis=1, sections=2)


@linear_join_split_rule("_split_v2", canonical=SPLIT_IN_TWO)
def split(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Parts of an axis, equal or cut at ascending positions; parts of one position may lose it."""
    shape = draw(shapes(1, 4, spec.elements))
    axis = draw(signed_axes(len(shape)))
    extent = shape[axis % len(shape)]
    squeeze = len(shape) > 1 and extent <= MAX_PARTS and draw(st.booleans())
    parts: dict[str, Value] = {"indices": tuple(range(extent))} if squeeze else draw(sections(extent))
    return of_one(spec, shape, axis=axis, squeeze_axis=squeeze, **parts)


@linear_join_split_rule("_npi_hsplit", canonical=SPLIT_IN_TWO)
def horizontal_split(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Parts of the second axis, or of a vector: equal ones ("an equal division"), or cut at ascending positions."""
    shape = draw(shapes(1, 4, spec.elements))
    axis = min(1, len(shape) - 1)
    parts = draw(sections(shape[axis]))
    if "sections" in parts:
        equal = [count for count in range(1, MAX_PARTS + 1) if shape[axis] % count == 0]
        parts["sections"] = draw(st.sampled_from(equal))
    return of_one(spec, shape, axis=axis, **parts)


@linear_join_split_rule("_npi_dsplit", canonical=at_shapes(IMAGE_SHAPES, indices=(), axis=2, sections=2))
def depth_split(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Parts of the third axis."""
    shape = draw(shapes(3, 4, spec.elements))
    return of_one(spec, shape, axis=2, **draw(sections(shape[2])))
