"""The distinct calls of a network's operators, and how often it makes each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from autoperf.core.tensors import AnyContent, ArrayType
from autoperf.registry.calls import InferredGraph, InferredNode
from autoperf.rules.rule import Draft

CallKey: TypeAlias = tuple[str, tuple[tuple[str, str], ...], tuple[Draft, ...]]
"""What two calls have in common that do the same."""


@dataclass(frozen=True)
class NetworkCall:
    """An operator with its parameters, as MXNet's texts, and its inputs, in the operator's order.

    An input has a content where it is an input of the network for which the user gave one. `node` is the first node of
    the network that makes this call, `count` how many do. `is_nested` says that it holds graphs of its own.
    """

    node: str
    operator: str
    params: dict[str, str]
    inputs: tuple[Draft, ...]
    count: int = 1
    is_nested: bool = False

    @property
    def key(self) -> CallKey:
        """What it has in common with calls that do the same."""
        return self.operator, tuple(sorted(self.params.items())), self.inputs


@dataclass(frozen=True)
class NetworkGraph:
    """The nodes of a network, and its inputs by the names of their variables."""

    graph: InferredGraph
    inputs: Mapping[str, Draft]

    @property
    def nested(self) -> InferredNode | None:
        """The first node that holds graphs of its own: a loop or a branch."""
        return next((node for node in self.graph.nodes if node.is_nested), None)

    def calls_by_node(self) -> Iterator[tuple[int, NetworkCall]]:
        """The call of each operator node, with the node's number."""
        for number, node in enumerate(self.graph.nodes):
            if node.operator:
                inputs = tuple(self._draft(*entry) for entry in node.inputs)
                yield number, NetworkCall(node.name, node.operator, node.params, inputs, is_nested=node.is_nested)

    def distinct_calls(self) -> list[NetworkCall]:
        """Each call once, in the order of the network; a loop is the calls of its steps, if their number is known."""
        calls: dict[CallKey, NetworkCall] = {}
        for call in self._calls():
            earlier = calls.get(call.key)
            calls[call.key] = replace(earlier, count=earlier.count + call.count) if earlier else call
        return list(calls.values())

    def _calls(self) -> Iterator[NetworkCall]:
        for number, call in self.calls_by_node():
            body = self.graph.nodes[number].body
            if body:
                inner = NetworkGraph(body.graph, {}).distinct_calls()
                yield from (replace(step, count=step.count * body.steps) for step in inner)
            else:
                yield call

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
