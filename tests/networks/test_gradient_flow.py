"""The calls through which gradients flow, in graphs made by hand."""

from __future__ import annotations

from autoperf.core.tensors import ArrayType
from autoperf.networks.calls import gradient_places
from autoperf.registry.calls import InferredGraph, InferredNode


def node(name: str, operator: str, *inputs: tuple[int, int], dtype: str = "float32") -> InferredNode:
    return InferredNode(name, operator, {}, inputs, (ArrayType((4,), dtype),))


GRAPH = InferredGraph(
    (
        node("tokens", "", dtype="int32"),
        node("table", ""),
        node("label", ""),
        node("rows", "Embedding", (0, 0), (1, 0)),
        node("target", "square", (2, 0)),
        node("loss", "elemwise_sub", (3, 0), (4, 0)),
        node("scaled", "square", (3, 0)),
        node("positive", "_greater_scalar", (6, 0)),
        node("masked", "elemwise_mul", (5, 0), (7, 0)),
    ),
    ((8, 0),),
)


def is_differentiable(number: int) -> bool:
    return GRAPH.nodes[number].operator != "_greater_scalar"


def test_gradients_flow_from_the_variables_that_get_one_through_floats() -> None:
    places = gradient_places(GRAPH, lambda variable: variable.name != "label", is_differentiable)
    # Compared values reach the output only through the comparison.
    assert places == {3: (1,), 5: (0,), 8: (0,)}


def test_without_variables_that_get_one_there_are_none() -> None:
    assert gradient_places(GRAPH, lambda variable: variable.name == "tokens", is_differentiable) == {}
