"""The rule for operators that a program registers itself, in Python."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.core.tensors import Shape
from autoperf.rules.profiles import MATRIX_SHAPES, sized
from autoperf.rules.rule import Brief, Draft, Inputs, inputs, rule
from autoperf.strategies import shapes


def added(_brief: Brief, shape: Shape) -> Inputs:
    """data + 1 through Python and back; autoperf's own processes register it."""
    return inputs(data=[Draft(shape)], op_type="autoperf_add_one")


@rule("Custom", category="subgraph", canonical=sized(added, MATRIX_SHAPES), inferable=False)
def custom(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any shape: the operator behind it takes one."""
    return added(brief, draw(shapes(1, 4, brief.elements)))


# What the callbacks of each get.
HANDED = {"_NDArray": "arrays", "_Native": "memory"}


def added_before(brief: Brief, shape: Shape) -> Inputs:
    """data + 1 by the two operators that were there before Custom, which take callbacks by their address."""
    return inputs(data=[Draft(shape)], info=f"autoperf_add_one.{HANDED[brief.name]}")


@rule(*HANDED, category="subgraph", canonical=sized(added_before, MATRIX_SHAPES), inferable=False)
def callbacks(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any shape; float32 alone."""
    return added_before(brief, draw(shapes(1, 4, brief.elements)))
