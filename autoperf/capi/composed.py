"""Operators inside graphs: an operator that holds graphs, or that only runs in one, as a symbol."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from autoperf.capi.invoke import format_value
from autoperf.capi.library import Library
from autoperf.capi.symbol import Symbol
from autoperf.core.errors import GraphReferenceError
from autoperf.core.graph import COMPILED, ExecutionMode, Graph, split_reference
from autoperf.core.operator import Value

NODE = "node"


def composed(
    library: Library,
    operator: str,
    inputs: Sequence[str],
    params: Mapping[str, Value],
    graphs: Mapping[str, Graph],
    *,
    way: ExecutionMode,
) -> Symbol:
    """The operator over variables of these names, with all of its visible outputs; or the graph that it holds, alone.

    MXNet's front ends compose such symbols from parts; its own JSON says the same in one piece, in every release.
    Raises EngineError if MXNet knows no such operator, refuses the parameters, or if a graph refers to an output that
    its node doesn't have, over which MXNet would crash.
    """
    for graph in graphs.values():
        _check_outputs(library, graph)
    if way in COMPILED:
        (graph,) = graphs.values()
        return Symbol.from_json(library, _document(library, _plain(graph)))
    nodes = [_variable(name) for name in inputs]
    bodies = [_plain(graph) for graph in graphs.values()]
    node = _node(operator, NODE, [(place, 0) for place in range(len(inputs))], params, bodies)
    whole = Symbol.from_json(library, _document(library, _graph([*nodes, node], [(len(nodes), 0)])))
    return _with_all_outputs(whole)


def _with_all_outputs(symbol: Symbol) -> Symbol:
    """The last node's outputs, how many there may be: JSON has to name them, but only MXNet knows."""
    internals = symbol.internals()
    listed = internals.list_outputs()
    own = [place for place, name in enumerate(listed) if name.startswith(f"{NODE}_")]
    return Symbol.group(symbol.library, [internals.output(place) for place in own])


def _check_outputs(library: Library, graph: Graph) -> None:
    nodes = {node.name: node for node in graph.nodes}
    for reference in (*(used for node in graph.nodes for used in node.inputs), *graph.outputs):
        name, output = split_reference(reference)
        if output and name in nodes:
            node = nodes[name]
            count = Symbol.atomic(library, library.operator(node.operator), node.params).output_count()
            if output >= count:
                raise GraphReferenceError(
                    f"a graph refers to {reference}, but the node {name!r} ({node.operator}) has {count} outputs there"
                )


def _plain(graph: Graph) -> dict[str, Any]:
    places = {name: place for place, name in enumerate(graph.inputs)}
    nodes = [_variable(name) for name in graph.inputs]
    for node in graph.nodes:
        inputs = [_entry(places, used) for used in node.inputs]
        places[node.name] = len(nodes)
        nodes.append(_node(node.operator, node.name, inputs, node.params))
    return _graph(nodes, [_entry(places, used) for used in graph.outputs])


def _entry(places: Mapping[str, int], reference: str) -> tuple[int, int]:
    name, output = split_reference(reference)
    return places[name], output


def _variable(name: str) -> dict[str, Any]:
    return {"op": "null", "name": name, "inputs": []}


def _node(
    operator: str,
    name: str,
    inputs: Sequence[tuple[int, int]],
    params: Mapping[str, Value],
    graphs: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    node: dict[str, Any] = {"op": operator, "name": name, "inputs": [[*entry, 0] for entry in inputs]}
    if params:
        node["attrs"] = {key: format_value(value) for key, value in params.items()}
    if graphs:
        node["subgraphs"] = list(graphs)
    return node


def _graph(nodes: Sequence[Mapping[str, Any]], heads: Sequence[tuple[int, int]]) -> dict[str, Any]:
    variables = [place for place, node in enumerate(nodes) if node["op"] == "null"]
    return {"nodes": list(nodes), "arg_nodes": variables, "heads": [[*entry, 0] for entry in heads]}


def _document(library: Library, graph: Mapping[str, Any]) -> str:
    """The release's number keeps MXNet from upgrading the graph as if an old release had written it."""
    return json.dumps({**graph, "attrs": {"mxnet_version": ["int", library.number]}})
