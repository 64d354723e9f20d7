"""The distinct calls of a network's operators, and how often it makes each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from autoperf.core.tensors import AnyContent, ArrayType
from autoperf.registry.calls import InferredGraph
from autoperf.rules.rule import Draft

CallKey: TypeAlias = tuple[str, tuple[tuple[str, str], ...], tuple[Draft, ...]]
"""What two calls have in common that do the same."""


@dataclass(frozen=True)
class NetworkCall:
    """An operator with its parameters, as MXNet's texts, and its inputs, in the operator's order.

    An input has a content where it is an input of the network for which the user gave one. `node` is the first node of
    the network that makes this call, `count` how many do.
    """

    node: str
    operator: str
    params: dict[str, str]
    inputs: tuple[Draft, ...]
    count: int = 1

    @property
    def key(self) -> CallKey:
        """What it has in common with calls that do the same."""
        return self.operator, tuple(sorted(self.params.items())), self.inputs


@dataclass(frozen=True)
class NetworkGraph:
    """The nodes of a network, and its inputs by the names of their variables."""

    graph: InferredGraph
    inputs: Mapping[str, Draft]

    def calls_by_node(self) -> Iterator[tuple[int, NetworkCall]]:
        """The call of each operator node, with the node's number."""
        for number, node in enumerate(self.graph.nodes):
            if node.operator:
                inputs = tuple(self._draft(*entry) for entry in node.inputs)
                yield number, NetworkCall(node.name, node.operator, node.params, inputs)

    def distinct_calls(self) -> list[NetworkCall]:
        """Each call once, in the order of the network."""
        calls: dict[CallKey, NetworkCall] = {}
        for _, call in self.calls_by_node():
            earlier = calls.get(call.key)
            calls[call.key] = replace(earlier, count=earlier.count + 1) if earlier else call
        return list(calls.values())

    def content(self, number: int) -> AnyContent | None:
        """The content that the user gave for a variable, by the node's number."""
        node = self.graph.nodes[number]
        draft = None if node.operator else self.inputs.get(node.name)
        return draft.content if draft else None

    def type_of(self, number: int, output: int = 0) -> ArrayType:
        """The type of an output of a node."""
        return self.graph.nodes[number].outputs[output]

    def _draft(self, number: int, output: int) -> Draft:
        kind = self.type_of(number, output)
        return Draft(kind.shape, kind.dtype, self.content(number))
