"""Operators that copy, cast, fill, pad or describe an array, and operators on its diagonals."""

from __future__ import annotations

import math
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Constant, Shape, Storage
from autoperf.rules.arithmetic import LINEAR, SELECTED, WRITTEN, Derivative
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import (
    IMAGE_SHAPES,
    MATRIX_SHAPES,
    MODEST_SHAPES,
    Row,
    at_shapes,
    data_name,
    first_of,
    of_one,
    of_several,
    of_shape,
    sized,
    table,
)
from autoperf.strategies import extents, shapes
from autoperf.strategies.shapes import axis_pairs, squares

array_rule = partial(rule, category="array")

CAST_DTYPES = ("float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool")


def converted(case: Case) -> float:
    """One conversion for each element that gets another dtype; `amp_cast` leaves whole numbers as they are."""
    data = case.inputs[0].tensor
    is_left = data.dtype == case.params.get("dtype") or (case.operator == "amp_cast" and "float" not in data.dtype)
    return 0.0 if is_left else float(data.type.elements)


@array_rule("Cast", canonical=at_shapes(MATRIX_SHAPES, dtype="float64"), moves=converted, backward=LINEAR)
def cast(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """An array of any shape, to any dtype, its own included."""
    return of_one(spec, draw(shapes(1, 4, spec.elements)), dtype=draw(st.sampled_from(CAST_DTYPES)))


@array_rule("amp_cast", canonical=at_shapes(MATRIX_SHAPES, dtype="float16"), moves=converted, backward=LINEAR)
def amp_cast(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One array of any shape, to float16 or float32."""
    return of_one(spec, draw(shapes(1, 4, spec.elements)), dtype=draw(st.sampled_from(("float16", "float32"))))


@array_rule(
    "amp_multicast",
    canonical=sized(lambda spec, shape: of_several(spec, [shape, shape], num_outputs=2), MATRIX_SHAPES),
    backward=LINEAR,
)
def amp_multicast(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Arrays of any shapes; all float32, since oneDNN's cast of mixed ones fails on the CPU."""
    count = draw(st.integers(1, 4))
    several = [draw(shapes(1, 4, max(1, spec.elements // count))) for _ in range(count)]
    return of_several(spec, several, num_outputs=count, cast_narrow=draw(st.booleans()))


@array_rule("_npi_full_like", canonical=at_shapes(MATRIX_SHAPES, fill_value=1.5), unread=("a",))
def full_like(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """An array of any shape, the value, and the result's dtype (None: the array's)."""
    shape = draw(shapes(1, 4, spec.elements))
    return of_one(spec, shape, fill_value=1.0, dtype=draw(st.sampled_from((None, *CAST_DTYPES))))


@array_rule(
    "reset_arrays", canonical=sized(lambda spec, shape: of_several(spec, [shape, shape], num_arrays=2), MATRIX_SHAPES)
)
def reset_arrays(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Arrays of any shapes, set to zero in place; there is no output."""
    count = draw(st.integers(1, 8))
    several = [draw(shapes(1, 4, max(1, spec.elements // count))) for _ in range(count)]
    return of_several(spec, several, num_arrays=count)


STORAGES: tuple[tuple[Storage, Storage], ...] = (
    ("default", "csr"),
    ("default", "row_sparse"),
    ("csr", "default"),
    ("row_sparse", "default"),
)


@rule(
    "cast_storage",
    category="sparse",
    canonical=lambda spec: {
        **at_shapes(MATRIX_SHAPES, stype="csr")(spec),
        "to_row_sparse": of_one(spec, (1024, 1024), stype="row_sparse"),
        "from_csr": inputs(data=tensor(1024, 1024, storage="csr", density=0.1), stype="default"),
        "from_row_sparse": inputs(data=tensor(1024, 1024, storage="row_sparse", density=0.1), stype="default"),
    },
)
def cast_storage(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A matrix between dense and either sparse storage; the two sparse ones don't change into each other."""
    storage, stype = draw(st.sampled_from(STORAGES))
    shape = draw(shapes(2, 2, spec.elements))
    density = draw(st.sampled_from((0.05, 0.5))) if storage != "default" else 1.0
    return inputs(data=tensor(*shape, storage=storage, density=density), stype=stype)


@st.composite
def diagonals(draw: st.DrawFn, spec: InputSpec, offset: str) -> Inputs:
    """An array, two different axes of it, and an offset at which there is a diagonal."""
    shape = draw(shapes(2, 4, spec.elements))
    first, second = draw(axis_pairs(len(shape)))
    params: dict[str, Value] = {"axis1": first, "axis2": second}
    return of_one(spec, shape, **params, **{offset: draw(st.integers(1 - shape[first], shape[second] - 1))})


@st.composite
def vectors_of_squares(draw: st.DrawFn, elements: int) -> tuple[int, int]:
    """The length of a vector and an offset, such that the matrix with that diagonal fits into the budget."""
    side = draw(extents(1, math.isqrt(elements)))
    offset = draw(st.integers(1 - side, side - 1))
    return side - abs(offset), offset


MATRICES = {**MATRIX_SHAPES, "vector": (512,)}


@array_rule("diag", canonical=at_shapes(MATRICES), backward=SELECTED)
def diag(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A vector, which becomes a diagonal, or the diagonals in the plane of two different axes."""
    if draw(st.booleans()):
        return draw(diagonals(spec, "k"))
    length, offset = draw(vectors_of_squares(spec.elements))
    return of_one(spec, (length,), k=offset)


@array_rule("_np_diag", "_npi_diag", canonical=at_shapes(MATRICES), backward=SELECTED)
def np_diag(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A vector, which becomes a diagonal, or a matrix, whose diagonal is taken."""
    if draw(st.booleans()):
        rows, columns = draw(shapes(2, 2, spec.elements))
        return of_one(spec, (rows, columns), k=draw(st.integers(1 - rows, columns - 1)))
    length, offset = draw(vectors_of_squares(spec.elements))
    return of_one(spec, (length,), k=offset)


@array_rule(
    *("_np_diagflat", "_npi_diagflat"),
    canonical=at_shapes({"small": (4, 8), "common": (16, 16), "large": (32, 32), "skewed": (1000,)}),
    backward=SELECTED,
)
def diagonal_from_flat(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any array, flattened into the diagonal of a matrix with the square of its elements."""
    shape = draw(shapes(1, 3, math.isqrt(spec.elements)))
    room = math.isqrt(spec.elements) - math.prod(shape)
    return of_one(spec, shape, k=draw(st.integers(-room, room)))


@array_rule(
    "_np_diagonal", "_npi_diagonal", "_np_trace", "_npi_trace", canonical=at_shapes(MATRIX_SHAPES), backward=SELECTED
)
def diagonal(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The diagonals in the plane of two different axes, at an offset that has a diagonal."""
    return draw(diagonals(spec, "offset"))


@array_rule("_npi_tril", "_npi_triu", canonical=at_shapes(MODEST_SHAPES), backward=WRITTEN)
def triangle(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The last two axes' triangle, at any offset; a vector is repeated into a square first."""
    if draw(st.booleans()):
        side = draw(extents(1, math.isqrt(spec.elements)))
        return of_one(spec, (side,), k=draw(st.integers(-side, side)))
    shape = draw(shapes(2, 4, spec.elements))
    return of_one(spec, shape, k=draw(st.integers(-shape[-2], shape[-1])))


def _filled(shape: Shape, values: tuple[float, ...] = (1.0,), wrap: bool = False) -> Inputs:
    return inputs(a=Draft(shape), val=values, wrap=wrap).writing("a")


def diagonal_writes(case: Case) -> float:
    """One write for each element of the diagonal, which goes on below a square with `wrap`."""
    shape = case.inputs[0].tensor.shape
    is_wrapped = len(shape) == 2 and case.flag("wrap")
    return float(-(-math.prod(shape) // (shape[1] + 1)) if is_wrapped else min(shape))


@array_rule(
    "_npi_fill_diagonal",
    moves=diagonal_writes,
    canonical=sized(lambda _spec, shape: _filled(shape), MATRIX_SHAPES, {"wrapped": _filled((10_000, 10), wrap=True)}),
)
def fill_diagonal(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A matrix, or more axes all of one length, in place: nothing but the diagonal is written; values are repeated."""
    shape = draw(st.one_of(shapes(2, 2, spec.elements), squares(spec.elements)))
    values = draw(st.lists(st.sampled_from((0.0, 1.0, 3.0)), min_size=1, max_size=4))
    return _filled(shape, tuple(values), draw(st.booleans()))


RULES = table(
    __name__,
    "array",
    copy=Row(("_copy", "_np_copy", "_npi_copy"), of_shape(of_one), "One array of any shape.", backward=LINEAR),
    without_gradient=Row(("BlockGrad",), of_shape(of_one), "One array of any shape."),
    of_its_shape=Row(
        ("zeros_like", "ones_like", "shape_array", "size_array", "_np_zeros_like", "_np_ones_like"),
        of_shape(of_one),
        "One array of any shape.",
        unread=("data", "a"),
    ),
    two_alike=Row(
        ("_identity_with_attr_like_rhs", "_npi_share_memory"),
        of_shape(lambda spec, shape: Inputs({tensor.name: Draft(shape) for tensor in spec.operator.tensors})),
        "Two arrays of one shape.",
        backward=Derivative(zero=("rhs",)),
        unread=("rhs",),
    ),
    constraint_check=Row(
        ("_npx_constraint_check",),
        of_shape(lambda spec, shape: Inputs({data_name(spec): Draft(shape, "bool")}, {"msg": "constraint violated"})),
        "Booleans of any shape, all true: a false one is an error.",
        contents=first_of(Constant(1)),
    ),
    copyto=Row(
        ("_copyto",),
        of_shape(lambda _spec, shape: inputs(data=Draft(shape), out=Draft(shape)).writing("out")),
        "Any shape.",
        inferable=False,
    ),
    set_value=Row(
        ("_set_value",),
        of_shape(lambda _spec, shape: inputs(out=Draft(shape), src=0.5).writing("out")),
        "Any shape.",
        category="creation",
        inferable=False,
    ),
)


@array_rule(
    "Pad", canonical=at_shapes(IMAGE_SHAPES, mode="constant", pad_width=(0, 0, 0, 0, 1, 1, 1, 1)), backward=SELECTED
)
def pad(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """4 or 5 axes, the first two unpadded; a reflected border is narrower than its axis."""
    shape = draw(shapes(4, 5, max(1, spec.elements // 8)))
    mode = draw(st.sampled_from(("constant", "edge", "reflect")))
    room = [min(3, extent - 1 if mode == "reflect" else extent) for extent in shape[2:]]
    widths = [(draw(st.integers(0, most)), draw(st.integers(0, most))) for most in room]
    value = draw(extents(0, 9)) if mode == "constant" else 0
    padding = (0, 0, 0, 0, *(width for pair in widths for width in pair))
    return of_one(spec, shape, mode=mode, pad_width=padding, constant_value=float(value))


@array_rule(
    "_npi_pad",
    canonical=sized(
        lambda spec, shape: of_one(spec, shape, pad_width=tuple((1, 1) for _ in shape), mode="constant"), MATRIX_SHAPES
    ),
    backward=SELECTED,
)
def numpy_pad(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two axes or more, each padded before and after; a border is no wider than the axis it mirrors."""
    shape = draw(shapes(2, 4, max(1, spec.elements // 16)))
    mode = draw(st.sampled_from(("constant", "edge", "maximum", "minimum", "reflect", "symmetric")))
    room = [min(3, extent - 1 if mode == "reflect" else extent) for extent in shape]
    widths = tuple((draw(st.integers(0, most)), draw(st.integers(0, most))) for most in room)
    return Inputs({data_name(spec): Draft(shape)}, {"pad_width": widths, "mode": mode})
