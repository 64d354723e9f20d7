"""The rule for the copy that a graph makes where it goes from one device to another."""

from __future__ import annotations

from autoperf.core.tensors import Shape
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs
from autoperf.rules.table import Row, of_shape, table


def crossing(_spec: InputSpec, shape: Shape) -> Inputs:
    """Here from a device to itself: what is left is the copy."""
    return inputs(data=Draft(shape)).by_the_executor().inference()


RULES = table(
    __name__,
    cross_device_copy=Row(("_CrossDeviceCopy",), of_shape(crossing), "subgraph", "Any shape."),
)
