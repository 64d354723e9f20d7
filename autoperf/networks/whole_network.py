"""Cases of a whole network: one graph over its inputs and parameters, in each mode."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from autoperf.core.case import Case, Input
from autoperf.core.graph import Graph, Node
from autoperf.core.modes import FUSED, NETWORK, NETWORK_MODES
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, ArrayType, TensorSpec, Uniform, default_content
from autoperf.registry.calls import InferredGraph, InferredNode

OPERATOR = "_CachedOp"
"""MXNet's operator of compiled graphs; run eagerly, its graph alone counts."""
INFERENCE_ONLY = frozenset({FUSED})
_GRAPH = "graph"


def whole_cases(
    graph: InferredGraph,
    params: Mapping[int, Mapping[str, Value]],
    contents: Mapping[int, AnyContent],
    *,
    training: bool,
) -> Iterator[Case]:
    """A case of the network for each of its modes; `params` and `contents` are by the numbers of nodes and variables.

    No node of the graph may hold graphs of its own.
    """
    names = _identifiers([node.name for node in graph.nodes])
    plain = _plain_graph(graph, params, names)
    numbers = {name: number for number, name in enumerate(names)}
    inputs = tuple(
        Input(f"data[{place}]", _tensor(graph.nodes[numbers[name]], contents.get(numbers[name])))
        for place, name in enumerate(plain.inputs)
    )
    outputs = tuple(graph.nodes[number].outputs[output] for number, output in _distinct(graph.outputs))
    for name, mode in NETWORK_MODES.items():
        if training and name in INFERENCE_ONLY:
            continue
        yield Case(
            operator=OPERATOR,
            category=NETWORK,
            profile=name,
            inputs=inputs,
            params=dict(mode.flags),
            outputs=outputs,
            training=training,
            graphs={_GRAPH: plain},
            way=mode.way,
        )


def _plain_graph(graph: InferredGraph, params: Mapping[int, Mapping[str, Value]], names: Sequence[str]) -> Graph:
    """The graph by names, with its variables in MXNet's order."""
    nodes = tuple(
        Node(names[number], node.operator, _references(node.inputs, names), dict(params[number]))
        for number, node in enumerate(graph.nodes)
        if node.operator
    )
    variables = tuple(names[number] for number, node in enumerate(graph.nodes) if not node.operator)
    plain = Graph(variables, nodes, _references(_distinct(graph.outputs), names))
    return Graph(plain.input_order(), plain.nodes, plain.outputs)


def _distinct(outputs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Each output once: a recurrent cell returns one as its output and as its state, which is one array."""
    return tuple(dict.fromkeys(outputs))


def _references(entries: Sequence[tuple[int, int]], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{names[number]}[{output}]" if output else names[number] for number, output in entries)


def _tensor(variable: InferredNode, content: AnyContent | None) -> TensorSpec:
    (kind,) = variable.outputs
    return TensorSpec(kind.shape, kind.dtype, content or default_content(kind.dtype))


def weight_content(kind: ArrayType) -> AnyContent:
    """The content of a parameter: matrices are scaled by their inputs, so that the values of deep networks stay finite.

    The variance of Uniform(-a, a) is a**2 / 3 (Glorot and Bengio, 2010).
    """
    plain = default_content(kind.dtype)
    if plain != Uniform() or len(kind.shape) < 2:
        return plain
    reach = math.sqrt(3 / max(1, math.prod(kind.shape[1:])))
    return Uniform(-reach, reach)


def _identifiers(names: Sequence[str]) -> list[str]:
    """An identifier for each name, as similar as possible and distinct from the others."""
    identifiers: dict[str, None] = {}
    for name in names:
        stem = re.sub(r"[^A-Za-z0-9_]", "_", name)
        stem = stem if re.match(r"[A-Za-z_]", stem) else f"_{stem}"
        candidate, number = stem, 1
        while candidate in identifiers:
            number += 1
            candidate = f"{stem}_{number}"
        identifiers[candidate] = None
    return list(identifiers)
