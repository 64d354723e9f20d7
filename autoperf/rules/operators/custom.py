"""The rules for operators that a program registers itself, in Python."""

from __future__ import annotations

from autoperf.core.tensors import Shape
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs
from autoperf.rules.table import Row, of_shape, table

CALLBACK_ARGUMENTS = {"_NDArray": "arrays", "_Native": "memory"}
"""What the callbacks of each get."""


def added(_spec: InputSpec, shape: Shape) -> Inputs:
    """data + 1 through Python and back; autoperf's own processes register it."""
    return inputs(data=[Draft(shape)], op_type="autoperf_add_one")


def added_before(spec: InputSpec, shape: Shape) -> Inputs:
    """data + 1 by the two operators that were there before Custom, which take callbacks by their address."""
    return inputs(data=[Draft(shape)], info=f"autoperf_add_one.{CALLBACK_ARGUMENTS[spec.name]}")


RULES = table(
    __name__,
    custom=Row(
        ("Custom",), of_shape(added), "subgraph", "Any shape: the operator behind it takes one.", inferable=False
    ),
    callbacks=Row(
        tuple(CALLBACK_ARGUMENTS), of_shape(added_before), "subgraph", "Any shape; float32 alone.", inferable=False
    ),
)
