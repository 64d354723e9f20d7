"""How inputs of the planted operators are drawn: shapes of rank 1 to 4, axes and parameters, like any rule's.

Canonical inputs lie outside of every cliff, so that a search has to find it. Some operators take parameters that
mean nothing for their time.
"""

from __future__ import annotations

import math
from typing import cast

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.strategies import axes, extents, shapes

PLAIN = {"small": (10, 10), "common": (20, 15, 50), "large": (250, 250), "skewed": (200, 3)}
CANONICAL = {profile: inputs(data=[Draft(shape)]) for profile, shape in PLAIN.items()}
PAIRS = {
    profile: inputs(data=[Draft(left), Draft(right)])
    for profile, (left, right) in {"small": ((10,), (10,)), "common": ((20, 15), (50,))}.items()
}


@rule(
    *("planted_skew", "planted_dtype", "planted_gradient", "planted_both", "planted_cache"),
    *("planted_alike", "_contrib_planted_alike"),
    *("planted_clean_bytes", "planted_clean_noisy", "planted_clean_double", "planted_clean_square"),
    *("planted_clean_logarithm", "planted_clean_steep", "planted_clean_short"),
    *("planted_sorted", "planted_few", "planted_subnormal", "planted_own"),
    *("planted_clean_distinct", "planted_clean_nonzeros", "planted_clean_sorted", "planted_clean_constant"),
    category="unary",
    canonical=CANONICAL,
)
def plain(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor of any shape."""
    return inputs(data=[Draft(draw(shapes(1, 4, spec.elements)))])


@rule(
    *("planted_axis", "planted_multiple", "planted_volume", "planted_two"),
    *("planted_clean_reduce", "planted_clean_sort", "planted_clean_power"),
    category="unary",
    canonical=CANONICAL,
)
def with_axis(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor of any shape, and one of its axes."""
    shape = draw(shapes(1, 4, spec.elements))
    return inputs(data=[Draft(shape)], axis=draw(axes(len(shape))))


@rule("planted_mode", "planted_clean_linear", category="unary", canonical=CANONICAL)
def with_mode(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor of any shape, and one of eight modes."""
    return inputs(data=[Draft(draw(shapes(1, 4, spec.elements)))], mode=draw(st.integers(0, 7)))


@rule("planted_pair", category="unary", canonical=CANONICAL)
def with_axis_and_flag(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor of any shape, one of its axes, and a direction."""
    shape = draw(shapes(1, 4, spec.elements))
    return inputs(data=[Draft(shape)], axis=draw(axes(len(shape))), reverse=draw(st.booleans()))


@rule("planted_clean_repeat", category="unary", canonical=CANONICAL)
def with_repeats(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, and how many times its last axis is repeated; the output is within the limit too."""
    repeats = draw(st.integers(1, 8))
    return inputs(data=[Draft(draw(shapes(1, 4, spec.elements // repeats)))], k=repeats)


@rule("planted_default", category="unary", canonical=CANONICAL)
def with_scale(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor of any shape, and perhaps a scale other than 1."""
    scale = draw(st.sampled_from([{}, {}, {}, {"scale": 2}, {"scale": 5}]))
    return inputs(data=[Draft(draw(shapes(1, 4, spec.elements)))], **scale)


@rule("planted_shape", category="unary", canonical=CANONICAL)
def with_shape(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, and the shape that it is broadcast to."""
    wide = draw(shapes(1, 4, spec.elements))
    return inputs(data=[Draft(tuple(draw(st.sampled_from([1, size])) for size in wide))], shape=wide)


@rule("planted_clean_tile", category="unary", canonical=CANONICAL)
def with_reps(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, and how often it is repeated along each axis."""
    shape = draw(shapes(1, 4, max(1, spec.elements // 64)))
    return inputs(data=[Draft(shape)], reps=tuple(draw(st.integers(1, 2)) for _ in shape))


def kernel_of(case: Case) -> tuple[int, ...]:
    return cast("tuple[int, ...]", case.params.get("kernel", (1,)))


@rule(
    "planted_clean_window",
    category="unary",
    canonical=CANONICAL,
    flops=lambda case: case.inputs[0].tensor.type.elements * math.prod(kernel_of(case)),
)
def with_window(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor of any shape, and the two lengths of a window."""
    kernel = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    return inputs(data=[Draft(draw(shapes(1, 4, spec.elements)))], kernel=kernel)


@rule(
    "planted_clean_product",
    category="unary",
    canonical={"small": inputs(data=[Draft((10, 10)), Draft((10, 10))])},
    flops=lambda case: 2.0 * case.inputs[0].tensor.type.elements * case.inputs[1].tensor.shape[1],
)
def matrices(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two matrices that can be multiplied."""
    high = max(1, round(spec.elements ** (1 / 3)))
    rows, inner, columns = (draw(extents(1, high)) for _ in range(3))
    return inputs(data=[Draft((rows, inner)), Draft((inner, columns))])


@rule("planted_clean_outer", category="unary", canonical=PAIRS)
def outer(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two tensors of rank 1 or 2 whose outer product is within the limit."""
    shape = draw(shapes(2, 4, spec.elements))
    middle = len(shape) // 2
    return inputs(data=[Draft(shape[:middle]), Draft(shape[middle:])])
