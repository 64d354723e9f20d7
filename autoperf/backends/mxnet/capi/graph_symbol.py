"""Symbols of operators that have subgraphs, or that run only in a graph; and gradient graphs."""

from __future__ import annotations

import ctypes as c
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from autoperf.backends.mxnet.capi.invoke import format_value
from autoperf.backends.mxnet.capi.library import Library, text_array
from autoperf.backends.mxnet.capi.symbol import Symbol
from autoperf.core.errors import EngineError, GraphReferenceError, UnknownNameError
from autoperf.core.graph import OWN_GRAPH, ExecutionMode, Graph, split_reference
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape

NODE = "node"
_FIRST_WITH_ONEDNN = 20000


def graph_symbol(
    library: Library,
    operator: str,
    inputs: Sequence[str],
    params: Mapping[str, Value],
    graphs: Mapping[str, Graph],
    *,
    way: ExecutionMode,
) -> Symbol:
    """The operator applied to variables of these names, with all visible outputs; or its subgraph, if that runs itself.

    The symbol is loaded from MXNet's JSON, which works in every release.
    Raises EngineError if the operator is unknown, the parameters are invalid, or a graph refers to an output that its
    node doesn't have (MXNet would crash).
    """
    for graph in graphs.values():
        _check_outputs(library, graph)
    if way in OWN_GRAPH:
        (graph,) = graphs.values()
        try:
            return Symbol.from_json(library, graph_text(library, graph))
        except EngineError:
            _check_nodes(library, graph)
            raise
    nodes = [_variable_json(name) for name in inputs]
    bodies = [_graph_json(library, graph) for graph in graphs.values()]
    node = _node_json(library.called(operator), NODE, [(index, 0) for index in range(len(inputs))], params, bodies)
    symbol = Symbol.from_json(library, _document(library, _nodes_json([*nodes, node], [(len(nodes), 0)])))
    return _with_all_outputs(symbol)


def graph_text(library: Library, graph: Graph) -> str:
    """A graph as MXNet's JSON."""
    return _document(library, _graph_json(library, graph))


def fused_symbol(symbol: Symbol) -> Symbol:
    """The graph with the operators into which oneDNN fuses others. Raises EngineError for a build without oneDNN."""
    return symbol.with_backend("ONEDNN" if symbol.library.number >= _FIRST_WITH_ONEDNN else "MKLDNN")


def _with_all_outputs(symbol: Symbol) -> Symbol:
    """All outputs of the last node. JSON must list them, but only MXNet knows their number."""
    internals = symbol.internals()
    listed = internals.list_outputs()
    indices = [index for index, name in enumerate(listed) if name.startswith(f"{NODE}_")]
    return Symbol.group(symbol.library, [internals.output(index) for index in indices])


def _check_outputs(library: Library, graph: Graph) -> None:
    nodes = {node.name: node for node in graph.nodes}
    for reference in (*(reference for node in graph.nodes for reference in node.inputs), *graph.outputs):
        name, output = split_reference(reference)
        if output and name in nodes:
            node = nodes[name]
            count = Symbol.atomic(library, library.operator(node.operator), node.params).output_count()
            if output >= count:
                raise GraphReferenceError(
                    f"a graph refers to {reference}, but the node {name!r} ({node.operator}) has {count} outputs"
                )


def _check_nodes(library: Library, graph: Graph) -> None:
    """Raises EngineError for the first node whose operator or parameters MXNet doesn't know."""
    for node in graph.nodes:
        try:
            Symbol.atomic(library, _handle(library, node.operator), node.params)
        except EngineError as error:  # noqa: PERF203 - only a graph that failed comes here
            raise EngineError(str(error), node.name) from None


def _handle(library: Library, operator: str) -> int:
    """The handle of an operator. Raises EngineError with the nearest names."""
    try:
        return library.operator(operator)
    except EngineError:
        raise EngineError(str(UnknownNameError("operator", operator, library.operator_names()))) from None


def _graph_json(library: Library, graph: Graph) -> dict[str, Any]:
    indices_by_name = {name: index for index, name in enumerate(graph.inputs)}
    nodes = [_variable_json(name) for name in graph.inputs]
    for node in graph.nodes:
        inputs = [_entry(indices_by_name, reference) for reference in node.inputs]
        indices_by_name[node.name] = len(nodes)
        nodes.append(_node_json(library.called(node.operator), node.name, inputs, node.params))
    return _nodes_json(nodes, [_entry(indices_by_name, reference) for reference in graph.outputs])


def _entry(indices_by_name: Mapping[str, int], reference: str) -> tuple[int, int]:
    name, output = split_reference(reference)
    return indices_by_name[name], output


def _variable_json(name: str) -> dict[str, Any]:
    return {"op": "null", "name": name, "inputs": []}


def _node_json(
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


def _nodes_json(nodes: Sequence[Mapping[str, Any]], heads: Sequence[tuple[int, int]]) -> dict[str, Any]:
    variables = [index for index, node in enumerate(nodes) if node["op"] == "null"]
    return {"nodes": list(nodes), "arg_nodes": variables, "heads": [[*entry, 0] for entry in heads]}


def _document(library: Library, graph: Mapping[str, Any]) -> str:
    """The version number keeps MXNet from upgrading the graph from an old release's format."""
    return json.dumps({**graph, "attrs": {"mxnet_version": ["int", library.number]}})


GRADIENT = "MXGradient"
HEAD = "head_gradient_"
_FIRST_WITH_SHAPES = 20000


class GradientNode(NamedTuple):
    """A node of a gradient graph: its operator ("null" for a variable), its name, and its inputs.

    `inputs` are pairs of a node's number and its output's number.
    """

    operator: str
    name: str
    inputs: tuple[tuple[int, int], ...] = ()


class GradientGraph(NamedTuple):
    """The nodes of a gradient graph, with the forward nodes that it needs, and its output names."""

    nodes: tuple[GradientNode, ...]
    outputs: tuple[str, ...]


class GraphInput(NamedTuple):
    """A variable of a symbol with its shape and dtype code; gradients are taken unless it is auxiliary."""

    variable: Symbol
    shape: Shape
    dtype: int
    auxiliary: bool


def gradient_graph(symbol: Symbol, inputs: Sequence[GraphInput]) -> GradientGraph:
    """The graph of the gradients of all visible outputs with respect to `inputs`, in the symbol's order.

    Nothing runs. Raises EngineError if the operator has no gradient, or hidden outputs; may crash the process.
    """
    library = symbol.library
    heads = [Symbol.variable(library, f"{HEAD}{i}") for i in range(len(symbol.list_outputs()))]
    head = Symbol.group(library, heads)
    variables = Symbol.group(library, [item.variable for item in inputs if not item.auxiliary])
    graph = _GraphHandle.of(symbol)
    for key, entries in (("grad_ys", symbol), ("grad_xs", variables), ("grad_ys_out_grad", head)):
        graph.set_entries(key, entries)
    if library.number >= _FIRST_WITH_SHAPES:
        graph.set_entries("grad_us", variables)
        graph.set_json("in_arg_shapes", ["list_shape", [list(item.shape) for item in inputs]])
        graph.set_json("in_arg_dtypes", ["list_int", [item.dtype for item in inputs]])
    gradient = graph.apply(GRADIENT).symbol()
    nodes = json.loads(gradient.to_json())["nodes"]
    return GradientGraph(tuple(map(_node, nodes)), tuple(gradient.list_outputs()))


def _node(node: Mapping[str, Any]) -> GradientNode:
    return GradientNode(node["op"], node["name"], tuple((entry[0], entry[1]) for entry in node["inputs"]))


class _GraphHandle:
    """A handle of an NNVM graph."""

    def __init__(self, library: Library, handle: c.c_void_p) -> None:
        self._library = library
        self._handle = handle

    @classmethod
    def of(cls, symbol: Symbol) -> _GraphHandle:
        handle = c.c_void_p()
        symbol.library.call("GraphCreate", symbol.handle, c.byref(handle))
        return cls(symbol.library, handle)

    def set_entries(self, key: str, symbol: Symbol) -> None:
        self._library.call("GraphSetEntries", self._handle, key.encode(), symbol.handle)

    def set_json(self, key: str, value: object) -> None:
        self._library.call("GraphSetJSON", self._handle, key.encode(), json.dumps(value).encode())

    def apply(self, name: str) -> _GraphHandle:
        handle = c.c_void_p()
        self._library.call("GraphApplyPasses", self._handle, 1, text_array([name]), c.byref(handle))
        return _GraphHandle(self._library, handle)

    def symbol(self) -> Symbol:
        handle = c.c_void_p()
        self._library.call("GraphGetSymbol", self._handle, c.byref(handle))
        return Symbol(self._library, handle.value)

    def __del__(self) -> None:
        self._library.function("GraphFree")(self._handle)
