"""Sorting and searching: sort, argsort, topk, the position of an extremum, unique values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape, default_content
from autoperf.rules.arithmetic import LINEAR, Derivative, sorted_elements
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import MATRIX_SHAPES, at_shapes, below, of_one, sized, unpacked
from autoperf.strategies import axes, extents, shapes

sorting_rule = partial(rule, category="sorting")

ALONG: Mapping[str, tuple[Shape, int]] = {
    "small": ((32, 32), 1),
    "common": ((256, 256), 1),
    "large": ((256, 512), 1),
    "skewed": ((10_000, 10), 0),
    "skewed_rows": ((10_000, 10), 1),
    "columns": ((512, 256), 0),
}
INDEX_DTYPES = ("int32", "int64", "float32", "float64")


@st.composite
def sorted_along(draw: st.DrawFn, elements: int) -> tuple[Shape, dict[str, Value]]:
    """A shape and an axis of it: counted from the front, from the back, or None (flattened).

    The axis is always named: the gradient of `sort` fails where it is not ("expect int or None but value=''").
    """
    shape, way = draw(shapes(1, 4, elements)), draw(st.sampled_from(("front", "front", "back", "flat")))
    if way == "flat":
        return shape, {"axis": None}
    return shape, {"axis": draw(axes(len(shape))) - (len(shape) if way == "back" else 0)}


def length_of(case: Case) -> int:
    """How long the lists are that are sorted: the axis, by default the last, or all elements where it is None."""
    shape = case.shape("data")
    if "axis" in case.params and case.params["axis"] in (None, "None"):
        return math.prod(shape)
    return shape[case.number("axis", -1)] if shape else 1


@sorting_rule(
    *("sort", "argsort", "_npi_sort", "_npi_argsort"),
    flops=lambda case: sorted_elements(case.elements("data"), length_of(case)),
    canonical=sized(unpacked(lambda _spec, shape, axis: inputs(data=Draft(shape), axis=axis)), ALONG),
    backward=LINEAR,
)
def sorting(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Ascending or descending along one axis or flattened; argsort's indices in a dtype that can count them."""
    shape, chosen = draw(sorted_along(spec.elements))
    if spec.operator.parameter("dtype"):
        chosen["dtype"] = draw(st.sampled_from(INDEX_DTYPES))
    return inputs(data=Draft(shape), is_ascend=draw(st.booleans()), **chosen)


def topk_flops(case: Case) -> float:
    """n log2 k comparisons of n elements with a heap of the k best so far; k below one means all of the axis."""
    kept, length = case.number("k"), length_of(case)
    return sorted_elements(case.elements("data"), kept if 0 < kept < length else length)


@sorting_rule(
    *("topk", "_npx_topk"),
    flops=topk_flops,
    canonical={
        **{profile: inputs(data=Draft(shape), axis=axis, k=10) for profile, (shape, axis) in ALONG.items()},
        "one": inputs(data=tensor(256, 512), k=1),
        "all": inputs(data=tensor(256, 512), k=512, ret_typ="value"),
        "both": inputs(data=tensor(256, 512), k=10, ret_typ="both"),
        "mask": inputs(data=tensor(256, 512), k=10, ret_typ="mask"),
    },
    backward=Derivative(heads=1),
)
def topk(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """k up to the length of the axis; each of the four kinds of result."""
    shape, chosen = draw(sorted_along(spec.elements))
    axis = chosen["axis"]
    length = shape[axis] if isinstance(axis, int) else math.prod(shape)
    return inputs(
        data=Draft(shape),
        k=draw(st.one_of(st.integers(1, min(10, length)), extents(1, length))),
        ret_typ=draw(st.sampled_from(("value", "indices", "mask", "both"))),
        is_ascend=draw(st.booleans()),
        dtype=draw(st.sampled_from(INDEX_DTYPES)),
        **chosen,
    )


@sorting_rule(
    *("argmax", "argmin", "_npi_argmax", "_npi_argmin"),
    canonical=sized(
        unpacked(lambda _spec, shape, axis: inputs(data=Draft(shape), axis=axis)),
        ALONG,
        {"flat": inputs(data=tensor(256, 512))},
    ),
)
def extremum(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Along one axis, or over the flattened tensor without an axis."""
    shape = draw(shapes(1, 4, spec.elements))
    chosen: dict[str, Value] = {} if draw(st.booleans()) else {"axis": draw(axes(len(shape)))}
    return inputs(data=Draft(shape), keepdims=draw(st.booleans()), **chosen)


@sorting_rule(
    "argmax_channel", canonical=at_shapes({**MATRIX_SHAPES, "large": (256, 512), "skewed_line": (10, 10_000)})
)
def argmax_channel(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(batch, channels): the channel with the highest value."""
    return of_one(spec, draw(shapes(2, 2, spec.elements)))


def unique_flops(case: Case) -> float:
    """Sorting the elements, or the slices along an axis, of which a comparison may look at every element."""
    shape = case.shape("data")
    axis = case.params.get("axis")
    return sorted_elements(math.prod(shape), shape[case.number("axis")] if axis is not None else math.prod(shape))


@sorting_rule(
    "_npi_unique",
    flops=unique_flops,
    canonical=lambda spec: {
        "small": inputs(data=tensor(1024, content=below(100))),
        "common": inputs(data=tensor(65_536)),
        "large": inputs(data=tensor(131_072)),
        "skewed": inputs(data=tensor(10_000, 1, content=below(2)), axis=0),
        "distinct": inputs(data=tensor(16_384, content=default_content(spec.dtype))),
        "rows": inputs(data=tensor(1024, 10, content=below(2)), axis=0),
        "everything": inputs(data=tensor(65_536), return_index=True, return_inverse=True, return_counts=True),
    },
    contents={"data": below(1000)},
    varied={"data": "how many elements are equal is no size of the call"},
)
def unique(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Values that repeat, few or many of them; unique elements, or unique slices along an axis."""
    shape = draw(shapes(1, 3, spec.elements // 4))
    chosen: dict[str, Value] = {} if draw(st.booleans()) else {"axis": draw(axes(len(shape)))}
    return inputs(
        data=Draft(shape, content=None if (count := draw(st.sampled_from((2, 10, 1000)))) == 1000 else below(count)),
        return_index=draw(st.booleans()),
        return_inverse=draw(st.booleans()),
        return_counts=draw(st.booleans()),
        **chosen,
    )
