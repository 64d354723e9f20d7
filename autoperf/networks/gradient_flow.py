"""Through which calls of a network the gradients flow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from autoperf.registry.calls import InferredGraph, InferredNode

Places: TypeAlias = Mapping[int, tuple[int, ...]]
"""The places of a call's inputs that get gradients, by the number of its node."""


def gradient_places(
    graph: InferredGraph, is_source: Callable[[InferredNode], bool], is_differentiable: Callable[[int], bool]
) -> Places:
    """The calls on the ways from the variables that get gradients (`is_source`) to the network's outputs.

    `is_differentiable` says of a call, by its node's number, whether gradients flow through it; it is asked about those
    alone that such a variable reaches.
    """
    reached = _reached(graph, is_source, is_differentiable)
    used = {number for number, _ in graph.outputs}
    for number in reversed(reached):
        if number in used:
            used |= {graph.nodes[number].inputs[place][0] for place in reached[number]}
    return {number: places for number, places in reached.items() if number in used}


def _reached(
    graph: InferredGraph, is_source: Callable[[InferredNode], bool], is_differentiable: Callable[[int], bool]
) -> dict[int, tuple[int, ...]]:
    """The differentiable calls that depend on such a variable, in the order of the network."""
    sources = {number for number, node in enumerate(graph.nodes) if not node.operator and is_source(node)}
    reached: dict[int, tuple[int, ...]] = {}
    for number, node in enumerate(graph.nodes):
        entries = enumerate(node.inputs)
        own = tuple(place for place, entry in entries if entry[0] in sources and _is_floating(graph, *entry))
        if own and is_differentiable(number):
            reached[number] = own
            sources.add(number)
    return reached


def _is_floating(graph: InferredGraph, number: int, output: int) -> bool:
    return "float" in graph.nodes[number].outputs[output].dtype
