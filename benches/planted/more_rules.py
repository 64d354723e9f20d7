"""Inputs of the operators of more.cc."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.strategies import shapes

SHARES = {
    "ten_percent": 10, "five_percent": 20, "three_percent": 33, "two_percent": 50, "percent": 100, "half_percent": 200,
}  # fmt: skip
"""By name, the part of its work that an operator does once more."""
MORE = (*(f"{work}_{share}" for work in ("more", "longer") for share in SHARES), "more_thousandth")
SAME = ("more_nothing", "longer_nothing")


def _pair(*shape: int) -> Inputs:
    return inputs(data=[Draft(shape), Draft(shape)])


@rule(
    *MORE,
    *SAME,
    category="broadcast",
    canonical={"small": _pair(50, 40), "common": _pair(200, 200), "large": _pair(700, 300), "skewed": _pair(20000, 1)},
)
def pair(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two tensors of one shape of at least a thousand elements."""
    rows, columns = draw(shapes(2, 2, spec.elements))
    return _pair(rows + 1000, columns)
