"""Operators that read and write at given positions: take, pick, gather, scatter, one-hot, ravelled indices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.tensors import AnyContent, Distinct, Integers, Shape, TensorSpec, whole_limits
from autoperf.rules.arithmetic import SELECTED, Derivative, arrays
from autoperf.rules.contents import below, extent
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import (
    MATRIX_SHAPES,
    MODEST_SHAPES,
    Row,
    at_shapes,
    by_profile,
    of_one,
    of_size,
    sized,
    table,
    unpacked,
)
from autoperf.strategies import axis_sets, extents, shapes
from autoperf.strategies.shapes import signed_axes, squares

indexing_rule = partial(rule, category="indexing")

INDEX_DTYPES = ("int32", "int64", "float32")


def positions(shape: Shape, dtype: str = "int32") -> Draft:
    """Indices."""
    return Draft(shape, dtype)


LOOSE = "indices outside of the axis are clipped or wrapped"


@st.composite
def loose_positions(draw: st.DrawFn, shape: Shape, extent: int, strict: bool) -> Draft:
    """Indices of an axis, which may lie outside of it unless `strict` (the operator clips or wraps them)."""
    dtype = draw(st.sampled_from(INDEX_DTYPES))
    beyond = 0 if strict else draw(st.integers(0, extent))
    return Draft(shape, dtype, Integers(-beyond, extent + beyond) if beyond else None)


@indexing_rule(
    *("take", "_npi_take"),
    canonical={
        "small": inputs(a=tensor(32, 32), indices=positions((32,))),
        "common": inputs(a=tensor(1000, 64), indices=positions((1024,))),
        "large": inputs(a=tensor(10_000, 128), indices=positions((8192,))),
        "skewed": inputs(a=tensor(10_000, 1), indices=positions((10_000,))),
        "columns": inputs(a=tensor(256, 1000), indices=positions((256,)), axis=1),
    },
    backward=Derivative(arrays("indices")),
    contents=lambda case: {"indices": below(extent(case, "a", 0))},
    varied={"indices": LOOSE},
)
def take(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Slices along an axis by indices of any shape; in mode "raise" they lie inside the axis."""
    shape = draw(shapes(1, 4, spec.elements))
    axis = draw(signed_axes(len(shape)))
    extent = shape[axis % len(shape)]
    indices = draw(shapes(1, 3, max(1, spec.elements * extent // math.prod(shape))))
    mode = draw(st.sampled_from(("clip", "wrap", "raise")))
    index = draw(loose_positions(indices, extent, mode == "raise"))
    return inputs(a=Draft(shape), indices=index, axis=axis, mode=mode)


@indexing_rule(
    "pick",
    canonical=sized(lambda _spec, shape: inputs(data=Draft(shape), index=positions(shape[:1])), MATRIX_SHAPES),
    backward=Derivative(arrays("index")),
    contents=lambda case: {"index": below(extent(case, "data", -1))},
    varied={"index": LOOSE},
)
def pick(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One element of each line along an axis; the index has the shape of the result, or keeps the axis with size 1."""
    shape = draw(shapes(2, 4, spec.elements))
    axis = draw(signed_axes(len(shape)))
    place = axis % len(shape)
    before, after = shape[:place], shape[place + 1 :]
    index = draw(st.sampled_from(((*before, *after), (*before, 1, *after))))
    return inputs(
        data=Draft(shape),
        index=draw(loose_positions(index, shape[place], strict=False)),
        axis=axis,
        keepdims=draw(st.booleans()),
        mode=draw(st.sampled_from(("clip", "wrap"))),
    )


@indexing_rule(
    "batch_take",
    canonical=sized(lambda _spec, shape: inputs(a=Draft(shape), indices=positions(shape[:1])), MATRIX_SHAPES),
    dims={"a": "_ _"},
    contents=lambda case: {"indices": below(case.shape("a")[1])},
)
def batch_take(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One element of each row of a matrix; the indices are int32."""
    rows, columns = draw(shapes(2, 2, spec.elements))
    return inputs(a=Draft((rows, columns)), indices=positions((rows,)))


@st.composite
def coordinates(
    draw: st.DrawFn, shape: Shape, elements: int, dtypes: tuple[str, ...] = INDEX_DTYPES, *, apart: bool = False
) -> tuple[Draft, Shape]:
    """(depth, *points) indices of the first `depth` axes, and the shape of the elements at these points.

    Points `apart` lie on one axis, and are so few that they can differ in each coordinate.
    """
    depth = draw(st.integers(1, len(shape)))
    below = math.prod(shape[depth:])
    count = max(1, elements // max(below, depth))
    points = draw(shapes(1, 1, min(count, *shape[:depth])) if apart else shapes(1, 2, count))
    dtype = draw(st.sampled_from(dtypes))
    return Draft((depth, *points), dtype), (*points, *shape[depth:])


def points_within(shape: Shape, points: Shape) -> Integers:
    """(depth, *points) indices, each below the shortest of the first `depth` axes."""
    return below(min(shape[: points[0]]))


def points_apart(shape: Shape, indices: TensorSpec) -> AnyContent:
    """As `points_within`, without two that are equal if they fit: which value stays at such a point is undefined."""
    within, points = points_within(shape, indices.shape), indices.shape[1:]
    high = min(within.high, whole_limits(indices.dtype)[1] + 1)
    return Distinct(high) if len(points) == 1 and points[0] <= high else within


def gathered(case: Case) -> Mapping[str, AnyContent]:
    """Points of the data."""
    return {"indices": points_within(case.shape("data"), case.shape("indices"))}


def scattered(case: Case) -> Mapping[str, AnyContent]:
    """Points of the array that is made."""
    return {"indices": points_apart(case.numbers("shape"), case.tensor("indices"))}


GATHERED = sized(
    unpacked(lambda _spec, shape, points: inputs(data=Draft(shape), indices=positions(points))),
    by_profile(
        ((32, 32), (2, 256)), ((256, 256), (2, 4096)), ((1024, 1024), (2, 100_000)), ((10_000, 10), (1, 10_000))
    ),
)


@indexing_rule("gather_nd", canonical=GATHERED, backward=Derivative(arrays("indices")), contents=gathered)
def gather(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The elements at points given by (depth, *points) indices of the first `depth` axes."""
    shape = draw(shapes(1, 4, spec.elements))
    indices, _ = draw(coordinates(shape, spec.elements))
    return inputs(data=Draft(shape), indices=indices)


SCATTERED: Mapping[str, tuple[Shape, Shape, Shape]] = by_profile(
    ((32, 32), (32,), (2, 32)),
    ((65_536,), (4096,), (1, 4096)),
    ((1_048_576,), (100_000,), (1, 100_000)),
    ((10_000, 10), (10_000, 10), (1, 10_000)),
)
"""The array, the values, and the indices of their points."""


@indexing_rule(
    "scatter_nd",
    canonical=sized(
        unpacked(
            lambda _spec, shape, values, points: inputs(data=Draft(values), indices=positions(points), shape=shape)
        ),
        SCATTERED,
    ),
    backward=SELECTED,
    contents=scattered,
)
def scatter(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Values to points of a new array, given by (depth, *points) indices of its first `depth` axes."""
    shape = draw(shapes(1, 4, spec.elements))
    indices, values = draw(coordinates(shape, spec.elements, apart=True))
    return inputs(data=Draft(values), indices=indices, shape=shape)


def _set_points(shape: Shape, values: Shape, indices: Draft) -> Inputs:
    return inputs(lhs=Draft(shape), rhs=Draft(values), indices=indices, shape=shape).writing("lhs")


@indexing_rule(
    "_scatter_set_nd",
    canonical=sized(
        unpacked(lambda _spec, shape, values, points: _set_points(shape, values, positions(points))), SCATTERED
    ),
    contents=scattered,
    moves=lambda case: float(case.elements("rhs")),
)
def scatter_set(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Values to points of an array in place, given by (depth, *points) indices of its first `depth` axes."""
    shape = draw(shapes(1, 4, spec.elements))
    indices, values = draw(coordinates(shape, spec.elements, apart=True))
    return _set_points(shape, values, indices)


@indexing_rule(
    "one_hot",
    canonical=sized(
        lambda spec, shape: inputs(indices=positions(shape[:1]), depth=shape[1], dtype=spec.dtype), MATRIX_SHAPES
    ),
    contents=lambda case: {"indices": below(case.number("depth"))},
)
def one_hot(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Indices of any shape, below the depth; those outside it would give rows without a one."""
    depth = draw(extents(1, min(4096, spec.elements)))
    shape = draw(shapes(1, 3, max(1, spec.elements // depth)))
    return inputs(
        indices=positions(shape, draw(st.sampled_from(INDEX_DTYPES))),
        depth=depth,
        on_value=draw(st.sampled_from((1.0, 5.0))),
        off_value=draw(st.sampled_from((0.0, -1.0))),
        dtype=draw(st.sampled_from((spec.dtype, "float16", "float64", "int32", "uint8"))),
    )


CLASSES: Mapping[str, Shape] = {**MATRIX_SHAPES, "large": (1024, 1000)}


def _rows_and_columns(spec: InputSpec) -> st.SearchStrategy[Shape]:
    return shapes(2, 2, spec.elements)


RULES = table(
    __name__,
    "indexing",
    onehot_encode=Row(
        ("_onehot_encode",),
        of_size(
            lambda _spec, shape: inputs(lhs=Draft(shape[:1]), rhs=Draft(shape)).writing("rhs"),
            CLASSES,
            _rows_and_columns,
        ),
        "One index for each row of the matrix that is written.",
        contents=lambda case: {"lhs": below(case.shape("rhs")[1])},
        unread=("rhs",),
    ),
    fill_element=Row(
        ("fill_element_0index",),
        of_size(
            lambda _spec, shape: inputs(
                lhs=Draft(shape), mhs=Draft(shape[:1]), rhs=Draft(shape[:1], "float32")
            ).writing("lhs"),
            CLASSES,
            _rows_and_columns,
        ),
        "One value and one index for each row of the matrix that is written.",
        contents=lambda case: {"rhs": below(case.shape("lhs")[1])},
    ),
    diagonal_indices=Row(
        ("_npi_diag_indices_from",),
        of_size(of_one, {**MATRIX_SHAPES, "skewed": (2,) * 4}, lambda spec: squares(spec.elements)),
        "An array of two axes or more, all of one length.",
    ),
)


def _copy_rows(shape: Shape, rows: int, dtype: str = "int64") -> Inputs:
    return inputs(old_tensor=Draft(shape), index_vector=Draft((rows,), dtype), new_tensor=Draft((rows, *shape[1:])))


@indexing_rule(
    "_contrib_index_copy",
    canonical={
        "small": _copy_rows((32, 32), 16),
        "common": _copy_rows((256, 256), 128),
        "large": _copy_rows((1024, 1024), 512),
        "skewed": _copy_rows((10_000, 10), 5000),
    },
    backward=Derivative(arrays("index_vector")),
    contents=lambda case: {"index_vector": Distinct(case.shape("old_tensor")[0])},
)
def index_copy(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Rows to different places of an array with at least as many rows."""
    shape = draw(shapes(1, 4, spec.elements))
    return _copy_rows(shape, draw(extents(1, shape[0])), draw(st.sampled_from(("int32", "int64"))))


@indexing_rule("_contrib_index_array", canonical=at_shapes(MODEST_SHAPES), unread=("data",))
def index_array(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Each position's own indices along some axes, or (left out) all of them."""
    shape = draw(shapes(1, 4, max(1, spec.elements // 4)))
    if draw(st.booleans()):
        return of_one(spec, shape)
    return of_one(spec, shape, axes=draw(axis_sets(len(shape))))


def _raveling(spec: InputSpec, shape: Shape, count: int) -> Inputs:
    """`count` positions inside `shape`: (rank, count) indices to ravel, or flat positions to unravel."""
    if spec.name == "_unravel_index":
        return inputs(data=Draft((count,)), shape=shape)
    return inputs(data=Draft((len(shape), count)), shape=shape)


def ravelled(case: Case) -> Mapping[str, AnyContent]:
    """Flat positions, or indices that are inside every axis."""
    shape = case.numbers("shape")
    return {"data": below(math.prod(shape) if case.operator == "_unravel_index" else min(shape))}


@indexing_rule(
    "_ravel_multi_index",
    "_unravel_index",
    dtype="int64",
    canonical=sized(
        unpacked(_raveling),
        by_profile(((32, 32), 512), ((256, 256), 32_768), ((1024, 1024), 524_288), ((10, 10, 10, 10, 10), 10_000)),
    ),
    contents=ravelled,
)
def ravel(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(rank, count) indices, or a vector of flat positions, inside `shape`."""
    shape = draw(shapes(1, 5, spec.elements))
    return _raveling(spec, shape, draw(extents(1, max(1, spec.elements // len(shape)))))
