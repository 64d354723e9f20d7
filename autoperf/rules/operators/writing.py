"""Rules for operators that write into an array which is none of their inputs: copyto and filling with a number."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.core.tensors import Shape
from autoperf.rules.profiles import MATRIX_SHAPES, sized
from autoperf.rules.rule import Brief, Draft, Inputs, inputs, rule
from autoperf.strategies import shapes


def copied(_brief: Brief, shape: Shape) -> Inputs:
    """One array into another of its shape."""
    return inputs(data=Draft(shape), out=Draft(shape)).writing("out")


@rule("_copyto", category="array", canonical=sized(copied, MATRIX_SHAPES), inferable=False)
def copyto(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any shape."""
    return copied(brief, draw(shapes(1, 4, brief.elements)))


def filled(_brief: Brief, shape: Shape) -> Inputs:
    """One number into every element."""
    return inputs(out=Draft(shape), src=0.5).writing("out")


@rule("_set_value", category="creation", canonical=sized(filled, MATRIX_SHAPES), inferable=False)
def set_value(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any shape."""
    return filled(brief, draw(shapes(1, 4, brief.elements)))
