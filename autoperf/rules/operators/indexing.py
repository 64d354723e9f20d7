"""Operators that read and write at given positions, in both namespaces: take, pick, gather, one-hot, insert."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Distinct, Integers, Literal_, Shape, TensorSpec, whole_limits
from autoperf.rules.arithmetic import SELECTED, Derivative, arrays
from autoperf.rules.operators.slicing import SHARES, selected_rows
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import (
    MATRIX_SHAPES,
    MODEST_SHAPES,
    Row,
    at_shapes,
    below,
    by_profile,
    extent,
    of_one,
    of_size,
    sized,
    table,
    unpacked,
)
from autoperf.strategies import axis_sets, extents, shapes
from autoperf.strategies.shapes import patterns, signed_axes, slices, squares

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
    return Draft((depth, *points), draw(st.sampled_from(dtypes))), (*points, *shape[depth:])


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


RULES = table(
    __name__,
    "indexing",
    onehot_encode=Row(
        ("_onehot_encode",),
        of_size(
            lambda _spec, shape: inputs(lhs=Draft(shape[:1]), rhs=Draft(shape)).writing("rhs"),
            CLASSES,
            lambda spec: shapes(2, 2, spec.elements),
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
            lambda spec: shapes(2, 2, spec.elements),
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
    return of_one(spec, shape) if draw(st.booleans()) else of_one(spec, shape, axes=draw(axis_sets(len(shape))))


def _raveling(spec: InputSpec, shape: Shape, count: int) -> Inputs:
    return inputs(data=Draft((count,) if spec.name == "_unravel_index" else (len(shape), count)), shape=shape)


@indexing_rule(
    "_ravel_multi_index",
    "_unravel_index",
    dtype="int64",
    canonical=sized(
        unpacked(_raveling),
        by_profile(((32, 32), 512), ((256, 256), 32_768), ((1024, 1024), 524_288), ((10, 10, 10, 10, 10), 10_000)),
    ),
    # Flat positions, or indices that are inside every axis.
    contents=lambda case: {
        "data": below((math.prod if case.operator == "_unravel_index" else min)(case.numbers("shape")))
    },
)
def ravel(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(rank, count) indices, or a vector of flat positions, inside `shape`."""
    shape = draw(shapes(1, 5, spec.elements))
    return _raveling(spec, shape, draw(extents(1, max(1, spec.elements // len(shape)))))


WHOLE = ("int32", "int64")
MAX_WRITTEN = 2**16
"""Maximum number of elements written at points: MXNet locks each of them."""

HALF = (1.0, 0.0)


def _mask(length: int, pattern: tuple[float, ...] = HALF) -> Draft:
    return Draft((length,), "bool", None if pattern == HALF else Literal_(pattern))


def rows_selected(case: Case) -> float:
    """One move for each element of the slices: as many as indices, or as the pattern of a mask selects."""
    if case.tensor("indices").dtype == "bool":
        return selected_rows(case, "indices")
    return float(case.elements("indices") * math.prod(case.shape("data")[1:]))


@indexing_rule(
    "_npi_advanced_indexing",
    moves=rows_selected,
    canonical={
        "small": inputs(data=tensor(32, 32), indices=positions((32,))),
        "common": inputs(data=tensor(1000, 64), indices=positions((1024,))),
        "large": inputs(data=tensor(10_000, 128), indices=positions((8192,))),
        "skewed": inputs(data=tensor(10_000, 1), indices=positions((10_000,))),
        "mask": inputs(data=tensor(1000, 64), indices=_mask(1000)),
    },
    backward=Derivative(arrays("indices")),
    contents=lambda case: {
        "indices": Literal_(HALF) if case.tensor("indices").dtype == "bool" else below(case.shape("data")[0])
    },
    varied={"indices": SHARES},
)
def by_one(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Slices along the first axis, by whole numbers inside it, or by a mask that keeps one slice at least."""
    shape = draw(shapes(1, 4, spec.elements))
    if draw(st.booleans()):
        return inputs(data=Draft(shape), indices=_mask(shape[0], draw(patterns())))
    slices = max(1, spec.elements * shape[0] // math.prod(shape))
    return inputs(data=Draft(shape), indices=positions(draw(shapes(1, 2, slices)), draw(st.sampled_from(WHOLE))))


@indexing_rule(
    "_npi_advanced_indexing_multiple", canonical=GATHERED, backward=Derivative(arrays("indices")), contents=gathered
)
def by_several(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The elements at points given by (depth, *points) whole numbers, inside the first `depth` axes."""
    shape = draw(shapes(1, 4, spec.elements))
    indices, _ = draw(coordinates(shape, spec.elements, WHOLE))
    return inputs(data=Draft(shape), indices=indices)


def _written(shape: Shape, count: int, depth: int) -> Inputs:
    return inputs(a=Draft(shape), ind=positions((depth, count)), val=Draft((count, *shape[depth:])))


@indexing_rule(
    *("_npx_index_add", "_npx_index_update"),
    canonical={
        "small": _written((32, 32), 32, 2),
        "common": _written((256, 256), 64, 1),
        "large": _written((1024, 1024), 64, 1),
        "skewed": _written((10_000, 10), 1000, 1),
    },
    backward=Derivative(arrays("ind")),
    contents=lambda case: {"ind": points_apart(case.shape("a"), case.tensor("ind"))},
)
def write_at(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(depth, points) indices, and values of the shape that these select, whose axes may also be 1."""
    shape = draw(shapes(1, 4, spec.elements))
    indices, values = draw(coordinates(shape, min(spec.elements, MAX_WRITTEN), WHOLE, apart=True))
    val = tuple(1 if draw(st.integers(0, 3)) == 0 else extent for extent in values)
    return inputs(a=Draft(shape), ind=indices, val=Draft(val))


LONGEST = 4096
"""Longest axis: the time of inserting at several positions, and of deleting, grows with its square."""
LONG_FIRST_AXIS = {**MODEST_SHAPES, "skewed": (2000, 10)}


@st.composite
def places(draw: st.DrawFn, elements: int, smallest: int = 1) -> tuple[Shape, int | None, int]:
    """A shape, an axis of it (None for the flattened array), and the length along this axis."""
    if draw(st.booleans()):
        shape = draw(shapes(1, 4, min(elements, LONGEST), smallest))
        return shape, None, math.prod(shape)
    extent = draw(extents(smallest, min(elements, LONGEST)))
    rest = draw(shapes(1, 3, max(1, elements // extent)))
    place = draw(st.integers(0, len(rest)))
    return (*rest[:place], extent, *rest[place:]), place - draw(st.sampled_from((0, len(rest) + 1))), extent


def _row(shape: Shape, axis: int | None, width: int = 1) -> Shape:
    if axis is None:
        return (width,)
    place = axis % len(shape)
    return (*shape[:place], width, *shape[place + 1 :])


def _insert(shape: Shape, values: Shape | float, axis: int | None, where: Draft | Mapping[str, Value]) -> Inputs:
    tensors: dict[str, Draft | tuple[Draft, ...]] = {"arr": Draft(shape)}
    params: dict[str, Value] = {"axis": axis}
    if isinstance(values, tuple):
        tensors["values"] = Draft(values)
    else:
        params["val"] = values
    if isinstance(where, Draft):
        tensors["obj"] = where
    else:
        params.update(where)
    return Inputs(tensors, params)


def positions_of(case: Case) -> int:
    """The number of positions that a call selects: one, a slice of the axis, or as many as are listed."""
    if case.has("obj"):
        return case.elements("obj")
    if "int_ind" in case.params:
        return 1
    shape, axis = case.inputs[0].tensor.shape, case.params.get("axis")
    extent = math.prod(shape) if axis is None else shape[case.number("axis") % len(shape)]
    bounds = (case.params.get(name) for name in ("start", "stop", "step"))
    return len(range(extent)[slice(*(None if each is None else int(str(each)) for each in bounds))])


def elements_after(case: Case) -> float:
    """One move for each element of the result, whose shape depends on contents: inserted ones count, deleted don't."""
    shape, axis = case.inputs[0].tensor.shape, case.params.get("axis")
    row = 1 if axis is None else math.prod(shape) // max(1, shape[case.number("axis") % len(shape)])
    sign = -1 if case.operator == "_npi_delete" else 1
    return float(max(0, math.prod(shape) + sign * row * positions_of(case)))


insertion_rule = partial(indexing_rule, moves=elements_after)


@insertion_rule(
    "_npi_insert_scalar",
    canonical=sized(lambda _spec, shape: _insert(shape, (shape[1],), 0, {"int_ind": shape[0] // 2}), LONG_FIRST_AXIS),
)
def insert_at(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One position (the end included), and an array that broadcasts to the other axes, or a number for a flat array."""
    shape, axis, extent = draw(places(spec.elements // 2))
    if axis is None:
        values: tuple[Shape | float, ...] = (0.5, (1,))
    else:
        place = axis % len(shape)
        values = ((1,), (*shape[:place], *shape[place + 1 :]))
    return _insert(shape, draw(st.sampled_from(values)), axis, {"int_ind": draw(st.integers(-extent, extent))})


@insertion_rule(
    "_npi_insert_slice",
    canonical=sized(
        lambda _spec, shape: _insert(shape, (1,), 0, {"start": 0, "stop": None, "step": 2}), LONG_FIRST_AXIS
    ),
)
def insert_slice(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A slice of positions, and an array that broadcasts to the inserted elements (only float64 takes a number)."""
    shape, axis, extent = draw(places(spec.elements // 2))
    piece = draw(slices(extent))
    values = draw(st.sampled_from(((1,), _row(shape, axis, piece.length))))
    return _insert(shape, values, axis, {"start": piece.begin, "stop": piece.end, "step": piece.step})


@insertion_rule(
    "_npi_insert_tensor",
    canonical=sized(lambda _spec, shape: _insert(shape, (1,), 0, Draft((shape[0] // 2,), "int64")), LONG_FIRST_AXIS),
    contents=lambda case: {"obj": below(extent(case, "arr", None))},
    varied={"obj": "positions may count from the back"},
)
def insert_array(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """int64 positions, and an array that broadcasts to the inserted elements (only float64 takes a number)."""
    shape, axis, length = draw(places(spec.elements // 2))
    count = draw(extents(1, length))
    positions = Draft((count,), "int64", Integers(-length, length))
    values = draw(st.sampled_from(((1,), _row(shape, axis, count))))
    return _insert(shape, values, axis, positions)


@insertion_rule(
    "_npi_delete",
    canonical=at_shapes(LONG_FIRST_AXIS, start=0, stop=None, step=2, axis=0),
    contents=lambda case: {"obj": Distinct(extent(case, "arr", None))},
)
def delete(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One position, a slice, or some different positions of an axis; at least one stays."""
    shape, axis, extent = draw(places(spec.elements, smallest=2))
    way = draw(st.sampled_from(("number", "slice", "array")))
    if way == "number":
        return of_one(spec, shape, axis=axis, int_ind=draw(st.integers(-extent, extent - 1)))
    if way == "slice":
        start = draw(st.integers(0, extent - 2))
        stop = draw(st.integers(start + 1, extent - 1))
        return of_one(spec, shape, axis=axis, start=start, stop=stop, step=draw(st.integers(1, 4)))
    return inputs(arr=Draft(shape), obj=Draft((draw(extents(1, extent - 1)),), "int64"), axis=axis)
