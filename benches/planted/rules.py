"""How inputs of the planted operators are drawn: shapes of rank 1 to 4, axes and parameters, like any rule's.

Canonical inputs lie outside of every cliff, so that a search has to find it. Some operators take parameters that
mean nothing for their time.
"""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.strategies import axes, shapes

PLAIN = {"small": (10, 10), "common": (20, 15, 50), "large": (250, 250), "skewed": (200, 3)}
CANONICAL = {profile: inputs(data=[Draft(shape)]) for profile, shape in PLAIN.items()}
PAIRS = {
    profile: inputs(data=[Draft(left), Draft(right)])
    for profile, (left, right) in {"small": ((10,), (10,)), "common": ((20, 15), (50,))}.items()
}


@rule(
    *("planted_skew", "planted_dtype", "planted_gradient"),
    *("planted_clean_bytes", "planted_clean_noisy", "planted_clean_double"),
    category="unary",
    canonical=CANONICAL,
)
def plain(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor of any shape."""
    return inputs(data=[Draft(draw(shapes(1, 4, spec.elements)))])


@rule(
    *("planted_axis", "planted_multiple", "planted_volume", "planted_clean_reduce", "planted_clean_sort"),
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


@rule("planted_clean_outer", category="unary", canonical=PAIRS)
def outer(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two tensors of rank 1 or 2 whose outer product is within the limit."""
    shape = draw(shapes(2, 4, spec.elements))
    middle = len(shape) // 2
    return inputs(data=[Draft(shape[:middle]), Draft(shape[middle:])])
