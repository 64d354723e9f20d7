"""Inputs of the operators of more.cc."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.strategies import shapes

MORE = ("more_percent", "more_thousandth")
SAME = "more_nothing"


def _pair(*shape: int) -> Inputs:
    return inputs(data=[Draft(shape), Draft(shape)])


@rule(
    *MORE,
    SAME,
    category="broadcast",
    canonical={"small": _pair(50, 40), "common": _pair(200, 200), "large": _pair(700, 300), "skewed": _pair(20000, 1)},
)
def pair(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two tensors of one shape of at least a thousand elements."""
    rows, columns = draw(shapes(2, 2, spec.elements))
    return _pair(rows + 1000, columns)
