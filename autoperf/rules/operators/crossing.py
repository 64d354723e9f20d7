"""The rule for the copy that a graph makes where it goes from one device to another."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.core.tensors import Shape
from autoperf.rules.profiles import MATRIX_SHAPES, sized
from autoperf.rules.rule import Brief, Draft, Inputs, inputs, rule
from autoperf.strategies import shapes


def crossing(_brief: Brief, shape: Shape) -> Inputs:
    """Here from a device to itself: what is left is the copy."""
    return inputs(data=Draft(shape)).by_the_executor().inference()


@rule("_CrossDeviceCopy", category="subgraph", canonical=sized(crossing, MATRIX_SHAPES))
def cross_device_copy(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any shape."""
    return crossing(brief, draw(shapes(1, 4, brief.elements)))
