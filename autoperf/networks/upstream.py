"""The calls whose results a call of a network reads: they decide the layout and the values of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import msgspec

from autoperf.core.case import Case, Input, Upstream
from autoperf.core.graph import Graph, Node
from autoperf.core.operator import Value
from autoperf.core.tensors import Patterned, TensorSpec, Uniform
from autoperf.registry.calls import InferredGraph

MAX_DEPTH = 4
"""The number of calls in a row that stand before a call. Most rows are shorter: they begin at a call with weights."""
MATRIX_RANK = 2
MAX_OTHER_BYTES = 48 * 2**20
"""The most bytes that are read between two calls: more than the caches hold."""
_Entry = tuple[int, int]


@dataclass(frozen=True)
class UpstreamCalls:
    """The calls before each call of a network without loops; `cases` and `params` are by the numbers of nodes.

    `variable` gives the tensor of a variable by its number, `is_parameter` tells whether it isn't an input.
    """

    graph: InferredGraph
    cases: Mapping[int, Case]
    params: Mapping[int, Mapping[str, Value]]
    variable: Callable[[int], TensorSpec]
    is_parameter: Callable[[int], bool]

    @cached_property
    def _other_bytes(self) -> int:
        """What a pass reads and writes: all weights and results."""
        return min(sum(output.nbytes for node in self.graph.nodes for output in node.outputs), MAX_OTHER_BYTES)

    def of(self, number: int) -> Upstream | None:
        """The calls that make inputs of a call; None if none do, or if one of them can't be a case."""
        if number not in self.cases:
            return None
        inputs = zip(self.cases[number].inputs, self.graph.nodes[number].inputs, strict=False)
        made = {item.name: entry for item, entry in inputs if self._is_call(entry[0])}
        reached = self._reached(source for source, _ in made.values())
        if not made or not reached <= self.cases.keys():
            return None
        return self._upstream(made, sorted(reached))

    def _reached(self, sources: Iterable[int]) -> set[int]:
        """The calls up to MAX_DEPTH before, and none before a call with weights, which chooses its results' layout."""
        reached: set[int] = set()
        row = set(sources)
        for _ in range(MAX_DEPTH):
            reached |= row
            before = (source for number in row if not self._has_weights(number) for source in self._sources(number))
            row = {source for source in before if self._is_call(source)} - reached
        return reached

    def _upstream(self, made: Mapping[str, _Entry], numbers: list[int]) -> Upstream:
        names = {number: f"call{place}" for place, number in enumerate(numbers)}
        variables: dict[_Entry, Input] = {}
        nodes: list[Node] = []
        for number in numbers:
            used = self.graph.nodes[number].inputs
            for place, entry in enumerate(used):
                if entry[0] not in names and entry not in variables:
                    variables[entry] = Input(f"tensor{len(variables)}", self._tensor(entry[0], number, place))
            references = tuple(_reference(entry, names, variables) for entry in used)
            nodes.append(Node(names[number], self.graph.nodes[number].operator, references, dict(self.params[number])))
        inputs = tuple(variables.values())
        outputs = tuple(_reference(entry, names, variables) for entry in made.values())
        graph = Graph(tuple(item.name for item in inputs), tuple(nodes), outputs)
        return Upstream(tuple(made), graph, inputs, self._other_bytes)

    def _tensor(self, source: int, reader: int, place: int) -> TensorSpec:
        """A variable of the network, or the result of an earlier call, drawn as an input of its reader.

        Within a map of a deep network numbers differ little: their signs decide how long kernels that branch take.
        """
        if not self._is_call(source):
            return self.variable(source)
        tensor = self.cases[reader].inputs[place].tensor
        is_map = len(tensor.shape) > MATRIX_RANK + 1 and tensor.content == Uniform()
        return msgspec.structs.replace(tensor, content=Patterned(Uniform(), "maps")) if is_map else tensor

    def _has_weights(self, number: int) -> bool:
        matrices = (
            source for source in self._sources(number) if len(self.graph.nodes[source].outputs[0].shape) >= MATRIX_RANK
        )
        return any(not self._is_call(source) and self.is_parameter(source) for source in matrices)

    def _sources(self, number: int) -> list[int]:
        return [source for source, _ in self.graph.nodes[number].inputs]

    def _is_call(self, number: int) -> bool:
        return bool(self.graph.nodes[number].operator)


def _reference(entry: _Entry, names: Mapping[int, str], variables: Mapping[_Entry, Input]) -> str:
    number, output = entry
    if number not in names:
        return variables[entry].name
    return f"{names[number]}[{output}]" if output else names[number]
