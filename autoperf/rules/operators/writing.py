"""Rules for operators that write into an array which is none of their inputs: copyto and filling with a number."""

from __future__ import annotations

from autoperf.core.tensors import Shape
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs
from autoperf.rules.table import Row, of_shape, table


def copied(_spec: InputSpec, shape: Shape) -> Inputs:
    """One array into another of its shape."""
    return inputs(data=Draft(shape), out=Draft(shape)).writing("out")


def filled(_spec: InputSpec, shape: Shape) -> Inputs:
    """One number into every element."""
    return inputs(out=Draft(shape), src=0.5).writing("out")


RULES = table(
    __name__,
    copyto=Row(("_copyto",), of_shape(copied), "array", "Any shape.", inferable=False),
    set_value=Row(("_set_value",), of_shape(filled), "creation", "Any shape.", inferable=False),
)
