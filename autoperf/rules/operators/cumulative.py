"""Cumulative sums and differences along an axis."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.rules.derivatives import LINEAR
from autoperf.rules.profiles import sized, unpacked
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.strategies import axes, extents, shapes

ALONG: Mapping[str, tuple[Shape, int]] = {
    "small": ((32, 32), 1),
    "common": ((256, 256), 1),
    "large": ((1024, 1024), 1),
    "skewed": ((10_000, 10), 0),
    "skewed_rows": ((10_000, 10), 1),
    "columns": ((1024, 1024), 0),
}
LENGTHS = {"small": 1024, "common": 65_536, "large": 1_048_576}


@rule(
    *("_np_cumsum", "_npi_cumsum"),
    category="cumulative",
    canonical=sized(
        unpacked(lambda _spec, shape, axis: inputs(a=Draft(shape), axis=axis)),
        ALONG,
        {
            "flat": inputs(a=tensor(1024, 1024)),
        },
    ),
    backward=LINEAR,
)
def cumsum(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Along one axis, or over the flattened tensor; accumulated in another dtype if asked.

    The axis is counted from the front, since a negative one fails ("index = -1 must be in range").
    """
    shape = draw(shapes(1, 4, spec.elements))
    modes: dict[str, Value] = {}
    if draw(st.booleans()):
        modes["axis"] = draw(axes(len(shape)))
    if dtype := draw(st.sampled_from((None, None, "float32", "float64"))):
        modes["dtype"] = dtype
    return inputs(a=Draft(shape), **modes)


@rule(
    "_npi_diff",
    category="cumulative",
    canonical=sized(
        unpacked(lambda _spec, shape, axis: inputs(a=Draft(shape), axis=axis)),
        ALONG,
        {
            "third": inputs(a=tensor(512, 512), n=3),
        },
    ),
    backward=LINEAR,
)
def diff(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The n-th difference, n below the axis's length so that something is left."""
    shape = draw(shapes(1, 4, spec.elements, smallest=2))
    axis = draw(axes(len(shape)))
    return inputs(a=Draft(shape), axis=axis, n=draw(st.integers(1, min(4, shape[axis] - 1))))


@rule(
    "_npi_ediff1d",
    category="cumulative",
    canonical=sized(
        lambda _spec, length: inputs(input1=tensor(length)),
        LENGTHS,
        {
            "skewed": inputs(input1=tensor(10_000, 1)),
            "framed": inputs(
                input1=tensor(65_536),
                input2=tensor(100),
                input3=tensor(100),
                to_begin_arr_given=True,
                to_end_arr_given=True,
            ),
        },
    ),
    backward=LINEAR,
)
def ediff1d(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Differences of the flattened tensor, with nothing, a number or a vector before and after them."""
    modes: dict[str, Value] = {}
    vectors: list[Draft] = []
    for end in ("begin", "end"):
        kind = draw(st.sampled_from(("nothing", "number", "vector")))
        if kind == "number":
            modes[f"to_{end}_scalar"] = draw(st.integers(-9, 9)) / 2
        elif kind == "vector":
            modes[f"to_{end}_arr_given"] = True
            vectors.append(Draft((draw(extents(1, min(1024, spec.elements))),)))
    named = {f"input{number}": vector for number, vector in enumerate(vectors, 2)}
    return inputs(input1=Draft(draw(shapes(1, 3, spec.elements, smallest=2))), **named, **modes)
