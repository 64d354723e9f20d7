"""Operators that read or write a block of an array: slices, masks, and the choice between two arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from itertools import zip_longest
from typing import TypeAlias

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Literal_, Mask, Shape
from autoperf.rules.arithmetic import LINEAR, Derivative, arrays
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.rules.table import MATRIX_SHAPES, MODEST_SHAPES, at_shapes, data_name, of_one, sized, where_known
from autoperf.strategies import axis_sets, broadcast_pairs, extents, shapes
from autoperf.strategies.shapes import Slice, patterns, signed_axes, slices

indexing_rule = partial(rule, category="indexing")

Slices: TypeAlias = tuple[Slice, ...]
"""Slices of the first axes of an array."""


def bounds(chosen: Slices) -> dict[str, Value]:
    """begin, end and step; None where a slice reaches the end of its axis."""
    return {name: tuple(getattr(item, name) for item in chosen) for name in ("begin", "end", "step")}


@st.composite
def blocks(draw: st.DrawFn, elements: int) -> tuple[Shape, Slices]:
    """A shape, and slices, forwards or backwards, of some leading axes."""
    shape = draw(shapes(1, 4, elements))
    return shape, tuple(draw(slices(extent)) for extent in shape[: draw(st.integers(1, len(shape)))])


def _inner(shape: Shape) -> Slices:
    """The middle half of the rows, every column but the first."""
    quarter = shape[0] // 4
    return Slice(quarter, 3 * quarter, 1, 2 * quarter), Slice(1, None, 1, shape[1] - 1)


@indexing_rule(
    "slice",
    canonical=lambda spec: {
        **sized(lambda spec, shape: of_one(spec, shape, **bounds(_inner(shape))), MATRIX_SHAPES)(spec),
        "strided": of_one(spec, (1024, 1024), begin=(0, 0), end=(1024, 1024), step=(2, 2)),
    },
    backward=LINEAR,
)
def slice_(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Begin, end and step of the first axes; at least one position of each is kept."""
    shape, chosen = draw(blocks(spec.elements))
    return of_one(spec, shape, **bounds(chosen))


def assigned(case: Case) -> float:
    """One operation for each position of the slice, which the sizes of the arrays don't show."""
    shape = case.inputs[0].tensor.shape
    ends = [listed if isinstance(listed := case.params.get(name), tuple) else () for name in ("begin", "end", "step")]
    cuts = [slice(*bounds) for bounds in zip_longest(*ends)]
    sizes = [len(range(*cut.indices(size))) for cut, size in zip(cuts, shape, strict=False)]
    return float(math.prod(sizes) * math.prod(shape[len(cuts) :]))


def _assign(shape: Shape, chosen: Slices) -> Inputs:
    selection = (*(item.length for item in chosen), *shape[len(chosen) :])
    return inputs(lhs=Draft(shape), rhs=Draft(selection), **bounds(chosen)).writing("lhs")


@indexing_rule(
    "_slice_assign", canonical=sized(lambda _spec, shape: _assign(shape, _inner(shape)), MATRIX_SHAPES), moves=assigned
)
def slice_assign(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """An array of the selection's shape into a slice, in place."""
    return _assign(*draw(blocks(spec.elements)))


def _assign_number(spec: InputSpec, shape: Shape, chosen: Slices, number: float) -> Inputs:
    return of_one(spec, shape, scalar=number, **bounds(chosen)).writing(data_name(spec))


@indexing_rule(
    "_slice_assign_scalar",
    canonical=sized(lambda spec, shape: _assign_number(spec, shape, _inner(shape), 1.0), MATRIX_SHAPES),
    moves=assigned,
)
def slice_assign_scalar(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A number into a slice, in place."""
    return _assign_number(spec, *draw(blocks(spec.elements)), draw(st.sampled_from((0.0, 1.0, -2.5))))


@indexing_rule("slice_axis", canonical=at_shapes(MATRIX_SHAPES, axis=1, begin=1, end=None), backward=LINEAR)
def slice_axis(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Positions begin to end of one axis, at least one; both may count from the back, and the end may be None."""
    shape = draw(shapes(1, 4, spec.elements))
    axis = draw(signed_axes(len(shape)))
    piece = draw(slices(shape[axis % len(shape)], max_step=1, backward=False))
    return of_one(spec, shape, axis=axis, begin=piece.begin or 0, end=piece.end)


@indexing_rule(
    "slice_like",
    canonical=sized(
        lambda _spec, shape: inputs(data=Draft(shape), shape_like=Draft((shape[0] // 2, shape[1]))), MATRIX_SHAPES
    ),
    backward=Derivative(zero=("shape_like",)),
    unread=("shape_like",),
)
def slice_like(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The beginning of each axis (or of some), as far as another array of the same rank reaches."""
    shape = draw(shapes(1, 4, spec.elements))
    like = tuple(draw(extents(1, extent)) for extent in shape)
    if draw(st.booleans()):
        return inputs(data=Draft(shape), shape_like=Draft(like))
    return inputs(data=Draft(shape), shape_like=Draft(like), axes=draw(axis_sets(len(shape))))


QUARTERS = (1.0, 0.0, 0.0, 1.0)
SHARES = "draws select other shares of the elements"


def _masked(shape: Shape, pattern: tuple[float, ...]) -> Inputs:
    return inputs(
        data=Draft(shape), index=Draft(shape[:1], content=None if pattern == QUARTERS else Literal_(pattern)), axis=0
    )


def selected_rows(case: Case, mask: str = "index") -> float:
    """One move for each element of the rows that the pattern of the mask selects."""
    shape, content = case.shape("data"), case.tensor(mask).content
    pattern = content.values if isinstance(content, Literal_) else (1.0,)
    rows = sum(pattern[row % len(pattern)] != 0 for row in range(shape[0]))
    return float(rows * math.prod(shape[1:]))


@indexing_rule(
    "_contrib_boolean_mask",
    moves=selected_rows,
    canonical=sized(lambda _spec, shape: _masked(shape, QUARTERS), MATRIX_SHAPES),
    backward=Derivative(arrays("index"), zero=("index",)),
    contents={"index": Literal_(QUARTERS)},
    varied={"index": SHARES},
)
def boolean_mask(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Rows where the vector is not zero; at least one (only axis 0 is implemented)."""
    return _masked(draw(shapes(1, 4, spec.elements)), draw(patterns()))


def selected(pattern: tuple[float, ...], elements: int) -> int:
    """The number of elements that a repeated pattern of zeros and ones selects."""
    whole, rest = divmod(elements, len(pattern))
    return round(whole * sum(pattern) + sum(pattern[:rest]))


MAX_PATTERN = 4096


def selecting(case: Case) -> Mapping[str, AnyContent]:
    """A mask that selects half of the elements, or as many as there are values."""
    if not case.has("value") or case.elements("value") == 1:
        return {"mask": Literal_(QUARTERS)}
    elements, start = case.elements("mask"), case.number("start_axis", 0)
    shape, axes = case.shape("data"), len(case.shape("mask"))
    count = case.elements("value") // max(1, math.prod(shape[:start]) * math.prod(shape[start + axes :]))
    for length in (0, *range(1, min(elements, MAX_PATTERN) + 1)):
        ones = round(count / elements * length)
        for pattern in ((1.0,) * ones + (0.0,) * (length - ones), (0.0,) * (length - ones) + (1.0,) * ones):
            if selected(pattern or QUARTERS, elements) == count:
                return {"mask": Literal_(pattern or QUARTERS)}
    raise ValueError(f"no mask of {elements} elements selects {count} of them")


Masking: TypeAlias = tuple[Shape, int, int, tuple[float, ...]]
"""An array, the first axis of a mask over it, the number of the mask's axes, and the pattern that it repeats."""
MASKINGS: Mapping[str, Masking] = {profile: (shape, 0, 2, QUARTERS) for profile, shape in MODEST_SHAPES.items()}
masking_rule = partial(indexing_rule, contents=selecting, varied={"mask": SHARES})


@st.composite
def maskings(draw: st.DrawFn, elements: int) -> Masking:
    """A mask over consecutive axes."""
    shape = draw(shapes(1, 4, elements))
    start = draw(st.integers(0, len(shape) - 1))
    return shape, start, draw(st.integers(1, len(shape) - start)), draw(patterns())


def mask_call(spec: InputSpec, masking: Masking, value: float | None = None, single: bool = False) -> Inputs:
    """The call that assigns a number, or without one a tensor of one value, or of as many as the mask selects."""
    shape, start, axes, pattern = masking
    dtype = "bool"
    if not spec.operator.parameter("start_axis"):
        # In 1.6 a mask is as large as the array, and of numbers.
        start, axes, dtype = 0, len(shape), "uint8"
    masked, before, after = shape[start : start + axes], shape[:start], shape[start + axes :]
    chosen = (1,) if single else (*before, selected(pattern, math.prod(masked)), *after)
    return inputs(
        data=Draft(shape),
        mask=Draft(masked, dtype, None if pattern == QUARTERS else Literal_(pattern)),
        value=Draft(chosen) if value is None else value,
        **where_known(spec, start_axis=start),
    ).writing("data")


@masking_rule("_npi_boolean_mask_assign_scalar", canonical=sized(partial(mask_call, value=1.0), MASKINGS))
def mask_assign_scalar(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A number wherever a mask over consecutive axes is true, in place."""
    return mask_call(spec, draw(maskings(spec.elements)), draw(st.sampled_from((0.0, 1.0, -2.5))))


@masking_rule("_npi_boolean_mask_assign_tensor", canonical=sized(mask_call, MASKINGS))
def mask_assign(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One value, or as many as a mask over consecutive axes selects, in place."""
    return mask_call(spec, draw(maskings(spec.elements)), single=draw(st.booleans()))


CONDITION = {"condition": Mask()}
where_rule = partial(indexing_rule, contents=CONDITION)


@indexing_rule(
    "where",
    canonical=sized(lambda _spec, shape: inputs(condition=Draft(shape), x=Draft(shape), y=Draft(shape)), MATRIX_SHAPES),
    backward=Derivative(arrays("condition"), zero=("condition",)),
    # The elements that CSR stores may be any numbers.
    contents=lambda case: {} if case.tensor("condition").storage == "csr" else CONDITION,
)
def where(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A condition of the arrays' shape, one number for each row of theirs, or (for matrices) in CSR storage."""
    shape = draw(shapes(1, 4, spec.elements))
    way = draw(st.sampled_from(("whole", "rows", *(("csr",) if len(shape) == 2 else ()))))
    condition = Draft(shape[:1] if way == "rows" else shape)
    if way == "csr":
        condition = Draft(shape, storage="csr", density=0.2)
    return inputs(condition=condition, x=Draft(shape), y=Draft(shape))


def _choose(condition: Shape, **others: Draft | float) -> Inputs:
    return inputs(condition=Draft(condition), **others)


@where_rule(
    "_npi_where",
    canonical=sized(lambda _spec, shape: _choose(shape, x=Draft(shape), y=Draft((1, shape[1]))), MODEST_SHAPES),
    backward=Derivative(arrays("condition"), zero=("condition",)),
)
def npi_where(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A condition and two arrays that broadcast together."""
    first, second = draw(broadcast_pairs(4, spec.elements))
    three = draw(st.permutations((first, second, draw(st.sampled_from((first, second))))))
    return _choose(three[0], x=Draft(three[1]), y=Draft(three[2]))


def _other(spec: InputSpec) -> str:
    return spec.operator.tensors[1].name


@where_rule(
    *("_npi_where_lscalar", "_npi_where_rscalar"),
    canonical=sized(lambda spec, shape: _choose(shape, scalar=0.5, **{_other(spec): Draft(shape)}), MODEST_SHAPES),
    backward=Derivative(arrays("condition"), heads=0, zero=("condition",)),
)
def where_scalar(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A condition and an array that broadcast together, and a number."""
    first, second = draw(broadcast_pairs(4, spec.elements))
    return _choose(first, scalar=draw(st.sampled_from((0.0, 0.5))), **{_other(spec): Draft(second)})


@where_rule("_npi_where_scalar2", canonical=sized(lambda _spec, shape: _choose(shape, x=1.0, y=0.5), MATRIX_SHAPES))
def where_two_scalars(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A condition of any shape, and two numbers."""
    return _choose(draw(shapes(1, 4, spec.elements)), x=1.0, y=draw(st.sampled_from((0.0, 0.5))))


@indexing_rule(
    "_npx_nonzero",
    canonical=sized(lambda spec, shape: Inputs({data_name(spec): Draft(shape)}), MODEST_SHAPES),
    contents=dict.fromkeys(("x", "data"), Mask()),
    varied=dict.fromkeys(("x", "data"), SHARES),
)
def nonzero(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The positions of the nonzero elements of an array of any shape: sparse, half full and full."""
    shape = draw(shapes(1, 4, spec.elements))
    return Inputs({data_name(spec): Draft(shape, content=Mask(draw(st.sampled_from((0.01, 0.5, 1.0)))))})
