"""Through which calls of a network the gradients flow."""

from __future__ import annotations

from collections.abc import Callable

from autoperf.registry.calls import InferredGraph, InferredNode

IsSource = Callable[[InferredNode], bool]
"""Whether a variable gets a gradient."""


def gradient_places(graph: InferredGraph, is_source: IsSource) -> dict[int, tuple[int, ...]]:
    """The places of the inputs that get gradients, by the number of the operator's node; without nodes that have none.

    Every operator counts as differentiable.
    """
    reached = {number for number, node in enumerate(graph.nodes) if not node.operator and is_source(node)}
    places: dict[int, tuple[int, ...]] = {}
    for number, node in enumerate(graph.nodes):
        entries = enumerate(node.inputs)
        own = tuple(
            place for place, (source, output) in entries if source in reached and _floats(graph, source, output)
        )
        if own:
            places[number] = own
            reached.add(number)
    return places


def _floats(graph: InferredGraph, number: int, output: int) -> bool:
    return "float" in graph.nodes[number].outputs[output].dtype
