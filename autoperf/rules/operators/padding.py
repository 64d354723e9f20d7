"""Operators that put a border around an array."""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st

from autoperf.rules.arithmetic import SELECTED
from autoperf.rules.rule import Draft, Inputs, InputSpec, rule
from autoperf.rules.table import IMAGE_SHAPES, MATRIX_SHAPES, at_shapes, data_name, of_one, sized
from autoperf.strategies import extents, shapes

array_rule = partial(rule, category="array")


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
