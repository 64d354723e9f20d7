"""NumPy's indexing by arrays and masks, updates at points, insertion and deletion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Distinct, Integers, Literal_, Shape
from autoperf.rules.arithmetic import Derivative, arrays
from autoperf.rules.contents import below, extent
from autoperf.rules.operators.indexing import GATHERED, coordinates, gathered, points_apart, positions
from autoperf.rules.operators.slicing import SHARES, selected_rows
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import MODEST_SHAPES, at_shapes, of_one, sized
from autoperf.strategies import extents, shapes
from autoperf.strategies.shapes import patterns, slices

indexing_rule = partial(rule, category="indexing")

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


def selecting(case: Case) -> Mapping[str, AnyContent]:
    """Rows, or a mask that keeps every second one."""
    is_mask = case.tensor("indices").dtype == "bool"
    return {"indices": Literal_(HALF) if is_mask else below(case.shape("data")[0])}


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
    contents=selecting,
    varied={"indices": SHARES},
)
def by_one(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Slices along the first axis, by whole numbers inside it, or by a mask that keeps one slice at least."""
    shape = draw(shapes(1, 4, spec.elements))
    if draw(st.booleans()):
        return inputs(data=Draft(shape), indices=_mask(shape[0], draw(patterns())))
    slices = max(1, spec.elements * shape[0] // math.prod(shape))
    places = positions(draw(shapes(1, 2, slices)), draw(st.sampled_from(WHOLE)))
    return inputs(data=Draft(shape), indices=places)


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
    """The shape of `width` new positions along the axis."""
    if axis is None:
        return (width,)
    place = axis % len(shape)
    return (*shape[:place], width, *shape[place + 1 :])


def _insert(shape: Shape, values: Shape | float, axis: int | None, where: Draft | Mapping[str, Value]) -> Inputs:
    """The call that inserts a number, or an array of this shape."""
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
    count = draw(extents(1, extent - 1))
    return inputs(arr=Draft(shape), obj=Draft((count,), "int64"), axis=axis)
